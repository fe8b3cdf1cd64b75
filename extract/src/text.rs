use crate::dom::{Dom, NodeId, Selection, Step, Tag};

/// Returns the text a reader sees: a line a block, cells apart, white space
/// collapsed except in `<pre>`.
pub(crate) fn of(dom: &Dom, selection: &Selection) -> String {
    let mut writer =
        Writer { dom, text: String::with_capacity(dom.len() * 8), space: false, preformatted: 0, hidden: 0 };
    for step in selection.walk(dom) {
        match step {
            Step::Enter(id) => writer.enter(id),
            Step::Leave(id) => writer.leave(id),
        }
    }
    writer.text.trim().to_owned()
}

struct Writer<'p> {
    dom: &'p Dom,
    text: String,
    /// A space is due before the next word.
    space: bool,
    preformatted: usize,
    hidden: usize,
}

impl Writer<'_> {
    fn enter(&mut self, id: NodeId) {
        if let Some(text) = self.dom.text(id) {
            if self.hidden == 0 {
                self.write(text);
            }
            return;
        }
        let Some(tag) = self.dom.tag(id) else { return };
        match tag {
            tag if is_hidden(tag) => self.hidden += 1,
            Tag::Br => self.end_line(),
            Tag::Pre => {
                self.end_line();
                self.preformatted += 1;
            }
            Tag::Td | Tag::Th => self.space = true,
            tag if tag.is_block() => self.end_line(),
            _ => {}
        }
    }

    fn leave(&mut self, id: NodeId) {
        match self.dom.tag(id) {
            Some(tag) if is_hidden(tag) => self.hidden -= 1,
            Some(Tag::Pre) => {
                self.preformatted = self.preformatted.saturating_sub(1);
                self.end_line();
            }
            Some(Tag::Td | Tag::Th) => self.space = true,
            Some(tag) if tag.is_block() => self.end_line(),
            _ => {}
        }
    }

    fn write(&mut self, text: &str) {
        if self.preformatted > 0 {
            self.text.push_str(text);
            return;
        }
        for word in text.split_inclusive(char::is_whitespace) {
            let trimmed = word.trim_end();
            if !trimmed.is_empty() {
                if self.space && !self.text.is_empty() && !self.text.ends_with('\n') {
                    self.text.push(' ');
                }
                self.text.push_str(trimmed);
                self.space = false;
            }
            self.space |= trimmed.len() < word.len();
        }
    }

    fn end_line(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
        self.space = false;
    }
}

fn is_hidden(tag: Tag) -> bool {
    matches!(
        tag,
        Tag::Script
            | Tag::Style
            | Tag::Noscript
            | Tag::Template
            | Tag::Iframe
            | Tag::Object
            | Tag::Head
            | Tag::Title
            | Tag::Svg
            | Tag::Canvas
            | Tag::Audio
            | Tag::Video
            | Tag::Select
            | Tag::Option
            | Tag::Textarea
    )
}
