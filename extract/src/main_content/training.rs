//! What the models are learned from, for `extract/training`.

use url::Url;

use crate::dom::{Dom, NodeId};

use super::blocks::Block;
use super::context::Context;
use super::features::Describer;
use super::outline::Outline;
use super::vocabulary::UNSEEN;
use super::{page_type, unscripted};

/// A page as the models see it.
#[derive(Debug)]
pub struct Described {
    /// The page in numbers.
    pub page: Vec<f32>,
    /// The blocks in numbers, a row a block, without those of the page.
    pub rows: Vec<f32>,
    /// Numbers in a row.
    pub width: usize,
    /// The text of the blocks.
    pub texts: Vec<String>,
    /// Whether a block is within something that is not shown.
    pub hidden: Vec<bool>,
}

/// Describes a page.
pub fn describe(html: &str, url: Option<&Url>) -> Described {
    let dom = read(html);
    let outline = Outline::of(&dom);
    let list = &outline.blocks.list;
    let mut describer = Describer::new(&outline, &[]);
    let mut rows = Vec::new();
    (0..list.len()).for_each(|at| describer.describe(at, &mut rows));
    let is_hidden = |block: &Block| {
        let mut around = std::iter::once(block.inner).chain(dom.ancestors(block.inner));
        around.any(|id| outline.marks(id) & UNSEEN != 0)
    };
    Described {
        page: page_type::describe(&outline, url),
        width: rows.len() / list.len().max(1),
        rows,
        texts: list.iter().map(|block| text(&dom, block.first, block.last)).collect(),
        hidden: list.iter().map(is_hidden).collect(),
    }
}

/// Describes the blocks for the second look, given what the first made of them;
/// takes as many numbers as the page has blocks.
pub fn describe_again(html: &str, first: &mut impl Iterator<Item = f32>) -> Vec<f32> {
    let dom = read(html);
    let outline = Outline::of(&dom);
    let describer = Describer::new(&outline, &[]);
    let first: Vec<f32> = first.take(outline.blocks.list.len()).collect();
    let context = Context::of(&outline, describer.groups(), &first);
    let mut numbers = Vec::new();
    (0..first.len()).for_each(|at| context.write(at, &mut numbers));
    numbers
}

fn read(html: &str) -> Dom {
    let dom = Dom::parse(html);
    unscripted::read(&dom).unwrap_or(dom)
}

fn text(dom: &Dom, first: NodeId, last: NodeId) -> String {
    dom.through(first, last).filter_map(|id| dom.text(id)).collect::<Vec<_>>().join(" ")
}

/// Returns the text of the main content as the present models find it.
pub fn extract(html: &str, url: Option<&Url>) -> String {
    let dom = read(html);
    crate::text::of(&dom, &super::read(&dom, url).selection)
}
