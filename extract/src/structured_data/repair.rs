use std::iter::Peekable;
use std::str::Chars;

use serde_json::{Deserializer, Value};

/// Returns the values of a block, repaired where it is not JSON; those before
/// what nothing repairs.
pub(super) fn values(block: &str) -> Vec<Value> {
    let block = unwrapped(block);
    let (values, is_whole) = read(block);
    if is_whole {
        return values;
    }
    let (repaired, _) = read(&repaired(block));
    if repaired.len() >= values.len() { repaired } else { values }
}

fn read(text: &str) -> (Vec<Value>, bool) {
    let mut values = Vec::new();
    for value in Deserializer::from_str(text).into_iter() {
        match value {
            Ok(value) => values.push(value),
            Err(_) => return (values, false),
        }
    }
    (values, true)
}

/// Takes the marks of comments and CDATA sections off that once hid scripts
/// from old browsers.
fn unwrapped(block: &str) -> &str {
    const BEFORE: [&str; 7] = ["\u{feff}", "<!--", "//<![CDATA[", "/*<![CDATA[*/", "// <![CDATA[", "<![CDATA[", "//"];
    const BEHIND: [&str; 8] = ["-->", "//]]>", "/*]]>*/", "// ]]>", "]]>", "//", ";", "\u{feff}"];
    let mut block = block.trim();
    while let Some(inner) = BEFORE.iter().find_map(|mark| block.strip_prefix(mark)) {
        block = inner.trim_start();
    }
    while let Some(inner) = BEHIND.iter().find_map(|mark| block.strip_suffix(mark)) {
        block = inner.trim_end();
    }
    block
}

/// Writes a block again: control characters in strings and backslashes before
/// what needs none become what JSON allows, commas before a closing bracket and
/// comments go.
fn repaired(block: &str) -> String {
    let mut out = String::with_capacity(block.len() + 16);
    let mut rest = block.chars().peekable();
    let mut is_in_string = false;
    while let Some(character) = rest.next() {
        match character {
            '"' => {
                is_in_string = !is_in_string;
                out.push('"');
            }
            '\\' if is_in_string => escape(&mut rest, &mut out),
            control if is_in_string && control < ' ' => out.push(' '),
            ',' if !is_in_string => {
                skip_space(&mut rest);
                if !matches!(rest.peek(), Some(']' | '}' | ',') | None) {
                    out.push(',');
                }
            }
            '/' if !is_in_string => skip_comment(&mut rest),
            other => out.push(other),
        }
    }
    out
}

fn escape(rest: &mut Peekable<Chars>, out: &mut String) {
    match rest.next() {
        Some(known @ ('"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't' | 'u')) => out.extend(['\\', known]),
        Some(control) if control < ' ' => out.push(' '),
        Some(other) => out.push(other),
        None => {}
    }
}

fn skip_space(rest: &mut Peekable<Chars>) {
    while rest.next_if(|c| c.is_whitespace()).is_some() {}
}

fn skip_comment(rest: &mut Peekable<Chars>) {
    match rest.next() {
        Some('/') => while rest.next_if(|c| *c != '\n').is_some() {},
        Some('*') => {
            let mut last = ' ';
            for character in rest.by_ref() {
                if last == '*' && character == '/' {
                    break;
                }
                last = character;
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_pages_get_wrong_is_repaired() {
        let cases = [
            ("{\"a\": \"x\ny\"}", json!({"a": "x y"})),
            ("{\"a\": [1, 2,], }", json!({"a": [1, 2]})),
            ("<!-- {\"a\": 1} -->", json!({"a": 1})),
            ("//<![CDATA[\n{\"a\": 1}\n//]]>", json!({"a": 1})),
            ("{\"a\": 1};", json!({"a": 1})),
            (r#"{"a": "it\'s", "b": "\u00e9\"//,}"}"#, json!({"a": "it's", "b": "é\"//,}"})),
            ("{/* one */ \"a\": 1, // two\n \"b\": 2}", json!({"a": 1, "b": 2})),
            ("{\"a\": 1,, \"b\": 2}", json!({"a": 1, "b": 2})),
        ];
        for (block, value) in cases {
            assert_eq!(values(block), [value], "{block}");
        }
    }

    #[test]
    fn blocks_with_several_values_and_broken_ends() {
        assert_eq!(values("{\"a\": 1} {\"b\": 2}").len(), 2);
        assert_eq!(values("{\"a\": 1}\n{\"b\": \"un\"quoted\"}").len(), 1);
        assert!(values("not json").is_empty() && values("").is_empty() && values("\"\\").is_empty());
    }
}
