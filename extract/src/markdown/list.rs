use super::escape::Place;
use super::layout::Block;
use super::{NodeId, Tag, Writer};

/// What a list's content goes to that is read next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    Nothing,
    Item,
    /// An item made for content that stands in no item.
    Made,
}

impl Writer<'_> {
    pub(super) fn list(&mut self, id: NodeId, tag: Tag) {
        self.flush();
        if self.place != Place::Paragraph {
            self.children(id);
            return self.flush();
        }
        let start = (tag == Tag::Ol).then(|| self.start(id));
        self.layout.open_list(start, self.is_tight(id));
        let open = self.items(id, Open::Nothing);
        self.close_item(open);
        self.layout.close();
    }

    /// Returns the number of the first item; CommonMark has none below 0 and
    /// none of more than nine digits.
    fn start(&self, id: NodeId) -> u32 {
        let start = self.dom.attribute(id, "start").and_then(|start| start.parse().ok());
        start.filter(|start| *start < 1_000_000_000).unwrap_or(1)
    }

    /// Whether no item has more than one part, lists in it aside.
    fn is_tight(&self, id: NodeId) -> bool {
        let mut items = self.dom.children(id).filter(|item| self.dom.is(*item, Tag::Li));
        items.all(|item| {
            let (mut parts, mut is_inline) = (0, false);
            for child in self.dom.children(item).filter(|child| !self.selection.is_left_out(*child)) {
                match self.dom.tag(child) {
                    Some(Tag::P) => return false,
                    Some(Tag::Ul | Tag::Ol | Tag::Dir | Tag::Menu) => is_inline = false,
                    Some(tag) if tag.is_block() => {
                        parts += 1;
                        is_inline = false;
                    }
                    tag if !is_inline && (tag.is_some() || !self.is_blank(child)) => {
                        parts += 1;
                        is_inline = true;
                    }
                    _ => {}
                }
            }
            parts < 2
        })
    }

    fn is_blank(&self, id: NodeId) -> bool {
        self.dom.text(id).is_some_and(|text| text.trim_ascii().is_empty())
    }

    /// Writes what stands in a list, and leaves its last item open: a list
    /// directly in a list belongs to the item before it.
    fn items(&mut self, id: NodeId, mut open: Open) -> Open {
        for child in self.dom.children(id) {
            if self.selection.is_left_out(child) || self.is_blank(child) {
                continue;
            }
            match self.dom.tag(child) {
                Some(Tag::Li) => {
                    self.close_item(open);
                    open = Open::Item;
                    self.layout.open_item();
                    self.item(child);
                }
                Some(tag @ (Tag::Ul | Tag::Ol | Tag::Dir | Tag::Menu)) => {
                    if open == Open::Nothing {
                        self.layout.open_item();
                        open = Open::Made;
                    }
                    self.list(child, tag);
                }
                Some(Tag::Script | Tag::Style | Tag::Template | Tag::Noscript) => {}
                Some(_) if self.dom.children(child).any(|inner| self.dom.is(inner, Tag::Li)) => {
                    open = self.items(child, open);
                }
                _ => {
                    if open != Open::Made {
                        self.close_item(open);
                        self.layout.open_item();
                        open = Open::Made;
                    }
                    self.node(child);
                }
            }
        }
        open
    }

    /// An item that has nothing at all is written as such; one whose content is
    /// not, e.g. a drawing, is left out.
    fn item(&mut self, id: NodeId) {
        self.children(id);
        self.flush();
        if self.layout.is_empty() && self.dom.children(id).next().is_none() {
            self.layout.block(Block::Nothing, "");
        }
    }

    fn close_item(&mut self, open: Open) {
        self.flush();
        if open != Open::Nothing {
            self.layout.close();
        }
    }

    /// An item outside a list is one of a list that its neighbours make.
    pub(super) fn stray_item(&mut self, id: NodeId) {
        self.flush();
        if self.place != Place::Paragraph {
            self.children(id);
            return self.flush();
        }
        let is_next =
            self.stray.is_some_and(|before| before == id || self.is_blank(before) && self.dom.end(before) == id);
        self.layout.open_list(None, true);
        if is_next {
            self.layout.go_on();
        }
        self.layout.open_item();
        self.item(id);
        self.layout.close();
        self.layout.close();
        self.stray = Some(self.dom.end(id)).filter(|end| end.index() < self.dom.len());
    }
}
