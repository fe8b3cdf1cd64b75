//! What the models are learned from, for `extract/training`.

use url::Url;

use crate::dom::{Dom, NodeId};

use super::context::Context;
use super::outline::Outline;
use super::{features, page_type, unscripted};

/// A page as the models see it.
#[derive(Debug)]
pub struct Described {
    /// The page in numbers.
    pub page: Vec<f32>,
    /// The blocks in numbers, a row a block, without those of the page.
    pub rows: Vec<f32>,
    pub width: usize,
    /// The text of the blocks.
    pub texts: Vec<String>,
    pub groups: Vec<usize>,
}

/// Describes a page.
pub fn describe(html: &str, url: Option<&Url>) -> Described {
    let dom = Dom::parse(html);
    let dom = unscripted::read(&dom).unwrap_or(dom);
    let outline = Outline::of(&dom);
    let (rows, groups) = features::describe(&outline, &[]);
    let texts = outline.blocks.list.iter().map(|block| text(&dom, block.first, block.last)).collect();
    Described {
        page: page_type::describe(&outline, url),
        width: rows.width,
        rows: rows.numbers,
        texts,
        groups: groups.iter().map(|group| group.id).collect(),
    }
}

fn text(dom: &Dom, first: NodeId, last: NodeId) -> String {
    let nodes = dom.all().skip(first.index()).take(last.index() - first.index() + 1);
    nodes.filter_map(|id| dom.text(id)).collect::<Vec<_>>().join(" ")
}

/// Describes the blocks for the second look, given what the first made of them.
pub fn describe_again(html: &str, first: &[f32]) -> Vec<f32> {
    let dom = Dom::parse(html);
    let dom = unscripted::read(&dom).unwrap_or(dom);
    let outline = Outline::of(&dom);
    let (_, groups) = features::describe(&outline, &[]);
    let context = Context::of(&outline, &groups, first);
    let mut numbers = Vec::new();
    (0..first.len()).for_each(|at| context.write(at, &mut numbers));
    numbers
}
