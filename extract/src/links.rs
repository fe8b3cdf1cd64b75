//! Where a page leads, for whoever follows.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use url::Url;

use crate::dom::{Dom, Element, NodeId, Tag};
use crate::octets;

/// How a page leads to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkKind {
    /// `<a>` or `<area>`
    Anchor,
    /// `<link rel=canonical>`
    Canonical,
    /// `<link rel=next>` or `<link rel=prev>`
    Sequence,
    /// `<iframe>` or `<frame>`
    Frame,
}

/// A link of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Absolute, in the form of [`normalise`].
    pub url: String,
    pub kind: LinkKind,
    /// Whether every such link, or the page as a whole, asks not to be followed.
    pub is_nofollow: bool,
}

/// Returns the links of a page from `url` to pages of HTTP, in the order of the
/// page, each place once. Without `url` and an absolute `<base>` only absolute
/// links are places.
pub(crate) fn read(dom: &Dom, url: Option<&Url>) -> Vec<Link> {
    let base = base(dom, url);
    let mut links: Vec<Link> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut is_nofollow_page = false;
    for element in dom.all().filter_map(|id| dom.element(id)) {
        is_nofollow_page |= element.tag == Tag::Meta && is_nofollow_meta(element);
        let Some((kind, reference)) = reference(element) else { continue };
        let Some(place) = Url::options().base_url(base.as_ref()).parse(reference).ok().filter(is_page) else {
            continue;
        };
        let is_nofollow = words(element, "rel").any(|word| word.eq_ignore_ascii_case("nofollow"));
        match places.entry(normalise(&place)) {
            Entry::Occupied(known) => links[*known.get()].is_nofollow &= is_nofollow,
            Entry::Vacant(new) => {
                links.push(Link { url: new.key().clone(), kind, is_nofollow });
                new.insert(links.len() - 1);
            }
        }
    }
    links.iter_mut().for_each(|link| link.is_nofollow |= is_nofollow_page);
    links
}

/// Returns what the relative URLs of a page from `url` refer to: the first
/// `<base>` with an address of HTTP, else the page's own.
pub(crate) fn base(dom: &Dom, url: Option<&Url>) -> Option<Url> {
    let declared = dom.elements(NodeId::DOCUMENT, Tag::Base).find_map(|id| dom.attribute(id, "href"));
    let declared = declared.and_then(|href| Url::options().base_url(url).parse(href).ok());
    declared.filter(is_page).or_else(|| url.cloned())
}

/// Brings a URL to the form by which a crawl knows it again: without fragment,
/// user and empty query, the host without a point behind, percent-encoding in
/// capitals and only where needed. The parser has already resolved dot segments
/// and dropped default ports. The query is kept, its order too.
pub fn normalise(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    let host = host.strip_suffix('.').filter(|host| !host.is_empty()).unwrap_or(host);
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    let path = octets::normalised(url.path());
    let query = url.query().filter(|query| !query.is_empty());
    let query = query.map(|query| format!("?{}", octets::normalised(query))).unwrap_or_default();
    format!("{}://{host}{port}{path}{query}", url.scheme())
}

fn is_page(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https") && url.has_host()
}

fn reference(element: &Element) -> Option<(LinkKind, &str)> {
    let (kind, name) = match element.tag {
        Tag::A | Tag::Area => (LinkKind::Anchor, "href"),
        Tag::Iframe | Tag::Frame => (LinkKind::Frame, "src"),
        Tag::Link if has_rel(element, &["canonical"]) => (LinkKind::Canonical, "href"),
        Tag::Link if has_rel(element, &["next", "prev", "previous"]) => (LinkKind::Sequence, "href"),
        _ => return None,
    };
    // An empty reference is the page itself, which nobody needs to be led to.
    element.attribute(name).filter(|reference| !reference.trim().is_empty()).map(|reference| (kind, reference))
}

fn has_rel(element: &Element, names: &[&str]) -> bool {
    words(element, "rel").any(|word| names.iter().any(|name| name.eq_ignore_ascii_case(word)))
}

fn words<'a>(element: &'a Element, name: &str) -> impl Iterator<Item = &'a str> {
    element.attribute(name).unwrap_or_default().split_ascii_whitespace()
}

/// Whether a `<meta name=robots>` asks not to follow the page's links.
fn is_nofollow_meta(element: &Element) -> bool {
    let is_robots = element.attribute("name").is_some_and(|name| name.trim().eq_ignore_ascii_case("robots"));
    let mut asked = element.attribute("content").unwrap_or_default().split(',').map(str::trim);
    is_robots && asked.any(|word| word.eq_ignore_ascii_case("nofollow") || word.eq_ignore_ascii_case("none"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn links(html: &str) -> Vec<Link> {
        let url = Url::parse("https://site.test/dir/page?x=1").expect("a URL");
        read(&Dom::parse(html), Some(&url))
    }

    fn urls(html: &str) -> Vec<String> {
        links(html).into_iter().map(|link| link.url).collect()
    }

    #[test]
    fn only_pages_of_http_are_led_to() {
        let html = "<a href='javascript:go()'>a</a><a href=mailto:ann@site.test>b</a><a href=''>c</a><a>d</a>\
            <a href='data:text/html,x'>e</a><a href=' \n/f g\t'>f</a><a href=//other.test/h>g</a><a href='http://'>i</a>";
        assert_eq!(urls(html), ["https://site.test/f%20g", "https://other.test/h"]);
    }

    #[test]
    fn each_place_comes_once_in_the_order_of_the_page() {
        let html = "<link rel='next' href='?p=2'><a href='./a#one'>1</a><a href='../dir/a#two' rel=nofollow>2</a>\
            <map><area href=b></map><iframe src=c></iframe><a href='?p=2'>3</a><link rel=stylesheet href=s.css>";
        let found = links(html);
        let kinds: Vec<_> =
            found.iter().map(|link| (link.url.rsplit('/').next().unwrap_or_default(), link.kind)).collect();
        let expected = [
            ("page?p=2", LinkKind::Sequence),
            ("a", LinkKind::Anchor),
            ("b", LinkKind::Anchor),
            ("c", LinkKind::Frame),
        ];
        assert_eq!(kinds, expected);
        assert!(found.iter().all(|link| !link.is_nofollow), "one of the two links may be followed");
    }

    #[test]
    fn a_page_or_a_link_may_ask_not_to_be_followed() {
        let is_nofollow = |html| links(html).iter().map(|link| link.is_nofollow).collect::<Vec<_>>();
        assert_eq!(is_nofollow("<a href=a rel='ugc NoFollow'>1</a><a href=b>2</a>"), [true, false]);
        assert_eq!(is_nofollow("<a href=a>1</a><meta name=Robots content='noindex, nofollow'>"), [true]);
    }

    #[test]
    fn a_base_changes_what_links_refer_to() {
        assert_eq!(urls("<base href=/other/><a href=a>1</a>"), ["https://site.test/other/a"]);
        assert_eq!(urls("<base href='javascript:x'><a href=a>1</a>"), ["https://site.test/dir/a"]);
        assert!(read(&Dom::parse("<a href=a>1</a>"), None).is_empty());
    }

    #[test]
    fn urls_have_one_form() {
        for (url, form) in [
            ("HTTPS://Site.Test:443/a/../b#c", "https://site.test/b"),
            ("http://ann:pw@site.test:8080", "http://site.test:8080/"),
            ("https://site.test./?", "https://site.test/"),
            ("https://site.test/%7eann/%c3%a9?b=%2f&a=1", "https://site.test/~ann/%C3%A9?b=%2F&a=1"),
            ("https://münchen.test/ü", "https://xn--mnchen-3ya.test/%C3%BC"),
        ] {
            assert_eq!(normalise(&Url::parse(url).expect("a URL")), form, "{url}");
        }
    }

    #[test]
    fn many_links_take_linear_time() {
        let html: String = (0..50_000).map(|at| format!("<a href=/{}>", at % 1_000)).collect();
        assert_eq!(links(&html).len(), 1_000);
    }
}
