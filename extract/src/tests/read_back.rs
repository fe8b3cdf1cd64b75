//! What Markdown says, by another reader of CommonMark, beside what HTML says.

use pulldown_cmark::{Options, Parser, html};

use super::markdown_cases::{self as cases, Case};
use super::{url, whole};
use crate::addresses::Base;
use crate::dom::{Dom, Kind, NodeId, Tag};

/// Returns HTML as its structure: blocks, marks, addresses and text, without
/// what differs in writing only.
fn shape(html: &str) -> String {
    let dom = Dom::parse(html);
    let base = Base::of(&dom, Some(&url("https://site.test/dir/page")));
    let mut shaper = Shaper { dom: &dom, base: &base, shape: String::new(), line: String::new() };
    shaper.children(dom.body());
    shaper.flush();
    shaper.shape.replace("<table> <tr> <cell> </cell> <cell> </cell> </tr>", "<table>")
}

struct Shaper<'p> {
    dom: &'p Dom,
    base: &'p Base,
    shape: String,
    line: String,
}

impl Shaper<'_> {
    fn children(&mut self, id: NodeId) {
        for child in self.dom.children(id) {
            match self.dom.kind(child) {
                Kind::Text(text) => self.line.push_str(text),
                Kind::Element(element) => self.element(child, element.tag),
                Kind::Document => {}
            }
        }
    }

    fn element(&mut self, id: NodeId, tag: Tag) {
        // The other reader writes bars as numbers.
        let resolved = |name| self.base.resolve(self.dom.attribute(id, name).unwrap_or_default()).replace("%7C", "|");
        let title = || self.dom.attribute(id, "title").unwrap_or_default();
        match tag {
            Tag::Br => self.line.push('\u{1}'),
            Tag::Strong | Tag::B => self.marked(id, "strong"),
            Tag::Em | Tag::I => self.marked(id, "em"),
            Tag::Del | Tag::S => self.marked(id, "del"),
            Tag::A => self.marked(id, &format!("a {}|{}", resolved("href"), title())),
            Tag::Code => self.line += &format!("[code {}]", self.dom.raw_text(id)),
            Tag::Img => {
                let alt = self.dom.attribute(id, "alt").unwrap_or_default();
                self.line += &format!("[img {}|{alt}|{}]", resolved("src"), title());
            }
            Tag::Hr => self.block("[hr]"),
            Tag::Pre => self.code_block(id),
            Tag::Ol => self.nested(id, &format!("ol{}", self.dom.attribute(id, "start").unwrap_or("1"))),
            Tag::Ul => self.nested(id, "ul"),
            Tag::Li => self.nested(id, "li"),
            Tag::Table => self.nested(id, "table"),
            Tag::Tr => self.nested(id, "tr"),
            Tag::Td | Tag::Th => self.nested(id, "cell"),
            Tag::Blockquote => self.nested(id, "blockquote"),
            _ => match tag.heading_level() {
                Some(level) => self.nested(id, &format!("h{level}")),
                None if tag.is_block() => {
                    self.flush();
                    self.children(id);
                    self.flush();
                }
                None => self.children(id),
            },
        }
    }

    fn marked(&mut self, id: NodeId, mark: &str) {
        self.line += &format!("{{{mark}}}");
        self.children(id);
        self.line += "{/}";
    }

    fn nested(&mut self, id: NodeId, name: &str) {
        self.block(&format!("<{name}>"));
        self.children(id);
        self.block(&format!("</{name}>"));
    }

    fn code_block(&mut self, id: NodeId) {
        let code = self.dom.elements(id, Tag::Code).next().unwrap_or(id);
        let class = [code, id].iter().find_map(|id| self.dom.attribute(*id, "class")).unwrap_or_default();
        let mut text = String::new();
        for inner in self.dom.descendants(id) {
            text += if self.dom.is(inner, Tag::Br) { "\n" } else { self.dom.text(inner).unwrap_or_default() };
        }
        self.block(&format!("[pre {class}|{}]", text.trim_matches('\n')));
    }

    fn block(&mut self, block: &str) {
        self.flush();
        if !self.shape.is_empty() {
            self.shape.push(' ');
        }
        self.shape += block;
    }

    fn flush(&mut self) {
        let line = std::mem::take(&mut self.line);
        let line = line.split(['\t', '\n', ' ']).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
        let line = line.replace(" \u{1}", "\u{1}").replace("\u{1} ", "\u{1}");
        let line = line.trim_matches(['\u{1}', ' ']);
        if !line.is_empty() {
            self.block(&format!("\"{}\"", line.replace('\u{1}', "↵")));
        }
    }
}

fn check(cases: &[Case]) {
    for (page, expected) in cases {
        let markdown = whole(page);
        let mut read = String::new();
        html::push_html(&mut read, Parser::new_ext(&markdown, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH));
        let expected = if expected.is_empty() { page } else { expected };
        assert_eq!(shape(&read), shape(expected), "{page}\n{markdown}");
    }
}

#[test]
fn lists_are_read_back() {
    check(cases::LIST);
}

#[test]
fn code_is_read_back() {
    check(cases::CODE);
}

#[test]
fn tables_are_read_back() {
    check(cases::TABLE);
}

#[test]
fn links_and_images_are_read_back() {
    check(cases::LINK);
}

#[test]
fn emphasis_is_read_back() {
    check(cases::INLINE);
}

#[test]
fn text_is_read_back_as_text() {
    check(cases::ESCAPE);
}

#[test]
fn headings_and_blocks_are_read_back() {
    check(cases::HEADING);
    check(cases::BLOCK);
}

#[test]
fn what_parsers_repair_is_read_back() {
    check(cases::MALFORMED);
}
