//! Blocks of code.

use crate::dom::{Dom, Kind, NodeId, Selection, Tag};

/// Returns what stands in a `<pre>`, with its line breaks.
pub(super) fn text_of(dom: &Dom, selection: &Selection, pre: NodeId) -> String {
    let mut code = String::new();
    gather(dom, selection, pre, &mut code);
    let lines = code.trim_end_matches(['\n', '\r', ' ', '\t']).trim_start_matches(['\n', '\r']);
    lines.replace("\r\n", "\n").replace('\r', "\n")
}

/// Returns what stands in a `<code>`, in one line and with single spaces.
pub(super) fn collapsed(dom: &Dom, selection: &Selection, id: NodeId) -> String {
    let mut code = String::new();
    gather(dom, selection, id, &mut code);
    let mut line = String::with_capacity(code.len());
    for character in code.chars() {
        if !character.is_ascii_whitespace() {
            line.push(character);
        } else if !line.ends_with(' ') {
            line.push(' ');
        }
    }
    line
}

/// Recursion is bounded by the depth of the tree.
fn gather(dom: &Dom, selection: &Selection, id: NodeId, code: &mut String) {
    for child in dom.children(id) {
        if selection.is_left_out(child) {
            continue;
        }
        match dom.kind(child) {
            Kind::Text(text) => code.push_str(text),
            Kind::Element(element) => match element.tag {
                Tag::Br => code.push('\n'),
                // The button that copies the code.
                Tag::Button | Tag::Script | Tag::Style | Tag::Svg | Tag::Noscript => {}
                tag if tag.is_block() => {
                    begin_line(code);
                    gather(dom, selection, child, code);
                    begin_line(code);
                }
                _ => gather(dom, selection, child, code),
            },
            Kind::Document => {}
        }
    }
}

fn begin_line(code: &mut String) {
    if !code.is_empty() && !code.ends_with('\n') {
        code.push('\n');
    }
}

/// Returns a block's marks: more than the longest run of them in the code.
pub(super) fn fence(code: &str) -> String {
    let longest = code.split(|mark| mark != '`').map(str::len).max().unwrap_or_default();
    "`".repeat((longest + 1).max(3))
}

/// Returns the language that a `<pre>`, the `<code>` in it or what is around it
/// names, by the conventions of HTML, highlight.js, Prism, Pandoc, Sphinx and
/// GitHub.
pub(super) fn language(dom: &Dom, pre: NodeId) -> Option<&str> {
    let own = std::iter::once(pre).chain(dom.elements(pre, Tag::Code).take(1));
    let around = dom.ancestors(pre).take(2);
    let named = own.chain(around).find_map(|id| {
        let stated = ["data-lang", "data-language"].iter().find_map(|name| dom.attribute(id, name));
        dom.attribute(id, "class").and_then(of_classes).or(stated)
    });
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"+-#._".contains(&byte);
    named.filter(|name| name.len() < 40 && name.bytes().all(is_name) && *name != "default" && *name != "none")
}

fn of_classes(classes: &str) -> Option<&str> {
    const PREFIXES: [&str; 5] = ["language-", "lang-", "highlight-source-", "highlight-text-", "highlight-"];
    const LEADERS: [&str; 3] = ["hljs", "sourceCode", "brush:"];
    let words = || classes.split_ascii_whitespace().map(|word| word.trim_end_matches(';'));
    let prefixed = PREFIXES.iter().find_map(|prefix| words().find_map(|word| word.strip_prefix(prefix)));
    let led = || words().skip_while(|word| !LEADERS.contains(word)).nth(1);
    prefixed
        .or_else(led)
        .or_else(|| words().find_map(|word| word.strip_prefix("brush:")))
        .filter(|name| !name.is_empty())
}
