//! Addresses as the writers put them down: where links lead, where images are.

use std::borrow::Cow;

use url::Url;

use crate::dom::{Dom, NodeId, Tag};
use crate::{links, srcset};

/// What a page's relative URLs start from.
#[derive(Debug, Default)]
pub(crate) struct Base {
    url: Option<Url>,
    /// Scheme and authority, of the web's two schemes only; else empty.
    origin: String,
}

impl Base {
    /// Reads a document's `<base href>`. `url` is where the document is from.
    pub(crate) fn of(dom: &Dom, url: Option<&Url>) -> Self {
        let url = links::base(dom, url);
        let web = url.as_ref().filter(|url| matches!(url.scheme(), "http" | "https"));
        let origin = web.map(|url| url.origin().ascii_serialization()).unwrap_or_default();
        Self { url, origin }
    }

    /// Returns a reference resolved against the base; itself where that cannot
    /// be done.
    pub(crate) fn resolve<'a>(&self, reference: &'a str) -> Cow<'a, str> {
        let Some(base) = &self.url else { return Cow::Borrowed(reference) };
        // Most references need no normalising, which is what costs.
        if is_plain(reference) && !self.origin.is_empty() {
            if reference.starts_with('/') && !reference.starts_with("//") {
                return Cow::Owned(format!("{}{reference}", self.origin));
            }
            if has_plain_host(reference) {
                return Cow::Borrowed(reference);
            }
        }
        base.join(reference).map_or(Cow::Borrowed(reference), |url| Cow::Owned(url.into()))
    }
}

/// Whether the URL parser would change nothing in a path, query or fragment.
fn is_plain(reference: &str) -> bool {
    let is_kept = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/?#=&%+,;:@!$()*".contains(&byte);
    reference.bytes().all(is_kept) && !reference.contains("/.") && !reference.contains("%2")
}

/// Whether the URL parser would change nothing before the path.
fn has_plain_host(url: &str) -> bool {
    let Some(rest) = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://")) else { return false };
    let Some((host, _)) = rest.split_once('/') else { return false };
    let is_kept = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-.".contains(&byte);
    // A name that ends in a number is an address, which has many spellings.
    host.bytes().all(is_kept) && host.ends_with(|last: char| last.is_ascii_lowercase())
}

/// Returns what a link points to; nothing for one that runs a script, holds its
/// target in itself or has none.
pub(crate) fn target(dom: &Dom, link: NodeId) -> Option<&str> {
    dom.attribute(link, "href")
        .filter(|href| !["javascript", "vbscript", "data"].iter().any(|own| has_scheme(href, own)))
}

/// Whether a URL has a scheme, read as browsers do: in any case, with control
/// characters anywhere in it.
fn has_scheme(url: &str, scheme: &str) -> bool {
    let mut characters = url.chars().filter(|character| !character.is_ascii_control());
    scheme.chars().all(|own| characters.next().is_some_and(|character| character.eq_ignore_ascii_case(&own)))
        && characters.next() == Some(':')
}

/// Where pages keep the address of an image that they load when it comes into
/// view; what `src` has till then is a placeholder.
const LAZY: [&str; 6] = ["data-src", "data-original", "data-lazy-src", "data-lazy", "data-original-src", "data-url"];

const LAZY_SETS: [&str; 2] = ["data-srcset", "data-lazy-srcset"];

/// Returns the address of an `<img>` as the page has it; nothing where the image
/// stands in the address itself or there is none.
pub(crate) fn image_source(dom: &Dom, image: NodeId) -> Option<&str> {
    let attribute = |name: &&str| dom.attribute(image, name).filter(|source| is_address(source));
    let set = |name: &&str| dom.attribute(image, name).and_then(largest);
    let lazy = LAZY.iter().find_map(attribute).or_else(|| LAZY_SETS.iter().find_map(set));
    lazy.or_else(|| attribute(&"src")).or_else(|| set(&"srcset")).or_else(|| of_the_picture(dom, image))
}

fn largest(set: &str) -> Option<&str> {
    srcset::largest(set).filter(|source| is_address(source))
}

/// Returns what the `<source>`s beside an image offer.
fn of_the_picture(dom: &Dom, image: NodeId) -> Option<&str> {
    let picture = dom.ancestors(image).take(2).find(|around| dom.is(*around, Tag::Picture))?;
    let mut sources = dom.elements(picture, Tag::Source);
    sources.find_map(|source| {
        ["srcset", "data-srcset"].iter().find_map(|name| dom.attribute(source, name).and_then(largest))
    })
}

fn is_address(source: &str) -> bool {
    !has_scheme(source, "data") && !has_scheme(source, "about") && !source.starts_with('#')
}

/// Whether an image is a dot that counts visitors.
pub(crate) fn is_pixel(dom: &Dom, image: NodeId) -> bool {
    let is_tiny = |name| dom.attribute(image, name).is_some_and(|size| matches!(size, "0" | "1" | "0px" | "1px"));
    is_tiny("width") && is_tiny("height")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_resolve_as_the_url_standard_says() {
        let url = Url::parse("https://site.test/dir/page?q").expect("a URL");
        let dom = Dom::parse("");
        let base = Base::of(&dom, Some(&url));
        let references = [
            "",
            "x",
            "/x",
            "/x/../y",
            "/x/./y",
            "/.x",
            "//h.test/q",
            "?a=1",
            "#f",
            "https://a.test",
            "https://A.test/B",
            "https://a.test/b c",
            "http://1.2/x",
            "http://x.1/x",
            "https://a.test/b?c='d'#e",
            "mailto:a@b.test",
            "/a b",
            "/ä",
            "/a%2e%2e/b",
            "https://a.test:443/b",
            "https://u@a.test/b",
            "/a|b",
            "http://[x/",
            "../z",
            "/x(y)",
            "https://a-b.test/c%20d",
            "/a/..",
            "https://a.test/..",
            "https:/x",
            "/a\\b",
            "https://xn--a.test/b",
            "https://a..b/c",
        ];
        for reference in references {
            let expected = url.join(reference).map_or_else(|_| reference.to_owned(), String::from);
            assert_eq!(base.resolve(reference), expected, "{reference}");
        }
    }

    #[test]
    fn script_in_a_link_is_seen_in_any_spelling() {
        for href in ["javascript:x", " JavaScript:x", "java\nscript:x", "\u{1}javascript:x", "data:text/html,x"] {
            let dom = Dom::parse(&format!("<a href='{href}'>x</a>"));
            assert_eq!(target(&dom, dom.first(Tag::A).expect("a link")), None, "{href}");
        }
        let dom = Dom::parse("<a href='javascripts'>x</a>");
        assert_eq!(target(&dom, dom.first(Tag::A).expect("a link")), Some("javascripts"));
    }

    #[test]
    fn an_image_is_where_the_page_will_load_it_from() {
        for (html, source) in [
            ("<img src=a.png>", Some("a.png")),
            ("<img src=blank.gif data-src=a.png>", Some("a.png")),
            ("<img src=data:image/gif;base64,R0 data-original=a.png>", Some("a.png")),
            ("<img src=data:image/gif;base64,R0>", None),
            ("<img>", None),
            ("<img srcset='s.png 1x, l.png 2x'>", Some("l.png")),
            ("<img src=a.png srcset='l.png 2x'>", Some("a.png")),
            ("<picture><source srcset='w.webp 100w, v.webp 900w'><img src=data:x></picture>", Some("v.webp")),
            ("<picture><source data-srcset=w.webp><img></picture>", Some("w.webp")),
        ] {
            let dom = Dom::parse(html);
            assert_eq!(image_source(&dom, dom.first(Tag::Img).expect("an image")), source, "{html}");
        }
    }
}
