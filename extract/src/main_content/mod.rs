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

use crate::dom::{Dom, Selection};

use context::Context;
use model::MODELS;
use outline::Outline;
pub(crate) use page_type::PageType;
pub(crate) use unscripted::read as without_scripts;

/// A page's content.
#[derive(Debug)]
pub(crate) struct MainContent {
    pub(crate) selection: Selection,
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
    MainContent { selection: keep::selection(&outline, &stays), page_type: PageType::most_likely(&kinds) }
}

/// Selects a page's main content.
pub(crate) fn select(dom: &Dom, url: Option<&Url>) -> Selection {
    read(dom, url).selection
}

/// Selects all that a page shows.
pub(crate) fn everything(dom: &Dom) -> Selection {
    keep::everything(dom)
}

/// Returns for each block what part of its words is content.
fn chances(outline: &Outline, kinds: &[f32; PageType::ALL.len()]) -> Vec<f32> {
    let (rows, groups) = features::describe(outline, kinds);
    let first: Vec<f32> = rows.iter().map(|row| MODELS.first.chance(row)).collect();
    let context = Context::of(outline, &groups, &first);
    let mut numbers = Vec::with_capacity(64);
    let second = |at| {
        numbers.clear();
        numbers.extend(kinds);
        context.write(at, &mut numbers);
        MODELS.second.chance(&numbers)
    };
    (0..first.len()).map(second).collect()
}
