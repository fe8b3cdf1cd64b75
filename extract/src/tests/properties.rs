//! What holds for any page.

use proptest::prelude::*;
use pulldown_cmark::{Options, Parser, html};

use super::{content, whole};
use crate::dom::{Dom, Kind, NodeId, Tag};
use crate::{ContentOptions, Document, Format};

fn rendered(markdown: &str) -> String {
    let mut out = String::new();
    html::push_html(&mut out, Parser::new_ext(markdown, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH));
    out
}

fn letters(text: &str) -> String {
    text.chars().filter(|character| !character.is_whitespace()).collect()
}

/// Each character that is seen, with how it is marked.
fn marked(html: &str) -> Vec<(char, String)> {
    let dom = Dom::parse(html);
    let mut characters = Vec::new();
    for id in dom.all() {
        let Kind::Text(text) = dom.kind(id) else { continue };
        let mut marks: Vec<&str> = dom.ancestors(id).filter_map(|around| mark(&dom, around)).collect();
        marks.sort_unstable();
        marks.dedup();
        if marks.contains(&"code") {
            // Nothing but a link shows on code that is within it.
            marks.retain(|mark| *mark == "code");
        }
        characters.extend(text.chars().filter(|own| !own.is_whitespace()).map(|own| (own, marks.join(" "))));
    }
    characters
}

fn mark(dom: &Dom, id: NodeId) -> Option<&'static str> {
    match dom.tag(id)? {
        Tag::B | Tag::Strong => Some("strong"),
        Tag::I | Tag::Em => Some("em"),
        Tag::S | Tag::Del => Some("del"),
        Tag::A => Some("a"),
        Tag::Code => Some("code"),
        _ => None,
    }
}

const WORDS: [&str; 40] = [
    "a",
    "b",
    "word",
    " ",
    "  ",
    "\n",
    ".",
    ",",
    ":",
    "*",
    "**",
    "_",
    "__",
    "~",
    "~~",
    "`",
    "``",
    "[",
    "]",
    "(",
    ")",
    "!",
    "&lt;",
    "&gt;",
    "&amp;",
    "&amp;copy;",
    "\\",
    "#",
    "-",
    "+",
    "1.",
    "|",
    "=",
    "\"",
    "é",
    "（",
    "字",
    "&nbsp;",
    "<br>",
    "]:",
];

const INLINE: [&str; 10] = ["b", "i", "s", "code", "a href=/u", "em", "strong", "span", "u", "b"];

const BLOCKS: [&str; 24] = [
    "p",
    "div",
    "ul",
    "ol",
    "li",
    "blockquote",
    "table",
    "tr",
    "td",
    "th",
    "h1",
    "h3",
    "pre",
    "dl",
    "dt",
    "dd",
    "figure",
    "ul",
    "li",
    "hr",
    "section",
    "ol start=7",
    "td colspan=2",
    "td rowspan=3",
];

/// Text with elements in it that are opened and closed anyhow.
fn mixture(elements: &'static [&'static str], most: usize) -> impl Strategy<Value = String> {
    let word = (0..WORDS.len()).prop_map(|at| WORDS[at].to_owned());
    let open = (0..elements.len()).prop_map(move |at| format!("<{}>", elements[at]));
    let close = (0..elements.len()).prop_map(move |at| format!("</{}>", elements[at].split(' ').next().unwrap_or("")));
    prop::collection::vec(prop_oneof![5 => word, 2 => open, 2 => close], 0..most).prop_map(|parts| parts.concat())
}

fn mixed_blocks() -> impl Strategy<Value = String> {
    prop::collection::vec(prop_oneof![mixture(&BLOCKS, 12), mixture(&INLINE, 8)], 0..4).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn marks_are_where_the_page_has_them(inside in mixture(&INLINE, 14)) {
        let page = format!("<p>{inside}</p>");
        let markdown = whole(&page);
        let read = marked(&rendered(&markdown));
        prop_assert_eq!(read, marked(&page), "{}\n{}", page, markdown);
    }

    #[test]
    fn the_text_is_that_of_the_page(page in mixed_blocks()) {
        let markdown = whole(&page);
        let options = ContentOptions { main_content_only: false, ..ContentOptions::default() };
        let text = content(&page, Format::Text, options).text;
        let read = Dom::parse(&rendered(&markdown)).raw_text(NodeId::DOCUMENT);
        prop_assert_eq!(letters(&read), letters(&text), "{}\n{}", page, markdown);
    }

    #[test]
    fn clean_html_has_the_text_of_the_page(page in mixed_blocks()) {
        let options = ContentOptions { main_content_only: false, ..ContentOptions::default() };
        let text = content(&page, Format::Text, options).text;
        let clean = content(&page, Format::Html, options).text;
        let read = Dom::parse(&clean).raw_text(NodeId::DOCUMENT);
        prop_assert_eq!(letters(&read), letters(&text), "{}\n{}", page, clean);
    }

    #[test]
    fn anything_is_read(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let html = crate::decode(&bytes, None);
        let document = Document::parse(&html, None);
        document.metadata();
        for format in [Format::Markdown, Format::Text, Format::Html] {
            document.content(format, ContentOptions::default());
        }
    }
}
