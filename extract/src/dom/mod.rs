//! The tree that everything reads: flat, in document order, never changed.
//!
//! An element's descendants are the nodes right behind it up to its `end`, so
//! that walking, counting and skipping are walks along a vector. Whoever leaves
//! parts of a page out keeps a list of them; the tree stays whole for the others.

mod bounded;
mod builder;
mod selection;
mod tag;
mod tokenizer;

use html5ever::tendril::StrTendril;
use html5ever::{Attribute, LocalName};

pub(crate) use selection::{Selection, Step};
pub(crate) use tag::Tag;

/// A node's place in the document's order. The document itself is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct NodeId(u32);

impl NodeId {
    pub(crate) const DOCUMENT: Self = Self(0);

    /// The next in document order: what this node holds first, or what follows it.
    fn following(self) -> Self {
        Self(self.0 + 1)
    }

    /// For tables with a row per node.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Debug)]
pub(crate) enum Kind {
    Document,
    Element(Element),
    Text(StrTendril),
}

#[derive(Debug)]
pub(crate) struct Element {
    pub(crate) tag: Tag,
    /// Lower case in HTML; in SVG as the standard writes it, e.g. `linearGradient`.
    pub(crate) name: LocalName,
    attributes: Vec<Attribute>,
}

impl Element {
    /// Returns an attribute's value as it stands, empty or not.
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|attribute| &*attribute.name.local == name).map(|attribute| &*attribute.value)
    }

    /// Returns the attributes in the order of the page.
    pub(crate) fn attributes(&self) -> impl Iterator<Item = (&str, &str)> {
        self.attributes.iter().map(|attribute| (&*attribute.name.local, &*attribute.value))
    }
}

#[derive(Debug)]
struct Node {
    parent: NodeId,
    /// The first node behind the last descendant.
    end: u32,
    depth: u16,
    kind: Kind,
}

/// A parsed document. Comments, the doctype and what is in a `<template>` are
/// not in it; a declarative shadow root is, because it is seen.
#[derive(Debug)]
pub(crate) struct Dom {
    nodes: Vec<Node>,
}

impl Dom {
    /// Parses a document as browsers do, in time linear in its length; what is
    /// nested deeper than 200 levels is lifted there.
    pub(crate) fn parse(html: &str) -> Self {
        builder::flatten(bounded::parse(html))
    }

    /// Number of nodes, the document included.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    pub(crate) fn kind(&self, id: NodeId) -> &Kind {
        &self.node(id).kind
    }

    pub(crate) fn element(&self, id: NodeId) -> Option<&Element> {
        match self.kind(id) {
            Kind::Element(element) => Some(element),
            _ => None,
        }
    }

    pub(crate) fn text(&self, id: NodeId) -> Option<&str> {
        match self.kind(id) {
            Kind::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns an element's tag; nothing for text and the document.
    pub(crate) fn tag(&self, id: NodeId) -> Option<Tag> {
        self.element(id).map(|element| element.tag)
    }

    /// Whether the node is an element of this kind.
    pub(crate) fn is(&self, id: NodeId, tag: Tag) -> bool {
        self.tag(id) == Some(tag)
    }

    /// Returns an element's attribute, trimmed, unless that leaves nothing.
    pub(crate) fn attribute(&self, id: NodeId, name: &str) -> Option<&str> {
        self.element(id)?.attribute(name).map(str::trim).filter(|value| !value.is_empty())
    }

    /// Returns the node around this one; nothing for the document.
    pub(crate) fn parent(&self, id: NodeId) -> Option<NodeId> {
        (id != NodeId::DOCUMENT).then(|| self.node(id).parent)
    }

    /// Levels below the document.
    pub(crate) fn depth(&self, id: NodeId) -> usize {
        usize::from(self.node(id).depth)
    }

    /// Returns the nodes around this one, the nearest first.
    pub(crate) fn ancestors(&self, id: NodeId) -> impl Iterator<Item = NodeId> {
        std::iter::successors(self.parent(id), |id| self.parent(*id))
    }

    /// Returns the first node behind this one and all it holds, which may be one
    /// past the last.
    pub(crate) fn end(&self, id: NodeId) -> NodeId {
        NodeId(self.node(id).end)
    }

    /// Returns the nodes within this one in document order.
    pub(crate) fn descendants(&self, id: NodeId) -> impl DoubleEndedIterator<Item = NodeId> + use<> {
        (id.0 + 1..self.node(id).end).map(NodeId)
    }

    /// Returns this node and those within it in document order.
    pub(crate) fn subtree(&self, id: NodeId) -> impl DoubleEndedIterator<Item = NodeId> + use<> {
        (id.0..self.node(id).end).map(NodeId)
    }

    /// Returns the nodes from one to another, both included.
    pub(crate) fn through(&self, first: NodeId, last: NodeId) -> impl Iterator<Item = NodeId> + use<> {
        (first.0..=last.0).map(NodeId)
    }

    /// Returns all nodes in document order.
    pub(crate) fn all(&self) -> impl DoubleEndedIterator<Item = NodeId> + use<> {
        self.subtree(NodeId::DOCUMENT)
    }

    /// Returns the nodes in front of this one, the nearest first.
    pub(crate) fn before(&self, id: NodeId) -> impl Iterator<Item = NodeId> + use<> {
        (0..id.0).rev().map(NodeId)
    }

    pub(crate) fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> {
        let end = self.node(id).end;
        let first = Some(id.0 + 1).filter(|first| *first < end).map(NodeId);
        std::iter::successors(first, move |child| Some(self.node(*child).end).filter(|next| *next < end).map(NodeId))
    }

    /// Whether `inner` is `outer` or within it.
    pub(crate) fn contains(&self, outer: NodeId, inner: NodeId) -> bool {
        outer <= inner && inner.0 < self.node(outer).end
    }

    /// Returns the elements of one kind within a node, in document order.
    pub(crate) fn elements(&self, within: NodeId, tag: Tag) -> impl DoubleEndedIterator<Item = NodeId> {
        self.descendants(within).filter(move |id| self.is(*id, tag))
    }

    /// Returns the first element of one kind in the document.
    pub(crate) fn first(&self, tag: Tag) -> Option<NodeId> {
        self.elements(NodeId::DOCUMENT, tag).next()
    }

    /// Returns the body; the document where there is none.
    pub(crate) fn body(&self) -> NodeId {
        self.first(Tag::Body).unwrap_or(NodeId::DOCUMENT)
    }

    /// Returns all text within a node as it stands in the page, scripts included.
    pub(crate) fn raw_text(&self, id: NodeId) -> String {
        self.subtree(id).filter_map(|id| self.text(id)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(dom: &Dom, ids: impl Iterator<Item = NodeId>) -> String {
        let name = |id| match dom.kind(id) {
            Kind::Document => "#".to_owned(),
            Kind::Element(element) => element.name.to_string(),
            Kind::Text(text) => text.to_string(),
        };
        ids.map(name).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_page_is_flat_and_in_order() {
        let dom = Dom::parse("<!doctype html><title>t</title><!-- no --><div id=a><p>x<b>y</b><p>z</div>w");
        assert_eq!(names(&dom, dom.all()), "# html head title t body div p x b y p z w");
        let body = dom.body();
        assert_eq!(names(&dom, dom.children(body)), "div w");
        let div = dom.first(Tag::Div).expect("a div");
        assert_eq!(names(&dom, dom.descendants(div)), "p x b y p z");
        assert_eq!(names(&dom, dom.children(div)), "p p");
        assert_eq!(names(&dom, dom.ancestors(div)), "body html #");
        assert_eq!((dom.attribute(div, "id"), dom.attribute(div, "class"), dom.depth(div)), (Some("a"), None, 3));
        let bold = dom.first(Tag::B).expect("a b");
        assert!(dom.contains(div, bold) && dom.contains(div, div) && !dom.contains(bold, div));
        assert_eq!(dom.raw_text(div), "xyz");
        assert_eq!(names(&dom, std::iter::once(dom.end(div))), "w");
    }

    #[test]
    fn tables_put_stray_content_before_them() {
        let dom = Dom::parse("<table>stray<p>too<tr><td>cell</table>");
        assert_eq!(names(&dom, dom.descendants(dom.body())), "stray p too table tbody tr td cell");
    }

    #[test]
    fn misnested_formatting_is_adopted() {
        let dom = Dom::parse("<p><b>1<i>2</b>3</i>4");
        assert_eq!(names(&dom, dom.descendants(dom.body())), "p b 1 i 2 i 3 4");
    }

    #[test]
    fn templates_are_out_and_shadow_roots_in() {
        let dom =
            Dom::parse("<template>no</template><my-card><template shadowrootmode=open><p>yes</template></my-card>");
        assert_eq!(dom.raw_text(NodeId::DOCUMENT), "yes");
    }

    #[test]
    fn drawings_keep_the_case_of_their_names() {
        let dom = Dom::parse("<svg viewbox='0 0 1 1'><lineargradient/><a>x</a></svg><a>y</a>");
        let svg = dom.first(Tag::Svg).expect("an svg");
        assert_eq!(dom.attribute(svg, "viewBox"), Some("0 0 1 1"));
        assert_eq!(names(&dom, dom.descendants(svg)), "linearGradient a x");
        assert_eq!(dom.elements(NodeId::DOCUMENT, Tag::A).count(), 1, "a link in a drawing is not HTML");
    }
}
