use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{TagKind, TokenSink};

use super::{Next, Tokenizer, is_space};

impl<S: TokenSink> Tokenizer<'_, S> {
    /// Text up to the end tag of the element it stands in.
    pub(super) fn raw_text(&mut self, kind: RawKind, name: &str) -> Next {
        let rest = self.rest();
        let found = match kind {
            RawKind::ScriptData | RawKind::ScriptDataEscaped(_) => script_end(rest),
            RawKind::Rcdata | RawKind::Rawtext => end_tag(rest, name),
        };
        let end = found.map_or(self.html.len(), |found| self.at + found);
        if kind == RawKind::Rcdata {
            self.text_with_references(end);
        } else {
            self.text_without_references(end);
        }
        if found.is_some() { self.tag(TagKind::EndTag, end + "</".len()) } else { Next::Data }
    }

    /// Emits text up to a place; what is no character in it is U+FFFD.
    pub(super) fn text_without_references(&mut self, end: usize) {
        while let Some(found) = memchr::memchr(0, &self.html.as_bytes()[self.at..end]) {
            self.text(self.at + found);
            self.literal("\u{fffd}");
            self.at += 1;
        }
        self.text(end);
    }

    fn text_with_references(&mut self, end: usize) {
        while let Some(found) = memchr::memchr(b'&', &self.html.as_bytes()[self.at..end]) {
            self.text_without_references(self.at + found);
            self.reference();
        }
        self.text_without_references(end);
    }
}

/// Returns where the end tag of an element begins.
fn end_tag(text: &[u8], name: &str) -> Option<usize> {
    memchr::memchr_iter(b'<', text).find(|at| text.get(at + 1) == Some(&b'/') && is_named(&text[at + 2..], name))
}

/// Whether a tag's name begins here.
fn is_named(text: &[u8], name: &str) -> bool {
    let is_equal = text.get(..name.len()).is_some_and(|own| own.eq_ignore_ascii_case(name.as_bytes()));
    is_equal && text.get(name.len()).is_some_and(|behind| is_space(*behind) || matches!(behind, b'/' | b'>'))
}

/// How much of a script stands in a comment, where a script in it does not end
/// the outer one: WHATWG HTML 13.2.5.15 to 13.2.5.31.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Escape {
    Plain,
    Comment,
    Script,
}

/// Returns where the end tag of a script begins.
fn script_end(text: &[u8]) -> Option<usize> {
    let (mut at, mut escape) = (0, Escape::Plain);
    loop {
        at += match escape {
            Escape::Plain => memchr::memchr(b'<', &text[at..])?,
            _ => memchr::memchr2(b'<', b'-', &text[at..])?,
        };
        let here = &text[at..];
        let is_end = here.get(1) == Some(&b'/') && is_named(&here[2..], "script");
        match (escape, here[0]) {
            (_, b'-') => {
                if here.starts_with(b"-->") {
                    escape = Escape::Plain;
                }
                at += 1;
            }
            (Escape::Script, _) => {
                if is_end {
                    escape = Escape::Comment;
                }
                at += 1;
            }
            _ if is_end => return Some(at),
            (Escape::Plain, _) if here.starts_with(b"<!--") => {
                escape = Escape::Comment;
                // Its dashes may be those of its end.
                at += "<!".len();
            }
            (Escape::Comment, _) if is_named(&here[1..], "script") => {
                escape = Escape::Script;
                at += 1;
            }
            _ => at += 1,
        }
    }
}
