//! Writes what was gathered of a paragraph, heading or cell.

use super::escape::{self, Around, Delimiters, Line, Place};
use super::inline::{Kind, Mark, Piece};
use super::target::Links;
use crate::dom::NodeId;

pub(super) struct Renderer<'a, 'p> {
    out: &'a mut String,
    links: &'a mut Links<'p>,
    text: &'a str,
    pieces: &'a [Piece],
    place: Place,
    delimiters: Delimiters,
    emphasis: &'static str,
    /// The next character has to be written by its number.
    is_next_numbered: bool,
    /// Where the line begins in `out`.
    line: usize,
    is_first_line: bool,
    /// What the open links lead to; nothing for those that are left out.
    targets: Vec<Option<String>>,
    /// Where emphasis was opened: the places of its marks.
    opened: Vec<(usize, usize)>,
}

impl<'a, 'p> Renderer<'a, 'p> {
    pub(super) fn new(
        out: &'a mut String,
        links: &'a mut Links<'p>,
        (text, pieces): (&'a str, &'a [Piece]),
        place: Place,
    ) -> Self {
        let line = out.len();
        Self {
            out,
            links,
            text,
            pieces,
            place,
            delimiters: Delimiters::of(text, pieces),
            emphasis: if has_neighbours(pieces) { "_" } else { "*" },
            is_next_numbered: false,
            line,
            is_first_line: true,
            targets: Vec::new(),
            opened: Vec::new(),
        }
    }

    /// Writes the pieces.
    pub(super) fn write(mut self) {
        let mut at = 0;
        while at < self.pieces.len() {
            at += self.piece(at);
        }
        if self.place == Place::Heading {
            close_heading(self.out, self.line);
        }
    }

    /// Writes a piece, or some that belong together; returns how many.
    fn piece(&mut self, at: usize) -> usize {
        match self.pieces[at].kind {
            Kind::Text => self.plain(at),
            // A link of such code at the beginning would define what it refers to, so it is escaped, and marked as
            // HTML marks it.
            Kind::Code if self.is_in_brackets() && self.text_of(at).contains("]:") => {
                self.out.push_str("<code>");
                self.plain(at);
                self.out.push_str("</code>");
            }
            Kind::Code => code_span(self.out, self.text_of(at), self.place),
            Kind::Ready => self.out.push_str(self.text_of(at)),
            Kind::Break => self.end_line(),
            Kind::Open(Mark::Link(link)) => return self.open_link(at, link),
            Kind::Close(Mark::Link(_)) => {
                if let Some(Some(target)) = self.targets.pop() {
                    self.out.push_str("](");
                    self.out.push_str(&target);
                    self.out.push(')');
                }
            }
            Kind::Open(mark) => self.open(at, mark),
            Kind::Close(mark) => self.close(at, mark),
        }
        1
    }

    fn text_of(&self, at: usize) -> &'a str {
        let start = at.checked_sub(1).map_or(0, |before| self.pieces[before].end);
        &self.text[start..self.pieces[at].end]
    }

    fn is_in_brackets(&self) -> bool {
        self.targets.iter().any(Option::is_some)
    }

    fn plain(&mut self, at: usize) {
        let mut text = self.text_of(at);
        if std::mem::take(&mut self.is_next_numbered)
            && let Some(first) = text.chars().next()
        {
            number(self.out, first);
            text = &text[first.len_utf8()..];
        }
        if self.place == Place::Paragraph && self.out.len() == self.line {
            let next = self.pieces.get(at + 1).map(|next| next.kind);
            let line = Line {
                is_alone: matches!(next, None | Some(Kind::Break)),
                is_first: self.is_first_line,
                may_define: text.starts_with('[') && self.text.contains("]:"),
            };
            text = escape::line_start(self.out, text, line);
        }
        let around = Around {
            place: self.place,
            delimiters: self.delimiters,
            next: self.next_character(at + 1),
            is_before_link: matches!(self.pieces.get(at + 1), Some(Piece { kind: Kind::Open(Mark::Link(_)), .. })),
            is_in_brackets: self.is_in_brackets(),
        };
        escape::text(self.out, text, around);
    }

    /// Returns the first character that a piece will be written with; none at
    /// the end of a line.
    fn next_character(&self, at: usize) -> Option<char> {
        let piece = self.pieces.get(at)?;
        match piece.kind {
            Kind::Text | Kind::Ready => self.text_of(at).chars().next(),
            Kind::Code => Some('`'),
            Kind::Break => Some('\\'),
            // A link that is left out is written by what it holds.
            Kind::Open(Mark::Link(_)) | Kind::Close(Mark::Link(_)) => Some('['),
            Kind::Open(mark) | Kind::Close(mark) => self.delimiter(mark).chars().next(),
        }
    }

    fn delimiter(&self, mark: Mark) -> &'static str {
        match mark {
            Mark::Strong => "**",
            Mark::Emphasis => self.emphasis,
            Mark::Struck => "~~",
            Mark::Link(_) => "",
        }
    }

    /// Opens emphasis. CommonMark wants no letter before it where no letter
    /// follows; a letter's number ends in a semicolon.
    fn open(&mut self, at: usize, mark: Mark) {
        let delimiter = self.delimiter(mark);
        let line = &self.out[self.line..];
        let before = line.chars().next_back();
        let is_inside_plain = self.next_character(at + 1).is_some_and(char::is_alphanumeric) && delimiter != "_";
        if !is_inside_plain && !is_apart(before) {
            self.number_last();
        }
        let start = self.out.len();
        self.out.push_str(delimiter);
        self.opened.push((start, self.out.len()));
    }

    /// Writes the last character by its number. Emphasis that opened right before
    /// it then wants no letter before itself.
    fn number_last(&mut self) {
        let Some(last) = self.out.pop() else { return };
        if self.opened.last().is_some_and(|(_, end)| *end == self.out.len()) {
            let start = self.opened.pop().map_or(0, |(start, _)| start);
            let delimiter = self.out.split_off(start);
            if !is_apart(self.out[self.line..].chars().next_back()) {
                self.number_last();
            }
            self.opened.push((self.out.len(), self.out.len() + delimiter.len()));
            self.out.push_str(&delimiter);
        } else if ends_in_escape(self.out) {
            // What stood before a letter may be a mark before a number.
            self.out.push('\\');
        } else if self.out.strip_suffix('_').is_some_and(|rest| !ends_in_escape(rest)) {
            self.out.pop();
            self.out.push_str("\\_");
        }
        number(self.out, last);
    }

    /// Closes emphasis, which is the same turned round.
    fn close(&mut self, at: usize, mark: Mark) {
        let delimiter = self.delimiter(mark);
        let is_inside_plain = self.out.chars().next_back().is_some_and(char::is_alphanumeric) && delimiter != "_";
        self.is_next_numbered = !is_inside_plain && !is_apart(self.next_character(at + 1));
        self.out.push_str(delimiter);
    }

    fn open_link(&mut self, at: usize, link: NodeId) -> usize {
        let target = self.links.target(link, self.place);
        if let (
            Some(target),
            Some(Piece { kind: Kind::Text, .. }),
            Some(Piece { kind: Kind::Close(Mark::Link(_)), .. }),
        ) = (&target, self.pieces.get(at + 1), self.pieces.get(at + 2))
            && let Some(address) = bare(target, self.text_of(at + 1))
        {
            self.out.push('<');
            self.out.push_str(address);
            self.out.push('>');
            return 3;
        }
        if target.is_some() {
            self.out.push('[');
        }
        self.targets.push(target);
        1
    }

    fn end_line(&mut self) {
        self.out.push_str(match self.place {
            Place::Paragraph => "\\\n",
            Place::Heading => " ",
            Place::Cell => "<br>",
        });
        self.line = self.out.len();
        self.is_first_line = false;
    }
}

/// Whether emphasis begins or ends right beside other emphasis. Marks of one
/// kind beside each other would be read as one.
fn has_neighbours(pieces: &[Piece]) -> bool {
    let is_delimiter = |piece: &Piece| {
        matches!(piece.kind, Kind::Open(Mark::Strong | Mark::Emphasis) | Kind::Close(Mark::Strong | Mark::Emphasis))
    };
    pieces.windows(2).any(|pair| pair.iter().all(is_delimiter))
}

/// Whether a character is white space or punctuation for every reader of
/// CommonMark, or a line ends there. They differ on symbols.
fn is_apart(character: Option<char>) -> bool {
    let is_sign = |character: char| {
        character.is_ascii_punctuation()
            || matches!(character, '«' | '»' | '‐'..='‧' | '、'..='〃' | '〈'..='】' | '！' | '（' | '）' | '，' | '．' | '：' | '；' | '？')
    };
    character.is_none_or(|character| character.is_whitespace() || is_sign(character))
}

/// Whether a backslash at the end escapes what will follow.
fn ends_in_escape(text: &str) -> bool {
    (text.len() - text.trim_end_matches('\\').len()) % 2 == 1
}

fn number(out: &mut String, character: char) {
    out.push_str("&#");
    out.push_str(&u32::from(character).to_string());
    out.push(';');
}

/// Returns what to put in angle brackets when a link's text is its target.
fn bare<'t>(target: &'t str, text: &'t str) -> Option<&'t str> {
    let is_whole = |url: &str| !url.contains(|end: char| end.is_whitespace() || "<>\\|".contains(end));
    let is_web = ["https://", "http://", "ftp://"].iter().any(|scheme| text.starts_with(scheme));
    let is_mail = || target.strip_prefix("mailto:") == Some(text) && is_mail_address(text);
    (is_whole(text) && (is_web && target == text || is_mail())).then_some(text)
}

/// The addresses that CommonMark takes for such.
fn is_mail_address(text: &str) -> bool {
    let is_label = |label: &str| {
        !label.is_empty()
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.len() < 64
    };
    let is_local = |byte: u8| byte.is_ascii_alphanumeric() || b".!#$%&'*+/=?^_`{|}~-".contains(&byte);
    text.split_once('@')
        .is_some_and(|(local, host)| !local.is_empty() && local.bytes().all(is_local) && host.split('.').all(is_label))
}

/// Writes code between as many backticks as it needs.
pub(super) fn code_span(out: &mut String, code: &str, place: Place) {
    let mut fence = 1;
    let runs: Vec<usize> = code.split(|mark| mark != '`').map(str::len).filter(|run| *run > 0).collect();
    while runs.contains(&fence) {
        fence += 1;
    }
    let is_blank = code.chars().all(|character| character == ' ');
    let is_padded = code.starts_with('`') || code.ends_with('`') || (code.starts_with(' ') && code.ends_with(' '));
    let padding = if is_padded && !is_blank { " " } else { "" };
    let marks = "`".repeat(fence);
    out.push_str(&marks);
    out.push_str(padding);
    if place == Place::Cell {
        out.push_str(&code.replace('|', "\\|"));
    } else {
        out.push_str(code);
    }
    out.push_str(padding);
    out.push_str(&marks);
}

/// Hashes at the end of a heading would be taken for its close.
fn close_heading(out: &mut String, start: usize) {
    let head = out[start..].trim_end_matches('#');
    let end = start + head.len();
    if end < out.len() && (head.is_empty() || head.ends_with(' ')) {
        out.insert(end, '\\');
    }
}
