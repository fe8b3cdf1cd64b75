//! What pages call their parts: words in `class`, `id`, `role` and `itemprop`,
//! sorted into kinds of parts.

use std::sync::LazyLock;

use crate::dom::{Dom, Element, NodeId, Tag};

/// Kinds of parts that an element can be marked as, one bit each.
pub(super) type Marks = u64;

/// Number of kinds: those of the words, then those of the tags.
pub(super) const KINDS: usize = WORDS.len() + TAG_KINDS;

const TAG_KINDS: usize = 23;

/// Words of one kind of part. Collected from the class names of common themes,
/// shop and forum software, site builders and documentation tools.
const WORDS: [&str; 34] = [
    "nav navbar navigation navigate menu menus submenu dropdown megamenu tabs tabbar sidenav topnav subnav",
    "breadcrumb breadcrumbs crumb crumbs",
    "footer foot footnav bottom colophon siteinfo",
    "header masthead topbar banner hdr appbar toolbar",
    "sidebar side aside rail widget widgets gadget secondary complementary leftcol rightcol",
    "comment comments disqus commentlist respond discussion discuss",
    "share sharing social socials follow facebook twitter whatsapp pinterest addthis addtoany sharedaddy",
    "related recommend recommended recommendation recommendations more similar also upsell upsells crosssell",
    "popular trending latest recent featured teaser teasers promo readnext next prev previous",
    "ad ads adv advert advertisement advertising sponsor sponsored sponsors banner dfp gpt taboola outbrain affiliate",
    "cookie cookies consent gdpr privacy onetrust cmp ccpa",
    "modal popup overlay dialog lightbox drawer offcanvas tooltip toast flyout popover",
    "newsletter subscribe subscription signup signin login register account optin mailchimp paywall",
    "content contents body text copy richtext rte prose entry markdown wysiwyg",
    "article post story blog news page single articlebody",
    "main primary container wrapper inner maincontent",
    "title headline heading name caption",
    "meta byline author date time published timestamp posted avatar user profile bio",
    "product products sku buy pdp price prices cart checkout variant variants swatch stock quantity qty",
    "card cards item items grid list listing listings result results tile tiles archive loop catalog collection",
    "thread threads topic topics message messages forum reply replies bbp phpbb vb question answer answers answercell",
    "tag tags category categories label labels chip chips badge term",
    "pagination pager paging paginator pages page-numbers loadmore",
    "figcaption credit credits attribution copyright legal disclaimer terms",
    "hidden hide visuallyhidden sr screenreader invisible noprint print skip collapsed",
    "search filter filters sort facet facets refine searchform",
    "rating ratings review reviews stars score feedback testimonial testimonials",
    "hero cta faq faqs feature features section intro lead summary accordion panel tab",
    "docs doc documentation reference toc onthispage code highlight snippet example admonition tutorial",
    "button btn link links action actions icon icons",
    "description desc details detail spec specs specification specifications info attributes overview",
    "job jobs event events course courses recipe ingredients directions instructions location locations",
    "signature sig quote postbody postmessage postcontent usertext",
    "gallery image images media photo photos video slider carousel swiper slick slide",
];

/// An open-addressed table of the words by hash, built once.
struct Table {
    slots: Vec<(u64, u8)>,
}

const SLOTS: usize = 1024;
const EMPTY: u8 = u8::MAX;

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut table = Table { slots: vec![(0, EMPTY); SLOTS] };
    for (kind, words) in WORDS.iter().enumerate() {
        for word in words.split(' ') {
            table.insert(hash(word), u8::try_from(kind).unwrap_or(EMPTY));
        }
    }
    table
});

impl Table {
    fn insert(&mut self, hash: u64, kind: u8) {
        let mut at = slot(hash);
        while self.slots[at].1 != EMPTY && self.slots[at].0 != hash {
            at = (at + 1) % SLOTS;
        }
        if self.slots[at].1 == EMPTY {
            self.slots[at] = (hash, kind);
        }
    }

    fn kind(&self, hash: u64) -> Option<u8> {
        let mut at = slot(hash);
        while self.slots[at].1 != EMPTY {
            if self.slots[at].0 == hash {
                return Some(self.slots[at].1);
            }
            at = (at + 1) % SLOTS;
        }
        None
    }
}

fn slot(hash: u64) -> usize {
    usize::try_from(hash >> 54).unwrap_or_default()
}

const SEED: u64 = 0xcbf2_9ce4_8422_2325;

/// FNV-1a with a last mixing step, since the upper bits choose the slot.
fn add(hash: u64, byte: u8) -> u64 {
    (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
}

fn mix(hash: u64) -> u64 {
    (hash ^ (hash >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

fn hash(word: &str) -> u64 {
    mix(word.bytes().fold(SEED, add))
}

/// Returns the kinds named by the words of an attribute. Words end at anything
/// but a letter and before a capital behind a small letter: `postBody`,
/// `post-body` and `post_body` are the same two.
fn marks_in(value: &str) -> Marks {
    let table = &*TABLE;
    let (mut marks, mut word, mut was_small) = (0, SEED, false);
    for byte in value.bytes().chain([b' ']) {
        let is_small = byte.is_ascii_lowercase();
        let begins = byte.is_ascii_uppercase() && was_small;
        if (begins || !byte.is_ascii_alphabetic()) && word != SEED {
            marks |= table.kind(mix(word)).map_or(0, |kind| 1 << kind);
            word = SEED;
        }
        if byte.is_ascii_alphabetic() {
            word = add(word, byte.to_ascii_lowercase());
        }
        was_small = is_small;
    }
    marks
}

fn tag_bit(tag: Tag) -> Option<usize> {
    let kind = match tag {
        Tag::Nav | Tag::Menu => 0,
        Tag::Header => 1,
        Tag::Footer => 2,
        Tag::Aside => 3,
        Tag::Main => 4,
        Tag::Article => 5,
        Tag::Form | Tag::Fieldset => 6,
        Tag::Section => 7,
        Tag::Table => 8,
        Tag::Ul | Tag::Ol | Tag::Dir => 9,
        Tag::Dl => 10,
        Tag::Dialog => 11,
        Tag::Blockquote | Tag::Q => 12,
        Tag::Figure => 13,
        Tag::Details => 14,
        Tag::A => 15,
        Tag::H1 => 16,
        Tag::H2 | Tag::H3 | Tag::H4 | Tag::H5 | Tag::H6 => 17,
        Tag::Button | Tag::Label | Tag::Summary => 18,
        Tag::Li => 19,
        Tag::P => 20,
        Tag::Pre | Tag::Code => 21,
        _ => return None,
    };
    Some(WORDS.len() + kind)
}

/// The kind of what is not shown.
pub(super) const UNSEEN: Marks = 1 << (KINDS - 1);

fn tag_mark(tag: Tag) -> Marks {
    tag_bit(tag).map_or(0, |bit| 1 << bit)
}

fn role_marks(role: &str) -> Marks {
    match role {
        "navigation" | "menu" | "menubar" | "tablist" => tag_mark(Tag::Nav),
        "banner" => tag_mark(Tag::Header),
        "contentinfo" => tag_mark(Tag::Footer),
        "complementary" => tag_mark(Tag::Aside),
        "main" => tag_mark(Tag::Main),
        "article" => tag_mark(Tag::Article),
        "dialog" | "alertdialog" => tag_mark(Tag::Dialog),
        "search" | "form" => tag_mark(Tag::Form),
        "button" => tag_mark(Tag::Button),
        "heading" => tag_mark(Tag::H2),
        "list" => tag_mark(Tag::Ul),
        "listitem" => tag_mark(Tag::Li),
        _ => 0,
    }
}

/// Whether a style hides what it is on. `visibility` and `opacity` are left
/// aside: pages that fade in begin with them.
fn is_hidden_by(style: &str) -> bool {
    style.split(';').any(|rule| {
        let (name, value) = rule.split_once(':').unwrap_or_default();
        name.trim().eq_ignore_ascii_case("display")
            && value.trim().get(..4).is_some_and(|v| v.eq_ignore_ascii_case("none"))
    })
}

/// Whether an element says that it is not shown.
pub(super) fn is_hidden(element: &Element) -> bool {
    element.attribute("hidden").is_some() || element.attribute("style").is_some_and(is_hidden_by)
}

/// Returns the kinds of part an element is marked as by its tag and attributes.
pub(super) fn marks_of(element: &Element) -> Marks {
    let mut marks = tag_mark(element.tag);
    for (name, value) in element.attributes() {
        marks |= match name {
            "class" | "id" | "itemprop" | "data-testid" => marks_in(value),
            "role" => role_marks(value),
            "style" if is_hidden_by(value) => UNSEEN,
            "hidden" => UNSEEN,
            "aria-hidden" if value == "true" => UNSEEN,
            _ => 0,
        };
    }
    marks
}

/// Returns a number that elements made alike share: their tag and the letters
/// of their first class.
pub(super) fn likeness(dom: &Dom, id: NodeId) -> u64 {
    let Some(element) = dom.element(id) else { return 0 };
    let class = element.attribute("class").unwrap_or_default().split_ascii_whitespace().next().unwrap_or_default();
    let letters = class.bytes().filter(u8::is_ascii_alphabetic).fold(SEED, add);
    mix(element.name.bytes().fold(letters, add))
}
