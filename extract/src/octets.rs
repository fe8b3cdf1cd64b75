//! Percent-encoding brought to one writing, to compare URLs by.

use std::borrow::Cow;

use percent_encoding::{percent_decode_str, percent_encode_byte};

/// Returns a path in the writing that RFC 9309 section 2.2.2 compares: octets
/// beyond ASCII percent-encoded, in capitals; those of letters, digits, `-`, `.`,
/// `_` and `~` not encoded.
pub(crate) fn normalised(path: &str) -> Cow<'_, str> {
    if path.is_ascii() && !path.contains('%') {
        return Cow::Borrowed(path);
    }
    let mut out = String::with_capacity(path.len() + 16);
    let mut rest = path;
    while let Some(character) = rest.chars().next() {
        let encoded = if character == '%' { octet(rest) } else { None };
        rest = &rest[if encoded.is_some() { 3 } else { character.len_utf8() }..];
        match encoded {
            Some(byte) if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') => {
                out.push(char::from(byte));
            }
            Some(byte) => out.push_str(percent_encode_byte(byte)),
            None if character.is_ascii() => out.push(character),
            None => character.encode_utf8(&mut [0; 4]).bytes().for_each(|byte| out.push_str(percent_encode_byte(byte))),
        }
    }
    Cow::Owned(out)
}

/// Reads a percent-encoded octet at the start of a text.
fn octet(text: &str) -> Option<u8> {
    let mut bytes = percent_decode_str(text.get(..3)?);
    bytes.next().filter(|_| bytes.next().is_none())
}
