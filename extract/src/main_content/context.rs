//! What the blocks around a block were first taken for, as numbers for the
//! second look.

use crate::dom::NodeId;

use super::features::Group;
use super::outline::{Outline, count, float, share};

/// Ancestors described: each holds more words than the one before.
const RINGS: usize = 6;

/// Blocks before and behind whose judgement is given one by one.
const NEAR: usize = 3;

/// Words from which a block counts as clear.
const CLEAR_WORDS: u32 = 8;

/// The chance from which a block counts as likely content.
const LIKELY: f32 = 0.4;

/// What the first look made of a page: the part of each block's words that it
/// took for content.
pub(super) struct Context<'a> {
    outline: &'a Outline<'a>,
    first: &'a [f32],
    /// By block, and one more: words taken for content before it.
    content_before: Vec<f32>,
    /// By block, and one more: blocks before it that are likely content.
    likely_before: Vec<u32>,
    /// By group: words taken for content, and all words.
    groups: Vec<[f32; 2]>,
    group_of: &'a [Group],
    /// First and last block of some length that is content more likely than not.
    ends: (usize, usize),
    /// Part of the page's words taken for content.
    share_of_page: f32,
}

impl<'a> Context<'a> {
    pub(super) fn of(outline: &'a Outline, groups: &'a [Group], first: &'a [f32]) -> Self {
        let list = &outline.blocks.list;
        let (mut content_before, mut likely_before) = (vec![0.0], vec![0]);
        let mut likely = 0;
        let mut sums = vec![[0.0f32; 2]; groups.iter().map(|group| group.id + 1).max().unwrap_or_default()];
        let mut so_far = 0.0;
        for ((block, group), first) in list.iter().zip(groups).zip(first) {
            let words = float(block.stats.words);
            so_far += words * first;
            content_before.push(so_far);
            likely += u32::from(*first > LIKELY);
            likely_before.push(likely);
            sums[group.id][0] += words * first;
            sums[group.id][1] += words;
        }
        let clear = |at: &usize| first[*at] > 0.5 && list[*at].stats.words >= CLEAR_WORDS;
        let ends = ((0..list.len()).find(clear).unwrap_or(0), (0..list.len()).rfind(clear).unwrap_or(list.len()));
        let share_of_page = so_far / float(outline.words(0..list.len())).max(1.0);
        Self { outline, first, content_before, likely_before, groups: sums, group_of: groups, ends, share_of_page }
    }

    fn content(&self, from: usize, to: usize) -> f32 {
        self.content_before[to] - self.content_before[from]
    }

    /// Returns the part of the words of a range taken for content.
    fn part(&self, from: usize, to: usize) -> f32 {
        self.content(from, to) / float(self.outline.words(from..to)).max(0.5)
    }

    /// Writes the numbers of one block.
    pub(super) fn write(&self, at: usize, numbers: &mut Vec<f32>) {
        let len = self.first.len();
        numbers.push(self.first[at]);
        for step in 1..=NEAR {
            numbers.push(at.checked_sub(step).map_or(-1.0, |at| self.first[at]));
            numbers.push(self.first.get(at + step).copied().unwrap_or(-1.0));
        }
        for reach in [5, 15] {
            numbers.push(self.part(at.saturating_sub(reach), at));
            numbers.push(self.part((at + 1).min(len), (at + 1 + reach).min(len)));
        }
        let total = self.content_before[len].max(1.0);
        let [content, words] = self.groups[self.group_of[at].id];
        let (begin, end) = self.ends;
        numbers.extend([
            content / words.max(0.5),
            words / float(self.outline.words(0..len)).max(1.0),
            content / total,
            self.share_of_page,
            total,
            self.content_before[at] / total,
            float(count(begin.saturating_sub(at))),
            float(count(at.saturating_sub(end))),
        ]);
        self.rings(at, total, numbers);
    }

    fn rings(&self, at: usize, total: f32, numbers: &mut Vec<f32>) {
        let outline = self.outline;
        let block = &outline.blocks.list[at];
        let (mut words, mut found) = (block.stats.words, 0);
        for id in outline.dom.ancestors(block.inner) {
            let range = outline.range(id);
            let held = outline.words(range.clone());
            if held <= words || found == RINGS {
                continue;
            }
            (words, found) = (held, found + 1);
            let content = self.content(range.start, range.end);
            numbers.extend([content / float(held).max(0.5), content / total]);
        }
        numbers.extend(std::iter::repeat_n(-1.0, (RINGS - found) * 2));
        numbers.push(self.siblings(block.inner));
    }

    /// Returns the part of the blocks that are likely content, of the outermost
    /// ancestor with three children alike or more.
    fn siblings(&self, inner: NodeId) -> f32 {
        let outline = self.outline;
        let around = std::iter::once(inner).chain(outline.dom.ancestors(inner));
        let repeated = around.filter(|id| outline.alike(*id) >= 3).last();
        let Some(parent) = repeated.and_then(|id| outline.dom.parent(id)) else { return -1.0 };
        let range = outline.range(parent);
        let taken = self.likely_before[range.end] - self.likely_before[range.start];
        share(taken, count(range.len()))
    }
}
