//! Pages that are built by scripts and carry a copy of their content for
//! readers without them.

use crate::dom::{Dom, NodeId, Tag};

use super::blocks;

/// Bytes of a `<noscript>` worth reading: notices and tracking pixels are shorter.
const WORTH_READING: usize = 1000;

/// Bytes of visible text with which a page speaks for itself.
const SPEAKS_FOR_ITSELF: usize = 1500;

/// Returns the page that readers without scripts get, where the page itself has
/// next to no text and its largest `<noscript>` has more. Forum software
/// (Discourse, Flarum) serves its threads so.
pub(crate) fn read(dom: &Dom) -> Option<Dom> {
    let candidates = dom.elements(dom.body(), Tag::Noscript);
    let text = candidates.map(|id| dom.raw_text(id)).max_by_key(String::len)?;
    if text.len() < WORTH_READING || visible(dom) > SPEAKS_FOR_ITSELF {
        return None;
    }
    let copy = Dom::parse(&text);
    (visible(&copy) > visible(dom)).then_some(copy)
}

/// Returns the bytes of text outside of scripts and the like.
fn visible(dom: &Dom) -> usize {
    let (mut bytes, mut behind) = (0, NodeId::DOCUMENT);
    for id in dom.descendants(dom.body()) {
        if id < behind {
            continue;
        }
        if dom.tag(id).is_some_and(blocks::is_machinery) {
            behind = dom.end(id);
        }
        bytes += dom.text(id).map_or(0, |text| text.trim().len());
    }
    bytes
}
