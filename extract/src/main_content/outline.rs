//! A page's blocks with what is known of the elements around them, so that the
//! counts of any element are at hand without reading it again.

use crate::dom::{Dom, NodeId, Tag};

use super::blocks::{Block, Blocks};
use super::text_stats::TextStats;
use super::vocabulary::{self, Marks};

/// Words from which a block reads like prose, where few of them are links.
const PROSE_WORDS: u32 = 12;

/// Counts over some blocks that follow each other.
#[derive(Debug, Clone, Default)]
pub(super) struct Sums {
    pub(super) text: TextStats,
    pub(super) blocks: u32,
    /// Words of blocks that read like prose.
    pub(super) prose: u32,
}

impl Sums {
    fn add(&mut self, block: &Block) {
        self.text.add_counts(&block.stats);
        self.blocks += 1;
        if is_prose(block) {
            self.prose += block.stats.words;
        }
    }

    pub(super) fn link_share(&self) -> f32 {
        share(self.text.link_words, self.text.words)
    }
}

pub(super) fn is_prose(block: &Block) -> bool {
    let stats = &block.stats;
    stats.words >= PROSE_WORDS && stats.link_words * 3 < stats.words && stats.joints * 10 > stats.words
}

/// Returns a part of a whole; 0 of nothing.
pub(super) fn share(part: u32, whole: u32) -> f32 {
    if whole == 0 { 0.0 } else { float(part) / float(whole) }
}

/// Counts of a page are far below 2^24, up to which the type is exact.
#[expect(clippy::cast_precision_loss, reason = "an inexact count of millions is as good")]
pub(super) fn float(count: u32) -> f32 {
    count as f32
}

pub(super) fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[derive(Debug)]
pub(super) struct Outline<'a> {
    pub(super) dom: &'a Dom,
    pub(super) blocks: Blocks,
    /// By node: the kinds of part it is marked as.
    marks: Vec<Marks>,
    /// By node: how many of its parent's children are made like it.
    alike: Vec<u32>,
    /// By node: how many blocks begin before it.
    blocks_before: Vec<u32>,
    /// By block, and one more: the counts over all blocks before it.
    before: Vec<[u32; COUNTS]>,
}

const COUNTS: usize = 9;

impl<'a> Outline<'a> {
    pub(super) fn of(dom: &'a Dom) -> Self {
        let blocks = Blocks::of(dom);
        let marks = dom.all().map(|id| dom.element(id).map_or(0, vocabulary::marks_of)).collect();
        let (blocks_before, before) = (blocks_before(dom, &blocks.list), counts_before(&blocks.list));
        Self { dom, marks, alike: alike(dom), blocks_before, before, blocks }
    }

    pub(super) fn marks(&self, id: NodeId) -> Marks {
        self.marks[id.index()]
    }

    pub(super) fn alike(&self, id: NodeId) -> u32 {
        self.alike[id.index()]
    }

    /// Returns the blocks within an element as a range of their list.
    pub(super) fn range(&self, id: NodeId) -> std::ops::Range<usize> {
        let at = |node: usize| self.blocks_before.get(node).copied().unwrap_or_default() as usize;
        at(id.index())..at(self.dom.end(id).index())
    }

    /// Returns the counts over the blocks of a range.
    pub(super) fn sums(&self, range: std::ops::Range<usize>) -> Sums {
        let (from, to) = (&self.before[range.start], &self.before[range.end]);
        let of = |at: usize| to[at] - from[at];
        let text = TextStats {
            words: of(0),
            link_words: of(1),
            stops: of(3),
            capitals: of(4),
            joints: of(5),
            prices: of(6),
            commas: of(7),
            digits: of(8),
            ..TextStats::default()
        };
        Sums { text, blocks: count(range.len()), prose: of(2) }
    }

    pub(super) fn words(&self, range: std::ops::Range<usize>) -> u32 {
        self.before[range.end][0] - self.before[range.start][0]
    }
}

/// The last entry stands behind all nodes.
fn blocks_before(dom: &Dom, list: &[Block]) -> Vec<u32> {
    let mut starts = list.iter().map(|block| block.first).peekable();
    let mut begun = 0;
    let mut before: Vec<u32> = dom
        .all()
        .map(|id| {
            let so_far = begun;
            begun += u32::from(starts.next_if_eq(&id).is_some());
            so_far
        })
        .collect();
    before.push(begun);
    before
}

fn counts_before(list: &[Block]) -> Vec<[u32; COUNTS]> {
    let mut sums = Sums::default();
    let row = |sums: &Sums| {
        let text = &sums.text;
        [
            text.words,
            text.link_words,
            sums.prose,
            text.stops,
            text.capitals,
            text.joints,
            text.prices,
            text.commas,
            text.digits,
        ]
    };
    let mut rows = vec![row(&sums)];
    for block in list {
        sums.add(block);
        rows.push(row(&sums));
    }
    rows
}

/// Counts for each element the children of its parent that are made like it.
fn alike(dom: &Dom) -> Vec<u32> {
    let mut counts = vec![0; dom.len()];
    let mut made: Vec<(u64, NodeId)> = Vec::new();
    for parent in dom.all() {
        if dom.text(parent).is_some() || dom.is(parent, Tag::Head) {
            continue;
        }
        made.clear();
        made.extend(
            dom.children(parent).filter(|id| dom.element(*id).is_some()).map(|id| (vocabulary::likeness(dom, id), id)),
        );
        made.sort_unstable();
        for same in made.chunk_by(|one, other| one.0 == other.0) {
            same.iter().for_each(|(_, id)| counts[id.index()] = count(same.len()));
        }
    }
    counts
}
