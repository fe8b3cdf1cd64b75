//! From what each block is taken for to what of the page stays.

use crate::dom::{Dom, NodeId, Selection, Tag};

use super::blocks::{self, Block};
use super::outline::{Outline, float, share};
use super::vocabulary;

/// Part of the best F1 to be expected from which a block stays: half in theory
/// (Lipton, Elkan and Narayanaswamy, "Optimal thresholding of classifiers to
/// maximize F1 measure", 2014), a little more where chances are estimates.
const PART_OF_BEST: f32 = 0.54;

/// The chance below which no block stays, however unclear the page: shells that
/// scripts fill, walls and challenges have no content.
const LOWEST: f32 = 0.15;

/// Words up to which a page is shown whole rather than not at all.
const SHORT_PAGE: f32 = 30.0;

/// Returns which blocks stay, for the best F1 that can be expected of the page.
pub(super) fn choose(list: &[Block], chances: &[f32]) -> Vec<bool> {
    let mut order: Vec<(f32, f32)> =
        list.iter().zip(chances).map(|(block, chance)| (*chance, float(block.stats.words))).collect();
    order.sort_unstable_by(|one, other| other.0.total_cmp(&one.0));
    let highest = order.first().map_or(0.0, |(chance, _)| *chance);
    let expected: f32 = order.iter().map(|(chance, words)| chance * words).sum();
    let total: f32 = order.iter().map(|(_, words)| words).sum();
    let lowest = if total <= SHORT_PAGE { 0.0 } else { LOWEST };
    let (mut right, mut taken, mut best) = (0.0f32, 0.0f32, 0.0f32);
    for (chance, words) in order {
        right += chance * words;
        taken += words;
        best = best.max(2.0 * right / (taken + expected).max(1.0));
    }
    let threshold = (best * PART_OF_BEST).max(lowest);
    // With estimates above one half the most likely block may miss it.
    let threshold = if total <= SHORT_PAGE { threshold.min(highest) } else { threshold };
    chances.iter().map(|chance| *chance >= threshold).collect()
}

/// Part of the words of a table of data from which it stays whole.
const WHOLE_TABLE: f32 = 0.6;

/// Takes tables of data as a whole: a row alone says little.
pub(super) fn whole_tables(outline: &Outline, stays: &mut [bool]) {
    let dom = outline.dom;
    for table in dom.elements(dom.body(), Tag::Table) {
        let range = outline.range(table);
        let list = &outline.blocks.list[range.clone()];
        let in_rows = list.iter().filter(|block| dom.is(block.container, Tag::Tr));
        if in_rows.count() * 4 < list.len() * 3 {
            continue;
        }
        let words = |wanted: bool| -> u32 {
            let kept = list.iter().zip(&stays[range.clone()]).filter(|(_, stays)| **stays || !wanted);
            kept.map(|(block, _)| block.stats.words).sum()
        };
        if share(words(true), words(false)) >= WHOLE_TABLE {
            stays[range].fill(true);
        }
    }
}

/// Returns the page without the blocks that do not stay. What has no text, such
/// as an image, stays beside a block that does.
pub(super) fn selection(outline: &Outline, stays: &[bool]) -> Selection {
    let dom = outline.dom;
    let mut selection = Selection::new(dom, vec![dom.body()]);
    let mut kept = vec![0];
    kept.extend(stays.iter().scan(0, |sum, stays| {
        *sum += u32::from(*stays);
        Some(*sum)
    }));
    let mut behind = NodeId::DOCUMENT;
    for id in dom.descendants(dom.body()) {
        if id < behind || dom.text(id).is_some() {
            continue;
        }
        let range = outline.range(id);
        let is_wanted = if dom.tag(id).is_some_and(blocks::is_machinery) {
            false
        } else if range.is_empty() {
            let beside = range.start.checked_sub(1).into_iter().chain([range.start]);
            is_of_block(outline, id) || beside.filter_map(|at| stays.get(at)).any(|stays| *stays)
        } else {
            kept[range.end] > kept[range.start]
        };
        if !is_wanted {
            selection.leave_out(id);
            behind = dom.end(id);
        }
    }
    for (block, _) in outline.blocks.list.iter().zip(stays).filter(|(_, stays)| !**stays) {
        leave_out_run(outline, block, &mut selection);
    }
    selection
}

/// Whether an element without a block's beginning holds text of a block begun
/// before it.
fn is_of_block(outline: &Outline, id: NodeId) -> bool {
    let dom = outline.dom;
    let begun = outline.range(id).start;
    let before = begun.checked_sub(1).and_then(|at| outline.blocks.list.get(at));
    before.is_some_and(|block| id <= block.last && dom.contains(block.container, id))
}

/// Leaves out the text of a run and the inline elements that are within it.
fn leave_out_run(outline: &Outline, block: &Block, selection: &mut Selection) {
    let dom = outline.dom;
    let mut behind = NodeId::DOCUMENT;
    for id in dom.through(block.first, block.last) {
        if id < behind {
            continue;
        }
        let outermost = outermost_inline(outline, dom, block, id);
        selection.leave_out(outermost);
        behind = dom.end(outermost);
    }
}

fn outermost_inline(outline: &Outline, dom: &Dom, block: &Block, id: NodeId) -> NodeId {
    let around = dom.ancestors(id).take_while(|up| *up != block.container && !outline.blocks.holds_edge(*up));
    around.last().unwrap_or(id)
}

/// Returns all of a page but its machinery and what it does not show.
pub(super) fn everything(dom: &Dom) -> Selection {
    let mut selection = Selection::new(dom, vec![dom.body()]);
    for id in dom.descendants(dom.body()) {
        if dom.element(id).is_some_and(|element| blocks::is_machinery(element.tag) || vocabulary::is_hidden(element)) {
            selection.leave_out(id);
        }
    }
    selection
}
