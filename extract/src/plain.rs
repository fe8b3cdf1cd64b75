//! Short pieces of visible text: titles, names, dates.

use crate::dom::{Dom, NodeId, Tag};

/// Characters of one piece of text. A title or a name is shorter; what is longer
/// is a mistake of the page and not worth reading to its end.
const MAX_LINE: usize = 1_000;

/// Returns the text a reader sees within a node on one line, with a space where
/// a block or `<br>` begins; nothing where there is none.
pub(crate) fn line_of(dom: &Dom, id: NodeId) -> Option<String> {
    let mut text = String::new();
    let mut hidden_until = NodeId::DOCUMENT;
    for node in dom.subtree(id) {
        if node < hidden_until {
            continue;
        }
        if text.len() > MAX_LINE {
            break;
        }
        match dom.tag(node) {
            None => text.push_str(dom.text(node).unwrap_or_default()),
            Some(Tag::Script | Tag::Style | Tag::Svg | Tag::Noscript | Tag::Button | Tag::Select) => {
                hidden_until = dom.end(node);
            }
            Some(tag) if tag.is_block() || matches!(tag, Tag::Br | Tag::Time) => text.push(' '),
            Some(_) => {}
        }
    }
    line(&text)
}

/// Returns text with each run of white space as one space; nothing where there
/// is no other character. Soft hyphens and zero-width spaces go: readers do not
/// see them.
pub(crate) fn line(text: &str) -> Option<String> {
    let mut line = String::with_capacity(text.len().min(MAX_LINE));
    for word in text.split_whitespace() {
        if line.len() > MAX_LINE {
            break;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.extend(
            word.chars().filter(|c| !matches!(c, '\u{ad}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{feff}')),
        );
    }
    let line = line.trim();
    (!line.is_empty()).then(|| line.to_owned())
}

/// Returns text whose character references a page escaped twice, e.g. `&amp;amp;`
/// in an attribute, are read once more. Only the references that occur there.
pub(crate) fn unescaped(text: &str) -> String {
    if !text.contains('&') {
        return text.to_owned();
    }
    let pairs = [
        ("&quot;", "\""),
        ("&#039;", "'"),
        ("&#39;", "'"),
        ("&#x27;", "'"),
        ("&apos;", "'"),
        ("&#8217;", "’"),
        ("&#8211;", "–"),
        ("&nbsp;", " "),
        ("&reg;", "®"),
        ("&ndash;", "–"),
        ("&mdash;", "—"),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&amp;", "&"),
    ];
    pairs.iter().fold(text.to_owned(), |text, (reference, character)| text.replace(reference, character))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_what_a_reader_sees() {
        let dom = Dom::parse("<h1> One<br>two<style>x</style> <b>th</b>ree&shy;fold <p> four</h1>");
        let heading = dom.first(Tag::H1).expect("a heading");
        assert_eq!(line_of(&dom, heading).as_deref(), Some("One two threefold four"));
        assert_eq!(line(" \n\t"), None);
        assert_eq!(line("\u{200b}"), None);
        assert_eq!(unescaped("A &amp; B &#039;c&#039;"), "A & B 'c'");
    }
}
