use serde::Serialize;

use super::Found;
use crate::dom::{Dom, Element, NodeId, Tag};

/// What an image is for, as far as the page's tree tells; where a browser has
/// laid the page out, sizes and places tell more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// In the page's header or navigation, or called so.
    Logo,
    /// Large, at the top.
    Hero,
    /// In a product, an item or a card.
    Product,
    /// A square of at most 64 pixels.
    Icon,
    Decorative,
}

/// Pixels of an icon's side at most, and of a hero's width and height at least.
const ICON: u32 = 64;
const HERO_WIDTH: u32 = 600;
const HERO_HEIGHT: u32 = 200;

/// Images of the content among which one is taken to be above the fold: without
/// layout only the order of the page tells.
const TOP_IMAGES: usize = 3;

/// Pixels from the top above which an image is seen first, on the screen of our
/// browsers.
const FOLD: i32 = 800;

/// Elements around an image whose names say what it is part of.
const MAX_AROUND: usize = 6;

/// Gives the images of a page their roles, in its order.
#[derive(Debug, Default)]
pub(super) struct Roles {
    seen: usize,
}

impl Roles {
    pub(super) fn of(&mut self, dom: &Dom, id: NodeId, found: &Found) -> Role {
        if is_called_logo(dom, id, found) || is_in_page_header(dom, id) {
            return Role::Logo;
        }
        let square = found.width.filter(|width| found.height == Some(*width));
        if square.is_some_and(|side| side <= ICON) {
            return Role::Icon;
        }
        self.seen += 1;
        let is_on_top = found.top.map_or(self.seen <= TOP_IMAGES, |top| top < FOLD);
        if is_near(dom, id, &["hero", "jumbotron", "billboard"]) || (is_on_top && is_large(found)) {
            return Role::Hero;
        }
        let is_product = is_near(dom, id, &["product", "products", "item", "card"]) || is_in_described_product(dom, id);
        if is_product { Role::Product } else { Role::Decorative }
    }
}

fn is_large(found: &Found) -> bool {
    found.width.is_some_and(|width| width >= HERO_WIDTH) && found.height.is_none_or(|height| height >= HERO_HEIGHT)
}

fn is_called_logo(dom: &Dom, id: NodeId, found: &Found) -> bool {
    const NAMES: [&str; 4] = ["logo", "logotype", "wordmark", "brandmark"];
    let own = dom.element(id).is_some_and(|element| words(element).any(|word| is_one_of(word, &NAMES)));
    own || found.alt.split(|c: char| !c.is_alphanumeric()).any(|word| is_one_of(word, &NAMES))
}

/// Whether it is in a header or navigation of the page; the header of an article
/// holds the article's picture.
fn is_in_page_header(dom: &Dom, id: NodeId) -> bool {
    let is_header = |around: &NodeId| {
        let role = dom.attribute(*around, "role").unwrap_or_default();
        matches!(dom.tag(*around), Some(Tag::Header | Tag::Nav)) || matches!(role, "banner" | "navigation")
    };
    let is_article = |around: NodeId| matches!(dom.tag(around), Some(Tag::Article | Tag::Main));
    dom.ancestors(id)
        .find(is_header)
        .is_some_and(|header| dom.is(header, Tag::Nav) || !dom.ancestors(header).any(is_article))
}

fn is_near(dom: &Dom, id: NodeId, names: &[&str]) -> bool {
    let around = std::iter::once(id).chain(dom.ancestors(id)).take(MAX_AROUND);
    let mut elements = around.filter_map(|id| dom.element(id)).filter(|element| element.tag != Tag::Body);
    elements.any(|element| words(element).any(|word| is_one_of(word, names)))
}

fn is_in_described_product(dom: &Dom, id: NodeId) -> bool {
    dom.ancestors(id).any(|around| dom.attribute(around, "itemtype").is_some_and(|kind| kind.ends_with("/Product")))
}

fn words(element: &Element) -> impl Iterator<Item = &str> {
    let values = [element.attribute("class"), element.attribute("id")];
    values.into_iter().flatten().flat_map(|value| value.split(|c: char| !c.is_ascii_alphanumeric()))
}

fn is_one_of(word: &str, names: &[&str]) -> bool {
    names.iter().any(|name| name.eq_ignore_ascii_case(word))
}
