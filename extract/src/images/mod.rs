//! The images of a page: of `<img>`, `<picture>` and inline styles, lazily
//! loaded or not.

mod role;
mod srcset;
mod style;

#[cfg(test)]
mod tests;

use std::collections::HashSet;

use serde::Serialize;
use url::Url;

use crate::dom::{Dom, Element, NodeId, Tag};
use crate::{links, plain};

pub use role::Role;

/// Bytes of a `<noscript>` that is parsed for the image it shows without
/// scripts.
const MAX_FALLBACK: usize = 16 * 1024;

/// An image of a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Image {
    /// Absolute.
    pub url: String,
    /// Empty where there is none.
    pub alt: String,
    /// CSS pixels, as declared.
    pub width: Option<u32>,
    pub height: Option<u32>,
    pub role: Role,
}

/// Returns the images of a page from `url` in its order, each URL once; those
/// whose bytes are in a `data:` URL are left out.
pub(crate) fn read(dom: &Dom, url: Option<&Url>) -> Vec<Image> {
    let base = links::base(dom, url);
    let mut gallery = Gallery { base: base.as_ref(), images: Vec::new(), urls: HashSet::new() };
    let mut roles = role::Roles::default();
    for id in dom.all() {
        let Some(element) = dom.element(id) else { continue };
        match element.tag {
            Tag::Img => gallery.image(dom, id, element, &mut roles),
            Tag::Source => gallery.source(dom, id, element, &mut roles),
            Tag::Noscript => gallery.fallback(dom, id, &mut roles),
            _ => {}
        }
        if let Some(references) = backgrounds(element) {
            let found = Found { references, ..Found::of(element) };
            gallery.add(found, |found| roles.of(dom, id, found));
        }
    }
    gallery.images
}

/// What one element shows.
struct Found {
    references: Vec<String>,
    alt: String,
    width: Option<u32>,
    height: Option<u32>,
    /// Pixels from the document's top, where a browser has laid it out.
    top: Option<i32>,
}

impl Found {
    fn of(element: &Element) -> Self {
        let alt = element.attribute("alt").or_else(|| element.attribute("aria-label")).and_then(plain::line);
        let pixels = |name: &str| element.attribute(name).and_then(pixels);
        let layout = layout(element);
        Self {
            references: Vec::new(),
            alt: alt.unwrap_or_default(),
            width: pixels("width").or(layout.map(|layout| layout.width)),
            height: pixels("height").or(layout.map(|layout| layout.height)),
            top: layout.map(|layout| layout.top),
        }
    }

    fn is_pixel(&self) -> bool {
        self.width.is_some_and(|width| width <= 1) || self.height.is_some_and(|height| height <= 1)
    }
}

/// Where a browser has put an image.
#[derive(Debug, Clone, Copy)]
struct Layout {
    top: i32,
    width: u32,
    height: u32,
}

/// Reads `data-layout="x y width height"`, as our browsers write it. An image
/// without an area is not laid out, which says nothing of its size.
fn layout(element: &Element) -> Option<Layout> {
    let mut sides = element.attribute("data-layout")?.split(' ').map(|side| side.parse::<i32>().ok());
    let [_, top, width, height] = [sides.next()??, sides.next()??, sides.next()??, sides.next()??];
    let (width, height) = (u32::try_from(width).ok()?, u32::try_from(height).ok()?);
    (width > 0 && height > 0).then_some(Layout { top, width, height })
}

struct Gallery<'a> {
    base: Option<&'a Url>,
    images: Vec<Image>,
    urls: HashSet<String>,
}

impl Gallery<'_> {
    fn image(&mut self, dom: &Dom, id: NodeId, element: &Element, roles: &mut role::Roles) {
        let found = Found { references: references(element), ..Found::of(element) };
        self.add(found, |found| roles.of(dom, id, found));
    }

    /// A `<source>` of a `<picture>` has its alternative text from the `<img>`.
    fn source(&mut self, dom: &Dom, id: NodeId, element: &Element, roles: &mut role::Roles) {
        let Some(picture) = dom.parent(id).filter(|parent| dom.is(*parent, Tag::Picture)) else { return };
        let image = dom.elements(picture, Tag::Img).next().and_then(|image| dom.element(image));
        let mut found = Found::of(image.unwrap_or(element));
        found.references = sets(element).collect();
        self.add(found, |found| roles.of(dom, id, found));
    }

    /// Adds the image that a page without scripts would show. The pixels that
    /// count visitors are no images.
    fn fallback(&mut self, dom: &Dom, id: NodeId, roles: &mut role::Roles) {
        let html = dom.raw_text(id);
        if html.len() > MAX_FALLBACK || !html.contains("<img") {
            return;
        }
        let inner = Dom::parse(&html);
        for image in inner.elements(NodeId::DOCUMENT, Tag::Img) {
            let Some(element) = inner.element(image) else { continue };
            let found = Found { references: references(element), ..Found::of(element) };
            if !found.is_pixel() {
                self.add(found, |found| roles.of(dom, id, found));
            }
        }
    }

    fn add(&mut self, found: Found, role: impl FnOnce(&Found) -> Role) {
        let resolved = found.references.iter().filter_map(|reference| self.absolute(reference));
        let urls: Vec<String> = resolved.filter(|url| !self.urls.contains(url)).collect();
        if urls.is_empty() {
            return;
        }
        let role = role(&found);
        for url in urls {
            if self.urls.insert(url.clone()) {
                let (alt, width, height) = (found.alt.clone(), found.width, found.height);
                self.images.push(Image { url, alt, width, height, role });
            }
        }
    }

    fn absolute(&self, reference: &str) -> Option<String> {
        let url = Url::options().base_url(self.base).parse(reference.trim()).ok()?;
        let is_image = matches!(url.scheme(), "http" | "https") && !reference.trim().is_empty();
        is_image.then(|| url.into())
    }
}

/// Returns what an `<img>` shows: its source, or the one that a script would give
/// it, and the best of its sets.
fn references(element: &Element) -> Vec<String> {
    const LAZY: [&str; 8] = [
        "data-src",
        "data-lazy-src",
        "data-original",
        "data-lazy",
        "data-original-src",
        "data-hi-res-src",
        "data-full-src",
        "data-img-src",
    ];
    let filled = |name: &&str| element.attribute(name).filter(|value| !value.trim().is_empty());
    // What stands in `src` until then is a placeholder.
    let source = LAZY.iter().find_map(filled).or_else(|| filled(&"src"));
    source.map(str::to_owned).into_iter().chain(sets(element)).collect()
}

fn sets(element: &Element) -> impl Iterator<Item = String> {
    let names = ["srcset", "data-srcset", "data-lazy-srcset"];
    names.into_iter().filter_map(|name| srcset::best(element.attribute(name)?)).map(str::to_owned)
}

/// Returns the images behind an element, or nothing where it has no style for
/// them.
fn backgrounds(element: &Element) -> Option<Vec<String>> {
    let styled = element.attribute("style").map(style::backgrounds).unwrap_or_default();
    let lazy = ["data-bg", "data-background-image", "data-background", "data-bg-src"];
    let lazy = lazy.iter().filter_map(|name| element.attribute(name)).map(style::address);
    // A colour or a name of a class is no address.
    let lazy = lazy.filter(|value| value.contains(['/', '.']) && !value.contains(' '));
    let found: Vec<String> = styled.into_iter().chain(lazy).collect();
    (!found.is_empty()).then_some(found)
}

/// Reads a size: digits at the start, as browsers do; a share of the page is
/// none.
fn pixels(value: &str) -> Option<u32> {
    let value = value.trim();
    let end = value.find(|c: char| !c.is_ascii_digit()).unwrap_or(value.len());
    value[..end].parse().ok().filter(|_| !value[end..].trim_start().starts_with('%'))
}
