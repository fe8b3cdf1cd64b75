//! The least a tree can be: names of elements and who is whose child, so that
//! the time is that of html5ever.

use std::borrow::Cow;
use std::cell::{Ref, RefCell};

use html5ever::interface::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::{Attribute, QualName};

pub struct Sink {
    nodes: RefCell<Vec<Node>>,
}

impl Default for Sink {
    fn default() -> Self {
        let sink = Self { nodes: RefCell::default() };
        sink.make(None, Vec::new(), None);
        sink
    }
}

struct Node {
    name: Option<QualName>,
    /// Kept, as every tree keeps them.
    _attributes: Vec<Attribute>,
    parent: Option<usize>,
    children: Vec<usize>,
    _text: Option<StrTendril>,
}

impl Sink {
    fn make(&self, name: Option<QualName>, attributes: Vec<Attribute>, text: Option<StrTendril>) -> usize {
        let mut nodes = self.nodes.borrow_mut();
        nodes.push(Node { name, _attributes: attributes, parent: None, children: Vec::new(), _text: text });
        nodes.len() - 1
    }

    fn take(&self, node: NodeOrText<usize>) -> usize {
        match node {
            NodeOrText::AppendNode(node) => {
                self.remove_from_parent(&node);
                node
            }
            NodeOrText::AppendText(text) => self.make(None, Vec::new(), Some(text)),
        }
    }
}

impl TreeSink for Sink {
    type Handle = usize;
    type Output = usize;
    type ElemName<'a> = Ref<'a, QualName>;

    fn finish(self) -> usize {
        self.nodes.borrow().len()
    }

    fn parse_error(&self, _message: Cow<'static, str>) {}

    fn get_document(&self) -> usize {
        0
    }

    fn elem_name<'a>(&'a self, target: &'a usize) -> Ref<'a, QualName> {
        Ref::map(self.nodes.borrow(), |nodes| match &nodes[*target].name {
            Some(name) => name,
            None => unreachable!("only elements are asked for their names"),
        })
    }

    fn create_element(&self, name: QualName, attributes: Vec<Attribute>, _flags: ElementFlags) -> usize {
        self.make(Some(name), attributes, None)
    }

    fn create_comment(&self, text: StrTendril) -> usize {
        self.make(None, Vec::new(), Some(text))
    }

    fn create_pi(&self, _target: StrTendril, data: StrTendril) -> usize {
        self.make(None, Vec::new(), Some(data))
    }

    fn append(&self, parent: &usize, child: NodeOrText<usize>) {
        let child = self.take(child);
        let mut nodes = self.nodes.borrow_mut();
        nodes[child].parent = Some(*parent);
        nodes[*parent].children.push(child);
    }

    fn append_before_sibling(&self, sibling: &usize, new: NodeOrText<usize>) {
        let new = self.take(new);
        let mut nodes = self.nodes.borrow_mut();
        let Some(parent) = nodes[*sibling].parent else { return };
        let place = nodes[parent].children.iter().rposition(|child| child == sibling).unwrap_or_default();
        nodes[new].parent = Some(parent);
        nodes[parent].children.insert(place, new);
    }

    fn append_based_on_parent_node(&self, element: &usize, previous: &usize, child: NodeOrText<usize>) {
        let has_parent = self.nodes.borrow()[*element].parent.is_some();
        if has_parent { self.append_before_sibling(element, child) } else { self.append(previous, child) }
    }

    fn append_doctype_to_document(&self, _name: StrTendril, _public: StrTendril, _system: StrTendril) {}

    fn get_template_contents(&self, target: &usize) -> usize {
        *target
    }

    fn same_node(&self, one: &usize, other: &usize) -> bool {
        one == other
    }

    fn set_quirks_mode(&self, _mode: QuirksMode) {}

    fn add_attrs_if_missing(&self, _target: &usize, _attributes: Vec<Attribute>) {}

    fn remove_from_parent(&self, target: &usize) {
        let mut nodes = self.nodes.borrow_mut();
        if let Some(parent) = nodes[*target].parent.take() {
            nodes[parent].children.retain(|child| child != target);
        }
    }

    fn reparent_children(&self, node: &usize, new_parent: &usize) {
        let mut nodes = self.nodes.borrow_mut();
        let children = std::mem::take(&mut nodes[*node].children);
        for child in &children {
            nodes[*child].parent = Some(*new_parent);
        }
        nodes[*new_parent].children.extend(children);
    }
}
