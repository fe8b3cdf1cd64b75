//! Clean HTML written from the tree: the content without what it looks like and
//! what it does.

use crate::ContentOptions;
use crate::addresses::{self, Base};
use crate::dom::{Dom, Element, Kind, NodeId, Selection, Step, Tag};

/// Attributes that say something of the content.
const KEPT: [&str; 9] = ["alt", "title", "colspan", "rowspan", "start", "datetime", "lang", "dir", "cite"];

/// Writes what is selected of a page; its body without the `<body>`.
pub(crate) fn write(dom: &Dom, selection: &Selection, base: &Base, wanted: ContentOptions) -> String {
    let mut writer = Writer { dom, base, wanted, out: String::with_capacity(dom.len() * 16), hidden_until: None };
    for step in selection.walk(dom) {
        match step {
            Step::Enter(id) => writer.enter(id),
            Step::Leave(id) => writer.leave(id),
        }
    }
    writer.out
}

struct Writer<'p> {
    dom: &'p Dom,
    base: &'p Base,
    wanted: ContentOptions,
    out: String,
    /// Up to here nothing is written: what an element holds that is left out.
    hidden_until: Option<NodeId>,
}

impl Writer<'_> {
    fn enter(&mut self, id: NodeId) {
        if self.hidden_until.is_some_and(|end| id < end) {
            return;
        }
        self.hidden_until = None;
        match self.dom.kind(id) {
            Kind::Text(text) => escape(&mut self.out, text),
            Kind::Element(element) if is_dropped(element.tag) || self.is_unwanted(element.tag, id) => {
                self.hidden_until = Some(self.dom.end(id));
            }
            Kind::Element(element) if self.is_written(element.tag, id) => self.start_tag(id, element),
            _ => {}
        }
    }

    fn leave(&mut self, id: NodeId) {
        if self.hidden_until.is_some_and(|end| id < end) {
            return;
        }
        if let Kind::Element(element) = self.dom.kind(id)
            && self.is_written(element.tag, id)
            && !is_void(element.tag)
        {
            self.out.push_str("</");
            self.out.push_str(&element.name);
            self.out.push('>');
        }
    }

    fn is_unwanted(&self, tag: Tag, id: NodeId) -> bool {
        match tag {
            Tag::Img => !self.wanted.include_images || addresses::image_source(self.dom, id).is_none(),
            Tag::Picture => !self.wanted.include_images,
            // What a formula says once more for programs.
            Tag::Foreign => self.dom.element(id).is_some_and(|element| element.name.starts_with("annotation")),
            _ => false,
        }
    }

    /// Whether an element's own tags are written, and not just what it holds.
    fn is_written(&self, tag: Tag, id: NodeId) -> bool {
        match tag {
            Tag::Html | Tag::Body | Tag::Foreign | Tag::Math | Tag::Slot | Tag::Picture | Tag::Source => false,
            Tag::A => self.wanted.include_links && addresses::target(self.dom, id).is_some(),
            Tag::Input => self.dom.attribute(id, "type") == Some("checkbox"),
            // Names that pages make up stand for a block or a part of a line.
            Tag::Other => false,
            _ => true,
        }
    }

    fn start_tag(&mut self, id: NodeId, element: &Element) {
        self.out.push('<');
        self.out.push_str(&element.name);
        match element.tag {
            Tag::A => self.address("href", addresses::target(self.dom, id)),
            Tag::Img => self.address("src", addresses::image_source(self.dom, id)),
            _ => {}
        }
        for (name, value) in element.attributes() {
            // A class may name the language of code.
            let is_kept = match element.tag {
                Tag::Code | Tag::Pre => name == "class",
                Tag::Input => matches!(name, "type" | "checked"),
                _ => false,
            };
            if is_kept || KEPT.contains(&name) {
                self.attribute(name, value);
            }
        }
        self.out.push('>');
        // The parser drops a line break behind these.
        let first = self.dom.children(id).next().and_then(|first| self.dom.text(first));
        if element.tag == Tag::Pre && first.is_some_and(|text| text.starts_with('\n')) {
            self.out.push('\n');
        }
    }

    fn address(&mut self, name: &str, reference: Option<&str>) {
        if let Some(reference) = reference {
            let address = self.base.resolve(reference);
            self.attribute(name, &address);
        }
    }

    fn attribute(&mut self, name: &str, value: &str) {
        self.out.push(' ');
        self.out.push_str(name);
        self.out.push_str("=\"");
        escape(&mut self.out, value);
        self.out.push('"');
    }
}

/// Elements that are no content, with all they hold.
fn is_dropped(tag: Tag) -> bool {
    matches!(
        tag,
        Tag::Script
            | Tag::Style
            | Tag::Noscript
            | Tag::Template
            | Tag::Iframe
            | Tag::Frame
            | Tag::Frameset
            | Tag::Object
            | Tag::Embed
            | Tag::Link
            | Tag::Meta
            | Tag::Base
            | Tag::Title
            | Tag::Head
            | Tag::Svg
            | Tag::Canvas
            | Tag::Audio
            | Tag::Video
            | Tag::Map
            | Tag::Area
            | Tag::Select
            | Tag::Textarea
    )
}

fn is_void(tag: Tag) -> bool {
    matches!(tag, Tag::Br | Tag::Hr | Tag::Img | Tag::Input | Tag::Wbr | Tag::Col)
}

/// Writes text so that it stands as text in an element or a quoted attribute.
fn escape(out: &mut String, text: &str) {
    let mut rest = text;
    while let Some(at) = rest.find(['&', '<', '>', '"', '\u{a0}']) {
        out.push_str(&rest[..at]);
        let special = rest[at..].chars().next().unwrap_or_default();
        out.push_str(match special {
            '&' => "&amp;",
            '<' => "&lt;",
            '>' => "&gt;",
            '"' => "&quot;",
            _ => "&nbsp;",
        });
        rest = &rest[at + special.len_utf8()..];
    }
    out.push_str(rest);
}
