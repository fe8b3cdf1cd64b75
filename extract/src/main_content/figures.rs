//! Pictures of the main content. What they say is little, so that they are
//! easily taken for something beside it; where they stand says more.

use crate::dom::{Dom, NodeId, Selection, Tag};

use super::blocks;
use super::outline::Outline;
use super::vocabulary;

/// Words of content around a picture that make it one of the content's.
const WORDS_AROUND: u32 = 40;
/// The most words of a caption.
const CAPTION_WORDS: u32 = 60;
/// CSS pixels up to which a picture is an icon.
const ICON: u32 = 64;

/// Returns what is to be taken back in for the pictures that were left out from
/// among content, with their captions.
pub(super) fn left_out(outline: &Outline, stays: &[bool], selection: &Selection) -> Vec<NodeId> {
    let dom = outline.dom;
    let mut nodes = Vec::new();
    let mut behind = NodeId::DOCUMENT;
    for id in dom.descendants(dom.body()) {
        if id < behind || !is_picture(dom, id) {
            continue;
        }
        let around = dom.ancestors(id).filter(|up| selection.is_left_out(*up)).last();
        let Some(outermost) = around.or(Some(id).filter(|id| selection.is_left_out(*id))) else { continue };
        behind = dom.end(outermost);
        if is_among_content(outline, stays, outermost) {
            nodes.extend(dom.subtree(outermost).filter(|id| !is_never_shown(dom, *id)));
        }
    }
    nodes
}

fn is_picture(dom: &Dom, id: NodeId) -> bool {
    let is_icon =
        |name| dom.attribute(id, name).and_then(|size| size.parse().ok()).is_some_and(|size: u32| size <= ICON);
    dom.is(id, Tag::Figure) || dom.is(id, Tag::Img) && !is_icon("width") && !is_icon("height")
}

/// Whether a part of the page is a picture with a caption at most, and content
/// stands before it and behind it in the same place.
fn is_among_content(outline: &Outline, stays: &[bool], part: NodeId) -> bool {
    let dom = outline.dom;
    let Some(place) = dom.parent(part) else { return false };
    let (inside, around) = (outline.range(part), outline.range(place));
    let words = |range: std::ops::Range<usize>, only_kept: bool| -> u32 {
        let list = outline.blocks.list[range.clone()].iter().zip(&stays[range]);
        list.filter(|(_, stays)| **stays || !only_kept).map(|(block, _)| block.stats.words).sum()
    };
    let (before, after) = (words(around.start..inside.start, true), words(inside.end..around.end, true));
    !is_aside(dom, part)
        && before > 0
        && after > 0
        && before + after >= WORDS_AROUND
        && words(inside.clone(), false) <= CAPTION_WORDS
        && !is_link_list(dom, part)
}

fn is_aside(dom: &Dom, part: NodeId) -> bool {
    matches!(dom.tag(part), Some(Tag::Aside | Tag::Nav | Tag::Footer | Tag::Header | Tag::Form))
}

/// Whether it leads to several places: a picture leads to its larger self at
/// most.
fn is_link_list(dom: &Dom, part: NodeId) -> bool {
    dom.elements(part, Tag::A).nth(2).is_some()
}

fn is_never_shown(dom: &Dom, id: NodeId) -> bool {
    dom.element(id).is_some_and(|element| blocks::is_machinery(element.tag) || vocabulary::is_hidden(element))
}
