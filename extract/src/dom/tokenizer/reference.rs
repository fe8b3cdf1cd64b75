//! Character references: WHATWG HTML 13.2.5.72 to 13.2.5.80.

use html5ever::data::{C1_REPLACEMENTS, NAMED_ENTITIES};

/// Reads what stands behind an `&`. Returns what it stands for and its length;
/// nothing where the `&` is itself.
pub(super) fn read(text: &str, in_attribute: bool) -> Option<(String, usize)> {
    match text.as_bytes().first()? {
        b'#' => number(text),
        first if first.is_ascii_alphanumeric() => named(text, in_attribute),
        _ => None,
    }
}

/// The longest name that the table knows. It has the beginnings of names as
/// well, which stand for nothing.
fn named(text: &str, in_attribute: bool) -> Option<(String, usize)> {
    let mut found = None;
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b';';
    let longest = text.bytes().take_while(is_part).count();
    for length in 1..=longest {
        match NAMED_ENTITIES.get(&text[..length]) {
            None => break,
            Some((0, _)) => {}
            Some((first, second)) => found = Some(([*first, *second], length)),
        }
    }
    let (codes, length) = found?;
    let next = text.as_bytes().get(length);
    let is_open = !text[..length].ends_with(';');
    if in_attribute && is_open && next.is_some_and(|next| next.is_ascii_alphanumeric() || *next == b'=') {
        return None;
    }
    let characters = codes.into_iter().filter(|code| *code != 0).filter_map(char::from_u32).collect();
    Some((characters, length))
}

fn number(text: &str) -> Option<(String, usize)> {
    let (radix, start) = if text[1..].starts_with(['x', 'X']) { (16, 2) } else { (10, 1) };
    let digits = text[start..].chars().take_while(|digit| digit.is_digit(radix)).count();
    if digits == 0 {
        return None;
    }
    let end = start + digits;
    let code = text[start..end].chars().filter_map(|digit| digit.to_digit(radix)).fold(0_u32, |code, digit| {
        // Above the last character it matters no more.
        if code > 0x10_ffff { code } else { code * radix + digit }
    });
    let length = end + usize::from(text[end..].starts_with(';'));
    Some((character(code).to_string(), length))
}

/// The character a number stands for; what is none is U+FFFD, and the codes of
/// Windows-1252 that are none in Unicode are meant as such.
fn character(code: u32) -> char {
    let of_windows = usize::try_from(code).ok().and_then(|code| code.checked_sub(0x80));
    let of_windows = of_windows.and_then(|code| C1_REPLACEMENTS.get(code).copied().flatten());
    of_windows.or_else(|| char::from_u32(code).filter(|character| *character != '\0')).unwrap_or('\u{fffd}')
}
