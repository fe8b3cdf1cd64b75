//! Which parts of a page are its content.
//!
//! A page is cut into blocks: runs of text that stand on lines of their own. For
//! each, trees learned from labelled pages tell what part of its words is
//! content: first from what the block says, where it stands and what is around
//! it, then once more knowing what the first look made of its surroundings. What
//! stays is chosen for the best F1 that can be expected of the page.
//!
//! Blocks and two looks are the plan of Kohlschütter, Fankhauser and Nejdl
//! ("Boilerplate detection using shallow text features", 2010) and of Vogels,
//! Ganea and Eickhoff ("Web2Text", 2018); the numbers and the trees are our own.

mod blocks;
mod context;
mod features;
mod figures;
mod keep;
mod lexicon;
mod model;
mod outline;
mod page_type;
mod text_stats;
#[cfg(feature = "training")]
pub mod training;
mod unscripted;
mod vocabulary;

use url::Url;

use crate::dom::{Dom, NodeId, Selection};

use context::Context;
use features::Describer;
use model::MODELS;
use outline::Outline;
pub(crate) use page_type::PageType;
pub(crate) use unscripted::read as without_scripts;

/// A page's content.
#[derive(Debug)]
pub(crate) struct MainContent {
    /// Its text.
    pub(crate) selection: Selection,
    /// What is to be taken back in where pictures are shown: they and their
    /// captions.
    pub(crate) pictures: Vec<NodeId>,
    #[cfg_attr(not(test), expect(dead_code, reason = "the writers have no need of it yet"))]
    pub(crate) page_type: PageType,
}

/// Selects a page's main content; `url` is the page's own, which helps to tell
/// what kind of page it is.
pub(crate) fn read(dom: &Dom, url: Option<&Url>) -> MainContent {
    let outline = Outline::of(dom);
    let kinds = MODELS.page_type.chances(&page_type::describe(&outline, url));
    let chances = chances(&outline, &kinds);
    let mut stays = keep::choose(&outline.blocks.list, &chances);
    keep::whole_tables(&outline, &mut stays);
    let selection = keep::selection(&outline, &stays);
    let pictures = figures::left_out(&outline, &stays, &selection);
    MainContent { selection, pictures, page_type: PageType::most_likely(&kinds) }
}

/// Selects all that a page shows.
pub(crate) fn everything(dom: &Dom) -> Selection {
    keep::everything(dom)
}

/// Blocks looked at one by one. Real pages have some hundreds; behind that many,
/// those in like places are taken for what the ones before were.
const LOOKED_AT: usize = 10_000;

/// Returns for each block what part of its words is content.
fn chances(outline: &Outline, kinds: &[f32; PageType::ALL.len()]) -> Vec<f32> {
    let mut describer = Describer::new(outline, kinds);
    let groups: Vec<usize> = describer.groups().iter().map(|group| group.id).collect();
    let mut numbers = Vec::with_capacity(512);
    let first = look(&groups, |at, is_known| {
        if is_known {
            describer.pass(at);
            return 0.0;
        }
        numbers.clear();
        describer.describe(at, &mut numbers);
        MODELS.first.chance(&numbers)
    });
    let context = Context::of(outline, describer.groups(), &first);
    look(&groups, |at, is_known| {
        if is_known {
            return 0.0;
        }
        numbers.clear();
        numbers.extend(kinds);
        context.write(at, &mut numbers);
        MODELS.second.chance(&numbers)
    })
}

/// Judges all blocks, given their groups. `judge` is told where the answer is
/// known already from the group's last block.
fn look(groups: &[usize], mut judge: impl FnMut(usize, bool) -> f32) -> Vec<f32> {
    let mut known = vec![None; groups.iter().max().map_or(0, |last| last + 1)];
    let each = |(at, group): (usize, &usize)| {
        let before = known[*group].filter(|_| at >= LOOKED_AT);
        let judged = judge(at, before.is_some());
        *known[*group].insert(before.unwrap_or(judged))
    };
    groups.iter().enumerate().map(each).collect()
}
