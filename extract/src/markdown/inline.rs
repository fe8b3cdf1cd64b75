//! What stands in one paragraph, heading or cell, gathered before it is written:
//! what needs an escape depends on what follows.

use crate::dom::NodeId;

/// What text may be marked as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    Strong,
    Emphasis,
    Struck,
    /// To what an `<a>` points.
    Link(NodeId),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Text as the page has it, white space collapsed.
    Text,
    Code,
    /// Markdown that is ready.
    Ready,
    Open(Mark),
    Close(Mark),
    Break,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Piece {
    pub(super) kind: Kind,
    /// Where its text ends; it begins where that of the piece before ends.
    pub(super) end: usize,
}

#[derive(Debug, Default)]
pub(super) struct Inline {
    text: String,
    pieces: Vec<Piece>,
    /// The marks around the present place, outermost first.
    active: Vec<Mark>,
    /// How many of them were opened in the pieces. They open before the first
    /// word in them, so that none begins with a space and none is empty.
    opened: usize,
    /// A space is due before the next word.
    is_spaced: bool,
    /// A line break is due before the next word.
    is_broken: bool,
}

impl Inline {
    pub(super) fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    pub(super) fn is_broken(&self) -> bool {
        self.is_broken
    }

    /// Begins a new line before the next word.
    pub(super) fn end_line(&mut self) {
        self.is_broken = !self.pieces.is_empty();
    }

    pub(super) fn space(&mut self) {
        self.is_spaced = true;
    }

    /// Whether what follows is marked so already.
    pub(super) fn is_within(&self, mark: Mark) -> bool {
        self.active.contains(&mark)
    }

    pub(super) fn is_linked(&self) -> bool {
        self.active.iter().any(|mark| matches!(mark, Mark::Link(_)))
    }

    pub(super) fn open(&mut self, mark: Mark) {
        self.active.push(mark);
    }

    /// Ends the mark opened last.
    pub(super) fn close(&mut self) {
        let Some(mark) = self.active.pop() else { return };
        if self.opened <= self.active.len() {
            return;
        }
        self.opened = self.active.len();
        let behind = self.take_space_at_the_end();
        self.push(Kind::Close(mark));
        if !behind.is_empty() {
            self.text.push_str(&behind);
            self.push(Kind::Text);
        }
    }

    /// Takes the spaces off the end that HTML does not collapse, e.g. U+00A0.
    fn take_space_at_the_end(&mut self) -> String {
        let Some(Piece { kind: Kind::Text, .. }) = self.pieces.last() else { return String::new() };
        let end = self.text.trim_end().len().max(self.start_of_last());
        let behind = self.text.split_off(end);
        if end == self.start_of_last() {
            self.pieces.pop();
            if matches!(self.pieces.last(), Some(Piece { kind: Kind::Break, .. })) {
                self.pieces.pop();
                self.is_broken = true;
                return String::new();
            }
        } else if let Some(last) = self.pieces.last_mut() {
            last.end = end;
        }
        behind
    }

    fn start_of_last(&self) -> usize {
        self.pieces.len().checked_sub(2).map_or(0, |before| self.pieces[before].end)
    }

    fn push(&mut self, kind: Kind) {
        let end = self.text.len();
        match self.pieces.last_mut() {
            Some(last) if kind == last.kind && matches!(kind, Kind::Text | Kind::Code) => last.end = end,
            _ => self.pieces.push(Piece { kind, end }),
        }
    }

    /// Writes the space or break that is due.
    fn arrive(&mut self) {
        if !self.pieces.is_empty() {
            if self.is_broken {
                self.push(Kind::Break);
            } else if self.is_spaced {
                self.text.push(' ');
                self.push(Kind::Text);
            }
        }
        (self.is_spaced, self.is_broken) = (false, false);
    }

    /// Opens the marks that are due: before a word.
    fn enter(&mut self) {
        while let Some(mark) = self.active.get(self.opened) {
            match self.pieces.last() {
                // Two of a kind without anything between them are one.
                Some(Piece { kind: Kind::Close(before), .. }) if before == mark => drop(self.pieces.pop()),
                _ => self.push(Kind::Open(*mark)),
            }
            self.opened += 1;
        }
    }

    /// Adds text of the page.
    pub(super) fn text(&mut self, text: &str) {
        let mut rest = text;
        loop {
            let words = rest.trim_ascii_start();
            self.is_spaced |= words.len() < rest.len();
            if words.is_empty() {
                return;
            }
            rest = words;
            if self.opened < self.active.len() || self.pieces.is_empty() {
                rest = self.hard_spaces(words);
                if rest.len() < words.len() {
                    continue;
                }
            }
            self.arrive();
            self.enter();
            let end = end_of_run(rest.as_bytes());
            self.text.push_str(&rest[..end]);
            self.push(Kind::Text);
            rest = &rest[end..];
        }
    }

    /// Writes spaces that HTML does not collapse before the marks that are due;
    /// at the beginning they go.
    fn hard_spaces<'a>(&mut self, text: &'a str) -> &'a str {
        let rest = text.trim_start();
        if rest.len() < text.len() && !self.pieces.is_empty() {
            self.arrive();
            self.text.push_str(&text[..text.len() - rest.len()]);
            self.push(Kind::Text);
        }
        rest
    }

    /// Adds code, white space collapsed.
    pub(super) fn code(&mut self, code: &str) {
        self.add(Kind::Code, code);
    }

    /// Adds what is Markdown already.
    pub(super) fn ready(&mut self, markdown: &str) {
        self.add(Kind::Ready, markdown);
    }

    fn add(&mut self, kind: Kind, text: &str) {
        self.arrive();
        self.enter();
        self.text.push_str(text);
        self.push(kind);
    }

    /// Ends the paragraph: closes what is open, to be opened again in the next.
    pub(super) fn finish(&mut self) -> (&str, &[Piece]) {
        self.take_space_at_the_end();
        self.forget();
        while let Some(outer) = self.opened.checked_sub(1) {
            self.push(Kind::Close(self.active[outer]));
            self.opened = outer;
        }
        (&self.text, &self.pieces)
    }

    /// Forgets the space or break that is due.
    pub(super) fn forget(&mut self) {
        (self.is_spaced, self.is_broken) = (false, false);
    }

    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.pieces.clear();
    }
}

/// Returns where text ends that can be taken as it is: words with single spaces
/// between them.
fn end_of_run(text: &[u8]) -> usize {
    let mut at = 0;
    while at < text.len() {
        if text[at].is_ascii_whitespace() {
            let is_single = text[at] == b' ' && text.get(at + 1).is_some_and(|next| !next.is_ascii_whitespace());
            if !is_single {
                return at;
            }
        }
        at += 1;
    }
    at
}
