//! A page cut into blocks: runs of text that stand on lines of their own.

use crate::dom::{Dom, Kind, NodeId, Tag};

use super::text_stats::TextStats;

/// A run of text with no block's edge within it.
#[derive(Debug, Clone)]
pub(super) struct Block {
    /// The element whose edges begin and end the run.
    pub(super) container: NodeId,
    /// The innermost node around all of the run's text.
    pub(super) inner: NodeId,
    /// The first and last text of the run.
    pub(super) first: NodeId,
    pub(super) last: NodeId,
    pub(super) stats: TextStats,
}

/// The blocks of a page in document order, and what holds a block's edge.
#[derive(Debug)]
pub(super) struct Blocks {
    pub(super) list: Vec<Block>,
    /// Whether a node is a block or holds one, by node.
    holds_edge: Vec<bool>,
}

/// Never read: what it holds is no text of the page, or is its machinery.
pub(super) fn is_machinery(tag: Tag) -> bool {
    matches!(
        tag,
        Tag::Head
            | Tag::Script
            | Tag::Style
            | Tag::Noscript
            | Tag::Template
            | Tag::Svg
            | Tag::Iframe
            | Tag::Object
            | Tag::Embed
            | Tag::Canvas
            | Tag::Audio
            | Tag::Video
            | Tag::Select
            | Tag::Textarea
            | Tag::Title
            | Tag::Map
    )
}

fn is_edge(tag: Tag) -> bool {
    tag.is_block() || matches!(tag, Tag::Button | Tag::Label | Tag::Main | Tag::Table)
}

impl Blocks {
    pub(super) fn of(dom: &Dom) -> Self {
        let holds_edge = edges(dom);
        let mut reader =
            Reader { dom, holds_edge: &holds_edge, open: Vec::new(), run: None, links: 0, list: Vec::new() };
        reader.read();
        let list = reader.list;
        Self { list, holds_edge }
    }

    pub(super) fn holds_edge(&self, id: NodeId) -> bool {
        self.holds_edge[id.index()]
    }
}

/// Marks the nodes that are blocks or hold one, from the last to the first.
/// Cells are none by themselves: a row of plain cells is one block.
fn edges(dom: &Dom) -> Vec<bool> {
    let mut holds = vec![false; dom.len()];
    for id in dom.all().rev() {
        let Some(tag) = dom.tag(id) else { continue };
        holds[id.index()] |= is_edge(tag);
        if holds[id.index()]
            && let Some(parent) = dom.parent(id)
        {
            holds[parent.index()] = true;
        }
    }
    holds
}

struct Reader<'a> {
    dom: &'a Dom,
    holds_edge: &'a [bool],
    /// Elements entered, with whether they end runs.
    open: Vec<(NodeId, bool)>,
    run: Option<Block>,
    links: usize,
    list: Vec<Block>,
}

impl Reader<'_> {
    fn read(&mut self) {
        let mut nodes = self.dom.subtree(self.dom.body());
        let mut next = nodes.next();
        while let Some(id) = next {
            self.leave_until(id);
            let skipped = match self.dom.kind(id) {
                Kind::Text(text) => {
                    self.text(id, text);
                    false
                }
                Kind::Element(element) if is_machinery(element.tag) => true,
                Kind::Element(element) => {
                    self.enter(id, element.tag);
                    false
                }
                Kind::Document => {
                    self.open.push((id, true));
                    false
                }
            };
            next = if skipped { nodes.find(|node| *node >= self.dom.end(id)) } else { nodes.next() };
        }
        self.end_run();
    }

    fn leave_until(&mut self, id: NodeId) {
        while let Some((inmost, ends)) = self.open.last().copied()
            && !self.dom.contains(inmost, id)
        {
            self.open.pop();
            self.links -= usize::from(self.dom.is(inmost, Tag::A));
            if ends {
                self.end_run();
            }
        }
    }

    fn enter(&mut self, id: NodeId, tag: Tag) {
        // A cell beside one that holds blocks is on its own as well.
        let in_divided_row = || matches!(tag, Tag::Td | Tag::Th) && self.row_is_divided(id);
        let ends = self.holds_edge[id.index()] || in_divided_row();
        self.links += usize::from(tag == Tag::A);
        if ends {
            self.end_run();
        }
        if tag == Tag::Br
            && let Some(run) = &mut self.run
        {
            run.stats.breaks += 1;
        }
        self.open.push((id, ends));
    }

    fn row_is_divided(&self, cell: NodeId) -> bool {
        let row = self.dom.parent(cell).filter(|row| self.dom.is(*row, Tag::Tr));
        row.is_some_and(|row| self.dom.children(row).take(8).any(|cell| self.holds_edge[cell.index()]))
    }

    fn text(&mut self, id: NodeId, text: &str) {
        if text.bytes().all(|byte| byte.is_ascii_whitespace()) {
            return;
        }
        let container = self.open.iter().rev().find(|(_, ends)| *ends).map_or(NodeId::DOCUMENT, |(id, _)| *id);
        let inner = self.open.last().map_or(container, |(id, _)| *id);
        let run = self.run.get_or_insert_with(|| Block {
            container,
            inner,
            first: id,
            last: id,
            stats: TextStats::default(),
        });
        run.last = id;
        while !self.dom.contains(run.inner, id) {
            run.inner = self.dom.parent(run.inner).unwrap_or(NodeId::DOCUMENT);
        }
        run.stats.read(text, self.links > 0);
    }

    fn end_run(&mut self) {
        if let Some(run) = self.run.take()
            && run.stats.chars > 0
        {
            self.list.push(run);
        }
    }
}
