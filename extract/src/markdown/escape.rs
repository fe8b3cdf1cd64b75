//! What of a text CommonMark would read as something else.

use super::inline::{Kind, Mark, Piece};

/// Where a paragraph's text stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Paragraph,
    /// A line of its own behind its mark.
    Heading,
    /// Between the bars of a table.
    Cell,
}

/// What of a whole paragraph decides whether single characters need an escape:
/// a delimiter alone in it delimits nothing.
#[derive(Debug, Clone, Copy)]
pub(super) struct Delimiters {
    star: bool,
    underscore: bool,
    tilde: bool,
    backtick: bool,
}

impl Delimiters {
    pub(super) fn of(text: &str, pieces: &[Piece]) -> Self {
        let is_repeated = |mark: u8| text.bytes().filter(|byte| *byte == mark).take(2).count() == 2;
        let (mut is_emphasised, mut is_struck, mut has_code) = (false, false, false);
        for piece in pieces {
            match piece.kind {
                Kind::Open(Mark::Strong | Mark::Emphasis) => is_emphasised = true,
                Kind::Open(Mark::Struck) => is_struck = true,
                // An image's description may hold anything.
                Kind::Ready => (is_emphasised, is_struck, has_code) = (true, true, true),
                // Nor is an escape one in an address or its title.
                Kind::Code | Kind::Open(Mark::Link(_)) => has_code = true,
                _ => {}
            }
        }
        Self {
            star: is_emphasised || is_repeated(b'*'),
            underscore: is_emphasised || is_repeated(b'_'),
            tilde: is_struck || is_repeated(b'~'),
            backtick: has_code || is_repeated(b'`'),
        }
    }

    /// Where anything may be a delimiter.
    pub(super) fn any() -> Self {
        Self { star: true, underscore: true, tilde: true, backtick: true }
    }
}

/// The surroundings of a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Around {
    pub(super) place: Place,
    pub(super) delimiters: Delimiters,
    /// The character behind the text; none at the end of a line.
    pub(super) next: Option<char>,
    /// A link begins right behind.
    pub(super) is_before_link: bool,
    /// Within the brackets of a link or image.
    pub(super) is_in_brackets: bool,
}

const SPECIAL: [bool; 256] = {
    let mut special = [false; 256];
    let marks = b"\\*_`<&[]~!|";
    let mut at = 0;
    while at < marks.len() {
        special[marks[at] as usize] = true;
        at += 1;
    }
    special
};

/// Writes text so that it is read as text wherever on a line it stands.
pub(super) fn text(out: &mut String, text: &str, around: Around) {
    let bytes = text.as_bytes();
    let are_brackets_special = around.is_in_brackets && !is_balanced(bytes);
    let (mut at, mut written) = (0, 0);
    while let Some(found) = bytes[at..].iter().position(|byte| SPECIAL[usize::from(*byte)]) {
        at += found;
        let mark = bytes[at];
        let end = at + bytes[at..].iter().take_while(|byte| **byte == mark && is_run(mark)).count().max(1);
        let next = text[end..].chars().next().or(around.next);
        out.push_str(&text[written..at]);
        let is_special = match mark {
            b'[' | b']' if are_brackets_special => true,
            b'!' => end == text.len() && around.is_before_link,
            _ => is_read(mark, out.chars().next_back(), &text[end..], next, around),
        };
        for _ in at..end {
            if is_special {
                out.push('\\');
            }
            out.push(char::from(mark));
        }
        (at, written) = (end, end);
    }
    out.push_str(&text[written..]);
}

/// Characters that are read together.
fn is_run(mark: u8) -> bool {
    matches!(mark, b'*' | b'_' | b'~' | b'`')
}

/// Whether a character would be read as a mark, by what is around it.
fn is_read(mark: u8, before: Option<char>, rest: &str, next: Option<char>, around: Around) -> bool {
    let is_space = |character: Option<char>| character.is_none_or(char::is_whitespace);
    let is_word = |character: Option<char>| character.is_some_and(char::is_alphanumeric);
    let is_loose = is_space(before) && is_space(next);
    match mark {
        b'\\' => next.is_some_and(|next| next.is_ascii_punctuation()),
        b'*' => around.delimiters.star && !is_loose,
        b'~' => around.delimiters.tilde && !is_loose,
        b'_' => around.delimiters.underscore && !is_loose && !(is_word(before) && is_word(next)),
        b'`' => around.delimiters.backtick,
        b'<' => next.is_some_and(|next| next.is_ascii_alphabetic() || matches!(next, '/' | '!' | '?')),
        b'&' => is_reference(rest),
        b']' => next == Some('('),
        b'|' => around.place == Place::Cell,
        _ => false,
    }
}

/// Whether what stands behind an ampersand makes it a character reference.
pub(super) fn is_reference(rest: &str) -> bool {
    let rest = rest.strip_prefix('#').unwrap_or(rest).as_bytes();
    let name = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    name > 0 && rest.get(name) == Some(&b';')
}

/// Whether a text's brackets pair and none of the pairs could be a link.
fn is_balanced(text: &[u8]) -> bool {
    let mut depth = 0_usize;
    for (at, byte) in text.iter().enumerate() {
        match byte {
            b'[' => depth += 1,
            b']' if depth == 0 || text.get(at + 1) == Some(&b'(') => return false,
            b']' => depth -= 1,
            _ => {}
        }
    }
    depth == 0
}

/// Where a text stands that begins a line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line {
    /// The text is the whole line.
    pub(super) is_alone: bool,
    /// It is the first of its paragraph.
    pub(super) is_first: bool,
    /// The paragraph has what would end the label of a definition.
    pub(super) may_define: bool,
}

/// Writes what stands at the beginning of a line so that it does not begin a
/// block, and returns the rest.
pub(super) fn line_start<'a>(out: &mut String, line: &'a str, at: Line) -> &'a str {
    let Some(first) = line.chars().next() else { return line };
    if first.is_ascii_digit() {
        return ordinal(out, line, at.is_alone);
    }
    if first.is_ascii_punctuation() && begins_block(line, first, at) {
        out.push('\\');
        out.push(first);
        return &line[1..];
    }
    line
}

fn begins_block(line: &str, first: char, at: Line) -> bool {
    let Line { is_alone, is_first, may_define } = at;
    let behind = line.trim_start_matches(first);
    let run = line.len() - behind.len();
    let is_spaced = behind.starts_with(' ') || (behind.is_empty() && is_alone);
    let only = |allowed: &str| is_alone && line.chars().all(|character| allowed.contains(character));
    let marks = line.bytes().filter(|byte| *byte == line.as_bytes()[0]).count();
    match first {
        '>' => true,
        '#' => run <= 6 && is_spaced,
        '+' => run == 1 && is_spaced,
        '-' => run == 1 && is_spaced || only("- ") || !is_first && only("-|: "),
        '*' => run == 1 && is_spaced || only("* ") && marks >= 3,
        '_' => only("_ ") && marks >= 3,
        '=' => !is_first && only("="),
        '|' | ':' => !is_first && only("-|: ") && line.contains('-'),
        '~' | '`' => run >= 3,
        '[' => is_first && (may_define || is_task(line)),
        // A block of HTML needs no closing bracket.
        _ => false,
    }
}

/// Whether an item's line would begin with the box of a task.
fn is_task(line: &str) -> bool {
    ["[ ]", "[x]", "[X]"].iter().any(|task| line.starts_with(task))
}

/// A number with a point or bracket would begin an ordered list.
fn ordinal<'a>(out: &mut String, line: &'a str, is_alone: bool) -> &'a str {
    let behind = line.trim_start_matches(|digit: char| digit.is_ascii_digit());
    let digits = line.len() - behind.len();
    let Some(rest) = behind.strip_prefix(['.', ')']).filter(|_| digits <= 9) else { return line };
    if !(rest.starts_with(' ') || rest.is_empty() && is_alone) {
        return line;
    }
    out.push_str(&line[..digits]);
    out.push('\\');
    behind
}
