//! Markdown written straight from the tree: CommonMark with GFM's tables, task
//! lists and strikethrough. What is written reads back as what the page says.

mod code;
mod escape;
mod inline;
mod layout;
mod list;
mod render;
mod table;
mod target;

use escape::Place;
use inline::{Inline, Mark};
use layout::{Block, Layout};
use render::Renderer;
use target::Links;

use crate::ContentOptions;
use crate::addresses::{self, Base};
use crate::dom::{Dom, Kind, NodeId, Selection, Tag};

/// Writes what is selected of a page.
pub(crate) fn write(dom: &Dom, selection: &Selection, base: &Base, wanted: ContentOptions) -> String {
    let mut writer = Writer {
        dom,
        selection,
        wanted,
        links: Links::new(dom, base),
        layout: Layout::new(dom.len() * 8),
        inline: Inline::default(),
        place: Place::Paragraph,
        line: String::new(),
        is_image_due: false,
        stray: None,
    };
    for root in selection.roots() {
        writer.node(*root);
    }
    writer.flush();
    writer.layout.into_text()
}

struct Writer<'p> {
    dom: &'p Dom,
    selection: &'p Selection,
    wanted: ContentOptions,
    links: Links<'p>,
    layout: Layout,
    inline: Inline,
    /// In what the inline content stands that is gathered.
    place: Place,
    /// Room to write a block in.
    line: String,
    /// An image without an address was passed, which a `<noscript>` may have.
    is_image_due: bool,
    /// What follows the last item that stands in no list.
    stray: Option<NodeId>,
}

/// Recursion is bounded by the depth of the tree.
impl<'p> Writer<'p> {
    fn node(&mut self, id: NodeId) {
        if self.selection.is_left_out(id) {
            return;
        }
        match self.dom.kind(id) {
            Kind::Text(text) => self.inline.text(text),
            Kind::Element(element) => self.element(id, element.tag),
            Kind::Document => self.children(id),
        }
    }

    fn children(&mut self, id: NodeId) {
        for child in self.dom.children(id) {
            self.node(child);
        }
    }

    fn element(&mut self, id: NodeId, tag: Tag) {
        match tag {
            Tag::Script
            | Tag::Style
            | Tag::Template
            | Tag::Iframe
            | Tag::Object
            | Tag::Embed
            | Tag::Head
            | Tag::Title
            | Tag::Svg
            | Tag::Canvas
            | Tag::Audio
            | Tag::Video
            | Tag::Select
            | Tag::Option
            | Tag::Textarea
            | Tag::Wbr
            | Tag::Link
            | Tag::Meta
            | Tag::Source => {}
            Tag::Br => self.end_line(),
            Tag::B | Tag::Strong => self.marked(id, Mark::Strong),
            Tag::I | Tag::Em => self.marked(id, Mark::Emphasis),
            Tag::S | Tag::Strike | Tag::Del => self.marked(id, Mark::Struck),
            Tag::A => self.link(id),
            Tag::Img => self.image(id),
            Tag::Noscript => self.fallback(id),
            Tag::Code => self.code(id),
            Tag::Input => self.checkbox(id),
            Tag::Pre => self.code_block(id),
            Tag::Hr => self.rule(),
            Tag::Ul | Tag::Ol | Tag::Dir | Tag::Menu => self.list(id, tag),
            Tag::Li => self.stray_item(id),
            Tag::Blockquote => self.quotation(id),
            Tag::Table => self.table(id),
            Tag::Td | Tag::Th => self.stray_cell(id),
            Tag::Dt => {
                self.flush();
                self.marked(id, Mark::Strong);
                self.flush();
            }
            Tag::Foreign => self.formula(id),
            _ => match tag.heading_level() {
                Some(level) => self.heading(id, level),
                None if tag.is_block() => self.block(id),
                None => self.children(id),
            },
        }
    }

    /// Ends the paragraph, or what stands for one in a heading or cell.
    fn flush(&mut self) {
        match self.place {
            Place::Paragraph => self.paragraph(),
            Place::Heading => self.inline.space(),
            Place::Cell => self.inline.end_line(),
        }
    }

    fn paragraph(&mut self) {
        if self.inline.is_empty() {
            self.inline.forget();
            return;
        }
        self.line.clear();
        self.render();
        self.layout.block(Block::Paragraph, &self.line);
    }

    /// Appends what was gathered to the line.
    fn render(&mut self) {
        let pieces = self.inline.finish();
        Renderer::new(&mut self.line, &mut self.links, pieces, self.place).write();
        self.inline.clear();
    }

    fn block(&mut self, id: NodeId) {
        self.flush();
        self.children(id);
        self.flush();
    }

    /// Two breaks in a row end a paragraph.
    fn end_line(&mut self) {
        if self.place == Place::Paragraph && self.inline.is_broken() {
            self.flush();
        } else {
            self.inline.end_line();
        }
    }

    fn marked(&mut self, id: NodeId, mark: Mark) {
        if self.inline.is_within(mark) {
            return self.children(id);
        }
        self.inline.open(mark);
        self.children(id);
        self.inline.close();
    }

    fn link(&mut self, id: NodeId) {
        if self.wanted.include_links && !self.inline.is_linked() && addresses::target(self.dom, id).is_some() {
            self.marked(id, Mark::Link(id));
        } else {
            self.children(id);
        }
    }

    fn image(&mut self, id: NodeId) {
        if !self.wanted.include_images || addresses::is_pixel(self.dom, id) {
            return;
        }
        let image = self.links.image(self.dom, id, self.place);
        self.is_image_due = image.is_none();
        if let Some(image) = image {
            self.inline.ready(&image);
        }
    }

    /// Writes the image that a `<noscript>` has in place of one that scripts load.
    fn fallback(&mut self, id: NodeId) {
        const NEAR: usize = 50;
        let text = self.dom.raw_text(id);
        if !self.wanted.include_images || !text.contains("<img") {
            return;
        }
        let is_alone = || {
            let around = self.dom.parent(id).unwrap_or(NodeId::DOCUMENT);
            !self.dom.descendants(around).take(NEAR).any(|near| self.dom.is(near, Tag::Img))
        };
        if !self.is_image_due && !is_alone() {
            return;
        }
        let inside = Dom::parse(&text);
        let image = inside.first(Tag::Img).filter(|image| !addresses::is_pixel(&inside, *image));
        if let Some(image) = image.and_then(|image| self.links.image(&inside, image, self.place)) {
            self.inline.ready(&image);
            self.is_image_due = false;
        }
    }

    fn code(&mut self, id: NodeId) {
        if self.dom.elements(id, Tag::Pre).next().is_some() {
            return self.children(id);
        }
        let code = code::collapsed(self.dom, self.selection, id);
        if code.trim().is_empty() { self.inline.space() } else { self.inline.code(&code) }
    }

    /// The box of a task stands first in its item.
    fn checkbox(&mut self, id: NodeId) {
        let is_box = self.dom.attribute(id, "type").is_some_and(|kind| kind.eq_ignore_ascii_case("checkbox"));
        if is_box && self.inline.is_empty() && self.layout.has_mark() && self.place == Place::Paragraph {
            let is_checked = self.dom.element(id).is_some_and(|input| input.attribute("checked").is_some());
            self.inline.ready(if is_checked { "[x]" } else { "[ ]" });
            self.inline.space();
        }
    }

    fn code_block(&mut self, id: NodeId) {
        self.flush();
        let code = code::text_of(self.dom, self.selection, id);
        if self.place != Place::Paragraph {
            for line in code.lines().filter(|line| !line.trim().is_empty()) {
                self.inline.code(line);
                self.flush();
            }
        } else if !code.is_empty() {
            let (fence, language) = (code::fence(&code), code::language(self.dom, id).unwrap_or_default());
            self.layout.block(Block::Other, &format!("{fence}{language}\n{code}\n{fence}"));
        }
    }

    fn rule(&mut self) {
        self.flush();
        if self.place == Place::Paragraph {
            // `- ---` would be a rule and no item.
            self.layout.block(Block::Other, if self.layout.has_mark() { "___" } else { "---" });
        }
    }

    fn quotation(&mut self, id: NodeId) {
        if self.place != Place::Paragraph {
            return self.block(id);
        }
        self.flush();
        self.layout.open_quotation();
        self.children(id);
        self.flush();
        self.layout.close();
    }

    fn heading(&mut self, id: NodeId, level: usize) {
        self.flush();
        if self.place != Place::Paragraph {
            self.children(id);
            return self.flush();
        }
        self.place = Place::Heading;
        self.children(id);
        if !self.inline.is_empty() {
            self.line.clear();
            self.line.push_str(&"######"[..level]);
            self.line.push(' ');
            self.render();
            self.layout.block(Block::Other, &self.line);
        }
        self.place = Place::Paragraph;
        self.inline.forget();
    }

    /// The parts of a formula; what it says once more for programs stays out.
    fn formula(&mut self, id: NodeId) {
        let name = self.dom.element(id).map(|element| &*element.name);
        if !name.is_some_and(|name| name.starts_with("annotation")) {
            self.children(id);
        }
    }
}
