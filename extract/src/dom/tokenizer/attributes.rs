use html5ever::tendril::StrTendril;
use html5ever::tokenizer::TokenSink;
use html5ever::{Attribute, QualName, ns};

use super::{Tokenizer, is_space, reference};

/// Attributes of one tag that are kept. Each is compared with all before it.
const MAX_ATTRIBUTES: usize = 500;

impl<S: TokenSink> Tokenizer<'_, S> {
    /// Reads a tag's attributes up to behind its `>`. Returns whether it closes
    /// itself; nothing when the document ends first.
    pub(super) fn attributes(&mut self, attributes: &mut Vec<Attribute>) -> Option<bool> {
        let mut count = 0;
        loop {
            self.skip(is_space);
            match self.rest() {
                [] => return None,
                [b'>', ..] => {
                    self.at += 1;
                    return Some(false);
                }
                [b'/', b'>', ..] => {
                    self.at += 2;
                    return Some(true);
                }
                [b'/', ..] => self.at += 1,
                _ => {
                    count += 1;
                    let (name, value) = self.attribute()?;
                    if count <= MAX_ATTRIBUTES && attributes.iter().all(|before| before.name != name) {
                        attributes.push(Attribute { name, value });
                    }
                }
            }
        }
    }

    fn skip(&mut self, is_skipped: impl Fn(u8) -> bool) {
        let rest = self.rest();
        self.at += rest.iter().position(|byte| !is_skipped(*byte)).unwrap_or(rest.len());
    }

    fn attribute(&mut self) -> Option<(QualName, StrTendril)> {
        let start = self.at;
        // An equals sign is part of a name that begins with it.
        self.at += 1;
        self.skip(|byte| !is_space(byte) && !matches!(byte, b'/' | b'>' | b'='));
        let name = QualName::new(None, ns!(), self.names.get(&self.html[start..self.at]));
        self.skip(is_space);
        if *self.rest().first()? != b'=' {
            return Some((name, StrTendril::new()));
        }
        self.at += 1;
        self.skip(is_space);
        let value = match *self.rest().first()? {
            quote @ (b'"' | b'\'') => {
                let start = self.at + 1;
                let end = start + memchr::memchr(quote, &self.html.as_bytes()[start..])?;
                self.at = end + 1;
                self.value(start, end)
            }
            b'>' => StrTendril::new(),
            _ => {
                let start = self.at;
                self.skip(|byte| !is_space(byte) && byte != b'>');
                self.value(start, self.at)
            }
        };
        Some((name, value))
    }

    /// Returns a value with what its character references stand for.
    fn value(&self, start: usize, end: usize) -> StrTendril {
        let text = &self.html[start..end];
        if memchr::memchr2(b'&', 0, text.as_bytes()).is_none() {
            return self.slice(start, end);
        }
        let (mut value, mut rest) = (String::with_capacity(text.len()), text);
        while let Some(found) = memchr::memchr2(b'&', 0, rest.as_bytes()) {
            value.push_str(&rest[..found]);
            let behind = &rest[found + 1..];
            let reference =
                if rest.as_bytes()[found] == 0 { Some(("\u{fffd}".into(), 0)) } else { reference::read(behind, true) };
            match reference {
                Some((characters, length)) => {
                    value.push_str(&characters);
                    rest = &behind[length..];
                }
                None => {
                    value.push('&');
                    rest = behind;
                }
            }
        }
        value.push_str(rest);
        StrTendril::from(value)
    }
}
