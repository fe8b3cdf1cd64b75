//! The text of a page as a reader sees it.

use crate::dom::{Dom, NodeId, Selection, Step, Tag};

/// Returns the text selected: a line a block, cells apart, white space collapsed
/// except in `<pre>`. Scripts, styles, drawings and the like have no text.
pub(crate) fn of(dom: &Dom, selection: &Selection) -> String {
    let mut writer = Writer::default();
    for step in selection.walk(dom) {
        match step {
            Step::Enter(id) => writer.enter(dom, id),
            Step::Leave(id) => writer.leave(dom.tag(id)),
        }
    }
    writer.text.truncate(writer.text.trim_end().len());
    writer.text
}

#[derive(Default)]
struct Writer {
    text: String,
    /// A space is due before the next word.
    space: bool,
    preformatted: usize,
    /// Depth in elements whose text is not the page's.
    silent: usize,
}

impl Writer {
    fn enter(&mut self, dom: &Dom, id: NodeId) {
        if let Some(text) = dom.text(id) {
            if self.silent == 0 {
                self.write(text);
            }
            return;
        }
        let Some(tag) = dom.tag(id) else { return };
        self.silent += usize::from(is_silent(tag));
        match tag {
            Tag::Br if self.preformatted > 0 => self.text.push('\n'),
            Tag::Br => self.end_line(),
            Tag::Pre => {
                self.end_line();
                self.preformatted += 1;
            }
            _ => self.edge(tag),
        }
    }

    fn leave(&mut self, tag: Option<Tag>) {
        let Some(tag) = tag else { return };
        self.silent -= usize::from(is_silent(tag));
        if tag == Tag::Pre {
            self.preformatted -= 1;
            self.end_line();
        } else {
            self.edge(tag);
        }
    }

    fn edge(&mut self, tag: Tag) {
        match tag {
            Tag::Td | Tag::Th | Tag::Button | Tag::Img => self.space = true,
            _ if tag.is_block() || tag == Tag::Main || tag == Tag::Table => self.end_line(),
            _ => {}
        }
    }

    fn write(&mut self, text: &str) {
        if self.preformatted > 0 {
            self.text.push_str(text);
            return;
        }
        self.space |= text.starts_with(char::is_whitespace);
        for word in text.split_whitespace() {
            if self.space && !self.text.is_empty() && !self.text.ends_with('\n') {
                self.text.push(' ');
            }
            self.text.push_str(word);
            self.space = true;
        }
        self.space &= text.ends_with(char::is_whitespace);
    }

    fn end_line(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
        self.space = false;
    }
}

/// Whether an element's text is never shown as text.
fn is_silent(tag: Tag) -> bool {
    matches!(
        tag,
        Tag::Head
            | Tag::Script
            | Tag::Style
            | Tag::Noscript
            | Tag::Template
            | Tag::Svg
            | Tag::Iframe
            | Tag::Object
            | Tag::Canvas
            | Tag::Audio
            | Tag::Video
            | Tag::Textarea
            | Tag::Select
            | Tag::Rp
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(html: &str) -> String {
        let dom = Dom::parse(html);
        of(&dom, &Selection::new(&dom, vec![dom.body()]))
    }

    #[test]
    fn text_is_what_a_reader_sees() {
        for (html, expected) in [
            ("<p>One <b>two</b>\n three<p>four", "One two three\nfour"),
            ("<p>One<b>two</b> <i> three</i>", "Onetwo three"),
            ("a<br>b<div>c<div>d</div></div>e", "a\nb\nc\nd\ne"),
            ("<table><tr><td>a<td>b<tr><th>c<td>d</table>", "a b\nc d"),
            ("<pre>a  b\n  c</pre>d", "a  b\n  c\nd"),
            ("<pre>a<br>b</pre>", "a\nb"),
            ("a<script>b</script><style>c</style><noscript>d</noscript><svg><text>e</text></svg>f", "af"),
            ("<p>a<p> <p>", "a"),
            ("<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>", "漢kan"),
            ("", ""),
        ] {
            assert_eq!(text(html), expected, "{html}");
        }
    }
}
