//! Where the HTML parser builds: a tree of links, because parsing moves nodes
//! about, laid flat when it is done.

use std::borrow::Cow;
use std::cell::{Ref, RefCell};

use html5ever::interface::{ElemName, ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::{Attribute, LocalName, Namespace, QualName};

use super::{Dom, Element, Kind, Node, NodeId, Tag};

/// Levels of nesting kept. Real pages stay below 100; what is deeper is made to
/// exhaust the stack or the patience of whoever walks it.
const MAX_DEPTH: u16 = 200;

/// A node's place in the order of making.
pub(super) type Handle = u32;

const DOCUMENT: Handle = 0;

#[derive(Debug, Default)]
struct Loose {
    parent: Option<Handle>,
    previous: Option<Handle>,
    next: Option<Handle>,
    first_child: Option<Handle>,
    last_child: Option<Handle>,
    what: What,
}

#[derive(Debug, Default)]
enum What {
    /// The document, what a `<template>` holds, and comments.
    #[default]
    Nothing,
    Text(StrTendril),
    Element {
        name: QualName,
        attributes: Vec<Attribute>,
        template: Option<Handle>,
    },
}

#[derive(Debug)]
pub(super) struct Builder {
    nodes: RefCell<Vec<Loose>>,
}

impl Default for Builder {
    fn default() -> Self {
        Self { nodes: RefCell::new(vec![Loose::default()]) }
    }
}

impl Builder {
    fn make(&self, what: What) -> Handle {
        let mut nodes = self.nodes.borrow_mut();
        // The work bound of the parse keeps their number far below this.
        let handle = Handle::try_from(nodes.len()).unwrap_or(Handle::MAX);
        nodes.push(Loose { what, ..Loose::default() });
        handle
    }

    /// Runs a question on an element's name; no for anything else.
    pub(super) fn has_name(&self, handle: Handle, ask: impl Fn(&str) -> bool) -> bool {
        match &self.nodes.borrow()[handle as usize].what {
            What::Element { name, .. } => ask(&name.local),
            _ => false,
        }
    }

    /// Levels of the deepest node.
    #[cfg(test)]
    pub(super) fn deepest(&self) -> usize {
        let nodes = self.nodes.borrow();
        let levels = |node: &Loose| std::iter::successors(node.parent, |parent| nodes[*parent as usize].parent).count();
        nodes.iter().map(levels).max().unwrap_or_default()
    }

    fn detach(&self, handle: Handle) {
        let mut nodes = self.nodes.borrow_mut();
        let node = &mut nodes[handle as usize];
        let (parent, previous, next) = (node.parent.take(), node.previous.take(), node.next.take());
        let Some(parent) = parent else { return };
        match previous {
            Some(previous) => nodes[previous as usize].next = next,
            None => nodes[parent as usize].first_child = next,
        }
        match next {
            Some(next) => nodes[next as usize].previous = previous,
            None => nodes[parent as usize].last_child = previous,
        }
    }

    fn link(&self, parent: Handle, node: Handle, previous: Option<Handle>, next: Option<Handle>) {
        let mut nodes = self.nodes.borrow_mut();
        let own = &mut nodes[node as usize];
        (own.parent, own.previous, own.next) = (Some(parent), previous, next);
        match previous {
            Some(previous) => nodes[previous as usize].next = Some(node),
            None => nodes[parent as usize].first_child = Some(node),
        }
        match next {
            Some(next) => nodes[next as usize].previous = Some(node),
            None => nodes[parent as usize].last_child = Some(node),
        }
    }

    /// Lengthens a text node; says whether it was one.
    fn lengthen(&self, node: Option<Handle>, more: &StrTendril) -> bool {
        let Some(node) = node else { return false };
        match &mut self.nodes.borrow_mut()[node as usize].what {
            What::Text(text) => {
                text.push_tendril(more);
                true
            }
            _ => false,
        }
    }

    /// Puts something at the end of a parent, or before one of its children.
    fn insert(&self, parent: Handle, before: Option<Handle>, new: NodeOrText<Handle>) {
        let node = match new {
            NodeOrText::AppendNode(node) => {
                self.detach(node);
                node
            }
            NodeOrText::AppendText(text) => {
                if self.lengthen(self.last_before(parent, before), &text) {
                    return;
                }
                self.make(What::Text(text))
            }
        };
        self.link(parent, node, self.last_before(parent, before), before);
    }

    fn last_before(&self, parent: Handle, before: Option<Handle>) -> Option<Handle> {
        let nodes = self.nodes.borrow();
        match before {
            Some(before) => nodes[before as usize].previous,
            None => nodes[parent as usize].last_child,
        }
    }
}

#[derive(Debug)]
pub(super) struct Name<'a>(Ref<'a, QualName>);

impl ElemName for Name<'_> {
    fn ns(&self) -> &Namespace {
        &self.0.ns
    }

    fn local_name(&self) -> &LocalName {
        &self.0.local
    }
}

impl TreeSink for Builder {
    type Handle = Handle;
    type Output = Self;
    type ElemName<'a> = Name<'a>;

    fn finish(self) -> Self {
        self
    }

    fn parse_error(&self, _message: Cow<'static, str>) {}

    fn get_document(&self) -> Handle {
        DOCUMENT
    }

    fn elem_name<'a>(&'a self, target: &'a Handle) -> Name<'a> {
        Name(Ref::map(self.nodes.borrow(), |nodes| match &nodes[*target as usize].what {
            What::Element { name, .. } => name,
            // The parser asks for the names of elements only.
            _ => unreachable!("a node without a name"),
        }))
    }

    fn create_element(&self, name: QualName, attributes: Vec<Attribute>, flags: ElementFlags) -> Handle {
        let template = flags.template.then(|| self.make(What::Nothing));
        self.make(What::Element { name, attributes, template })
    }

    fn create_comment(&self, _text: StrTendril) -> Handle {
        self.make(What::Nothing)
    }

    fn create_pi(&self, _target: StrTendril, _data: StrTendril) -> Handle {
        self.make(What::Nothing)
    }

    fn append(&self, parent: &Handle, child: NodeOrText<Handle>) {
        self.insert(*parent, None, child);
    }

    fn append_before_sibling(&self, sibling: &Handle, new: NodeOrText<Handle>) {
        let parent = self.nodes.borrow()[*sibling as usize].parent;
        if let Some(parent) = parent {
            self.insert(parent, Some(*sibling), new);
        }
    }

    fn append_based_on_parent_node(&self, element: &Handle, previous: &Handle, child: NodeOrText<Handle>) {
        if self.nodes.borrow()[*element as usize].parent.is_some() {
            self.append_before_sibling(element, child);
        } else {
            self.append(previous, child);
        }
    }

    fn append_doctype_to_document(&self, _name: StrTendril, _public_id: StrTendril, _system_id: StrTendril) {}

    fn get_template_contents(&self, target: &Handle) -> Handle {
        match &self.nodes.borrow()[*target as usize].what {
            What::Element { template: Some(contents), .. } => *contents,
            _ => *target,
        }
    }

    fn same_node(&self, one: &Handle, other: &Handle) -> bool {
        one == other
    }

    fn set_quirks_mode(&self, _mode: QuirksMode) {}

    fn add_attrs_if_missing(&self, target: &Handle, more: Vec<Attribute>) {
        if let What::Element { attributes, .. } = &mut self.nodes.borrow_mut()[*target as usize].what {
            let missing = more.into_iter().filter(|new| attributes.iter().all(|old| old.name != new.name));
            let missing: Vec<_> = missing.collect();
            attributes.extend(missing);
        }
    }

    fn remove_from_parent(&self, target: &Handle) {
        self.detach(*target);
    }

    fn reparent_children(&self, node: &Handle, new_parent: &Handle) {
        loop {
            let Some(child) = self.nodes.borrow()[*node as usize].first_child else { return };
            self.insert(*new_parent, None, NodeOrText::AppendNode(child));
        }
    }
}

/// Lays the tree flat, without what is not part of the page and without levels
/// beyond the deepest allowed: their elements go, their text stays.
pub(super) fn flatten(builder: Builder) -> Dom {
    let mut loose = builder.nodes.into_inner();
    let mut nodes = Vec::with_capacity(loose.len());
    nodes.push(Node { parent: NodeId::DOCUMENT, end: 0, depth: 0, kind: Kind::Document });
    // What is still to be left, with its place in the new order if it has one.
    let mut open = vec![(DOCUMENT, Some(NodeId::DOCUMENT))];
    let mut waiting = loose[DOCUMENT as usize].first_child;
    while let Some((leaving, place)) = open.last().copied() {
        let Some(handle) = waiting else {
            if let Some(place) = place {
                nodes[place.index()].end = number(nodes.len());
            }
            open.pop();
            waiting = loose[leaving as usize].next;
            continue;
        };
        let around = open.iter().rev().find_map(|(_, place)| *place).unwrap_or(NodeId::DOCUMENT);
        let inside = entrance(&loose, handle);
        let what = std::mem::take(&mut loose[handle as usize].what);
        let place = place_in(&mut nodes, around, what);
        open.push((handle, place));
        waiting = inside;
    }
    Dom { nodes }
}

/// Appends a node; none when it has no place in the page.
fn place_in(nodes: &mut Vec<Node>, parent: NodeId, what: What) -> Option<NodeId> {
    let depth = nodes[parent.index()].depth + 1;
    let kind = match what {
        What::Text(text) => Kind::Text(text),
        What::Element { name, attributes, template: None } if depth <= MAX_DEPTH => {
            Kind::Element(Element { tag: Tag::of(&name), name: name.local, attributes })
        }
        _ => return None,
    };
    let place = NodeId(number(nodes.len()));
    nodes.push(Node { parent, end: 0, depth, kind });
    Some(place)
}

/// Returns the first node inside another: for a template that is a shadow root
/// the first it holds, for other templates none.
fn entrance(loose: &[Loose], handle: Handle) -> Option<Handle> {
    let node = &loose[handle as usize];
    match &node.what {
        What::Element { attributes, template: Some(contents), .. } => {
            let is_shadow = attributes.iter().any(|attribute| &*attribute.name.local == "shadowrootmode");
            loose[*contents as usize].first_child.filter(|_| is_shadow)
        }
        _ => node.first_child,
    }
}

fn number(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}
