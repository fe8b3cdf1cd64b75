use kuchikiki::NodeRef;
use kuchikiki::iter::NodeEdge;

/// Elements that begin and end a line.
const BLOCKS: [&str; 37] = [
    "address",
    "article",
    "aside",
    "blockquote",
    "body",
    "caption",
    "dd",
    "details",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hr",
    "html",
    "li",
    "main",
    "nav",
    "ol",
    "p",
    "pre",
    "section",
    "summary",
    "table",
    "tbody",
    "tr",
    "ul",
];

/// Returns the text a reader sees: a line a block, cells apart, white space
/// collapsed except in `<pre>`.
pub(crate) fn of(root: &NodeRef) -> String {
    let mut writer = Writer::default();
    for edge in root.traverse_inclusive() {
        match edge {
            NodeEdge::Start(node) => writer.enter(&node),
            NodeEdge::End(node) => writer.leave(&node),
        }
    }
    writer.text.trim().to_owned()
}

#[derive(Default)]
struct Writer {
    text: String,
    /// A space is due before the next word.
    space: bool,
    preformatted: usize,
}

impl Writer {
    fn enter(&mut self, node: &NodeRef) {
        if let Some(text) = node.as_text() {
            self.write(&text.borrow());
            return;
        }
        match name(node) {
            Some("br") => self.end_line(),
            Some("pre") => {
                self.end_line();
                self.preformatted += 1;
            }
            Some("td" | "th") => self.space = true,
            Some(block) if BLOCKS.contains(&block) => self.end_line(),
            _ => {}
        }
    }

    fn leave(&mut self, node: &NodeRef) {
        match name(node) {
            Some("pre") => {
                self.preformatted = self.preformatted.saturating_sub(1);
                self.end_line();
            }
            Some("td" | "th") => self.space = true,
            Some(block) if BLOCKS.contains(&block) => self.end_line(),
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

fn name(node: &NodeRef) -> Option<&str> {
    node.as_element().map(|element| &*element.name.local)
}
