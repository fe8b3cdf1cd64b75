//! Cuts a document into tags and text as WHATWG HTML 13.2.5 says, for the tree
//! builder of html5ever.
//!
//! The whole document is in memory, so that the end of each part can be looked
//! for instead of stepping through states character by character, and the parts
//! share the document's memory. Parsing a page whole then takes half the time of
//! html5ever's own tokenizer alone, which is made for pieces that arrive one by
//! one.

mod attributes;
mod names;
mod raw_text;
mod reference;

use html5ever::Attribute;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{Doctype, Tag, TagKind, Token, TokenSink, TokenSinkResult};

use names::Names;

/// Cuts a document up; returns the sink.
pub(super) fn run<S: TokenSink>(html: &str, sink: S) -> S {
    let mut tokenizer = Tokenizer {
        html,
        // Texts and values of the tree share this one copy.
        shared: StrTendril::from(html),
        at: 0,
        sink,
        names: Names::default(),
        has_doctype: false,
    };
    let mut next = Next::Data;
    while tokenizer.at < html.len() {
        next = match next {
            Next::Data => tokenizer.data(),
            Next::RawText(kind, name) => tokenizer.raw_text(kind, &name),
            Next::Plaintext => {
                tokenizer.text_without_references(html.len());
                Next::Data
            }
        };
    }
    let _ = tokenizer.sink.process_token(Token::EOFToken, 1);
    tokenizer.sink.end();
    tokenizer.sink
}

/// How the document goes on.
enum Next {
    Data,
    /// Text up to the end tag of this name.
    RawText(RawKind, String),
    Plaintext,
}

struct Tokenizer<'h, S> {
    html: &'h str,
    shared: StrTendril,
    at: usize,
    sink: S,
    names: Names,
    has_doctype: bool,
}

impl<S: TokenSink> Tokenizer<'_, S> {
    fn rest(&self) -> &[u8] {
        &self.html.as_bytes()[self.at..]
    }

    /// Returns a part of the document without a copy. Documents of more than
    /// 4 GB do not get this far.
    fn slice(&self, start: usize, end: usize) -> StrTendril {
        let [offset, length] = [start, end - start].map(|number| u32::try_from(number).unwrap_or(u32::MAX));
        self.shared.subtendril(offset, length)
    }

    fn emit(&self, token: Token) -> TokenSinkResult<S::Handle> {
        self.sink.process_token(token, 1)
    }

    /// Emits text as it stands up to a place, and goes there.
    fn text(&mut self, end: usize) {
        if end > self.at {
            let _ = self.emit(Token::CharacterTokens(self.slice(self.at, end)));
            self.at = end;
        }
    }

    fn literal(&self, text: &str) {
        let _ = self.emit(Token::CharacterTokens(StrTendril::from(text)));
    }

    /// The data state, up to the next tag that changes it.
    fn data(&mut self) -> Next {
        let bytes = self.html.as_bytes();
        let mut read = self.at;
        while let Some(found) = memchr::memchr3(b'<', b'&', 0, &bytes[read..]) {
            let at = read + found;
            // Marks that begin nothing are part of the text around them.
            read = at + 1;
            match bytes[at] {
                b'<' => {
                    if begins_markup(&bytes[read..]) {
                        self.text(at);
                        let next = self.markup();
                        if !matches!(next, Next::Data) {
                            return next;
                        }
                        read = self.at;
                    }
                }
                b'&' => {
                    if let Some((characters, length)) = reference::read(&self.html[read..], false) {
                        self.text(at);
                        self.literal(&characters);
                        self.at = read + length;
                        read = self.at;
                    }
                }
                _ => {
                    self.text(at);
                    let _ = self.emit(Token::NullCharacterToken);
                    self.at = read;
                }
            }
        }
        self.text(self.html.len());
        Next::Data
    }

    /// Emits what a character reference stands for.
    fn reference(&mut self) {
        match reference::read(&self.html[self.at + 1..], false) {
            Some((characters, length)) => {
                self.literal(&characters);
                self.at += 1 + length;
            }
            None => self.text(self.at + 1),
        }
    }

    /// What a `<` begins.
    fn markup(&mut self) -> Next {
        match self.rest().get(1) {
            Some(first) if first.is_ascii_alphabetic() => return self.tag(TagKind::StartTag, self.at + 1),
            Some(b'/') => match self.rest().get(2) {
                Some(first) if first.is_ascii_alphabetic() => return self.tag(TagKind::EndTag, self.at + 2),
                Some(b'>') => self.at += 3,
                Some(_) => self.bogus_comment(2),
                None => self.text(self.html.len()),
            },
            Some(b'!') => self.declaration(),
            _ => self.bogus_comment(1),
        }
        Next::Data
    }

    /// Emits a tag whose name begins at a place.
    fn tag(&mut self, kind: TagKind, name: usize) -> Next {
        let bytes = &self.html.as_bytes()[name..];
        let length = bytes.iter().position(|byte| is_space(*byte) || matches!(byte, b'/' | b'>'));
        let end = name + length.unwrap_or(bytes.len());
        let name = self.names.get(&self.html[name..end]);
        let mut attributes: Vec<Attribute> = Vec::new();
        self.at = end;
        let Some(self_closing) = self.attributes(&mut attributes) else {
            // A tag that does not end before the document is none.
            self.at = self.html.len();
            return Next::Data;
        };
        let had_duplicate_attributes = false;
        let raw_name = if kind == TagKind::StartTag { name.clone() } else { html5ever::LocalName::default() };
        let tag = Tag { kind, name, self_closing, attrs: attributes, had_duplicate_attributes };
        match self.emit(Token::TagToken(tag)) {
            TokenSinkResult::RawData(kind) => Next::RawText(kind, raw_name.to_string()),
            TokenSinkResult::Plaintext => Next::Plaintext,
            // Scripts are not run, and the document is decoded already.
            _ => Next::Data,
        }
    }

    /// What `<!` begins.
    fn declaration(&mut self) {
        let rest = &self.html[self.at + 2..];
        let is_doctype = rest.as_bytes().get(..7).is_some_and(|word| word.eq_ignore_ascii_case(b"doctype"));
        if let Some(comment) = rest.strip_prefix("--") {
            self.comment(2 + 2 + comment_length(comment));
        } else if is_doctype {
            self.doctype();
        } else if rest.starts_with("[CDATA[") && self.sink.adjusted_current_node_present_but_not_in_html_namespace() {
            self.character_data();
        } else {
            self.bogus_comment(2);
        }
    }

    /// A comment of so many bytes. What it says goes nowhere.
    fn comment(&mut self, length: usize) {
        let _ = self.emit(Token::CommentToken(StrTendril::new()));
        self.at += length;
    }

    /// A comment up to the next `>`, behind so many bytes.
    fn bogus_comment(&mut self, skipped: usize) {
        let rest = self.rest();
        let end = memchr::memchr(b'>', &rest[skipped..]).map_or(rest.len(), |at| skipped + at + 1);
        self.comment(end);
    }

    /// A doctype ends at the next `>` whatever stands in it. It decides how the
    /// tree is built only where it comes first.
    fn doctype(&mut self) {
        let rest = self.rest();
        let end = self.at + memchr::memchr(b'>', rest).map_or(rest.len(), |at| at + 1);
        if !std::mem::replace(&mut self.has_doctype, true) {
            let doctype = read_doctype(&self.html[self.at..end]);
            let _ = self.emit(Token::DoctypeToken(doctype));
        }
        self.at = end;
    }

    /// A CDATA section, of SVG or MathML.
    fn character_data(&mut self) {
        self.at += "<![CDATA[".len();
        let end = self.html[self.at..].find("]]>").map_or(self.html.len(), |at| self.at + at);
        while let Some(found) = memchr::memchr(0, &self.html.as_bytes()[self.at..end]) {
            self.text(self.at + found);
            let _ = self.emit(Token::NullCharacterToken);
            self.at += 1;
        }
        self.text(end);
        self.at = self.html.len().min(end + "]]>".len());
    }
}

/// Whether a tag, a comment or a declaration goes on so behind its `<`.
fn begins_markup(behind: &[u8]) -> bool {
    behind.first().is_some_and(|first| first.is_ascii_alphabetic() || matches!(first, b'/' | b'!' | b'?'))
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | 0x0c | b' ')
}

/// Returns the length of a comment behind its `<!--`, its end included.
fn comment_length(comment: &str) -> usize {
    for abrupt in [">", "->"] {
        if comment.starts_with(abrupt) {
            return abrupt.len();
        }
    }
    let bytes = comment.as_bytes();
    for at in memchr::memmem::find_iter(bytes, b"--") {
        match &bytes[at + 2..] {
            [b'>', ..] => return at + 3,
            [b'!', b'>', ..] => return at + 4,
            // The last two of three dashes.
            [b'-', b'>', ..] => return at + 4,
            [b'-', b'!', b'>', ..] => return at + 5,
            _ => {}
        }
    }
    bytes.len()
}

/// Reads a doctype, which is one in a page, by the tokenizer of html5ever.
fn read_doctype(text: &str) -> Doctype {
    use html5ever::tokenizer::{BufferQueue, Tokenizer, TokenizerOpts};
    let tokenizer = Tokenizer::new(DoctypeSink::default(), TokenizerOpts::default());
    let input = BufferQueue::default();
    input.push_back(StrTendril::from(text));
    let _ = tokenizer.feed(&input);
    tokenizer.end();
    tokenizer.sink.0.take()
}

#[derive(Default)]
struct DoctypeSink(std::cell::RefCell<Doctype>);

impl TokenSink for DoctypeSink {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        if let Token::DoctypeToken(doctype) = token {
            self.0.replace(doctype);
        }
        TokenSinkResult::Continue
    }
}

#[cfg(test)]
mod tests;
