//! What is a name in a byline and what is not.

use crate::{date, plain};

/// What stands before an author's name, in lower case.
const LABELS: [&str; 27] = [
    "written by",
    "posted by",
    "published by",
    "words by",
    "story by",
    "article by",
    "created by",
    "started by",
    "thread starter",
    "author:",
    "authors:",
    "author",
    "by:",
    "by",
    "von",
    "par",
    "por",
    "door",
    "autor:",
    "auteur :",
    "автор:",
    "作者：",
    "作者:",
    "著者：",
    "文：",
    "text by",
    "text:",
];

/// Words before which a name is over.
const ENDS: [&str; 25] = [
    "on",
    "updated",
    "published",
    "posted",
    "last",
    "min",
    "follow",
    "reviewed",
    "fact",
    "edited",
    "medically",
    "read",
    "said",
    "modified",
    "share",
    "am",
    "pm",
    "at",
    "wrote",
    "contributor",
    "joined",
    "is",
    "has",
    "view",
    "date",
];

/// What bylines say in place of a name.
const NO_NAMES: [&str; 34] = [
    "guest",
    "author",
    "authors",
    "anonymous",
    "about",
    "about the author",
    "view profile",
    "profile",
    "follow",
    "share",
    "contributors",
    "contributor",
    "read more",
    "login",
    "log in",
    "sign in",
    "sign up",
    "register",
    "all posts",
    "staff",
    "unknown",
    "default",
    "admin",
    "none",
    "null",
    "undefined",
    "user",
    "users",
    "members",
    "more",
    "contact",
    "settings",
    "home",
    "editor",
];

/// Words with which what is to be done begins.
const CALLS: [&str; 14] = [
    "visit", "sign", "join", "get", "shop", "see", "learn", "read", "log", "follow", "more", "click", "create", "view",
];

const WEEKDAYS: [&str; 10] = ["mon", "tue", "tues", "wed", "thu", "thur", "thurs", "fri", "sat", "sun"];

/// Characters and words of one name; papers name many authors in one text.
const MAX_LENGTH: usize = 150;
const MAX_WORDS: usize = 8;

/// Returns a declared name, trimmed, without a label; nothing for addresses,
/// templates and words that name nobody.
pub(super) fn declared(text: &str) -> Option<String> {
    let text = plain::line(&plain::unescaped(text))?;
    let text = behind_label(&text).filter(|rest| !rest.is_empty()).unwrap_or(&text);
    accepted(text)
}

/// Returns the name in a text that is to be one, without the date and the other
/// things that stand beside it.
pub(super) fn visible(text: &str) -> Option<String> {
    let text = plain::line(text).filter(|text| !text.contains("://"))?;
    let text = behind_label(&text).unwrap_or(&text);
    accepted(ended(text))
}

/// Returns the name behind a label where the text may as well go on as prose:
/// it must begin as a name does.
pub(super) fn signed(rest: &str) -> Option<String> {
    let is_capital = |first: char| first.is_uppercase() || !first.is_ascii();
    let begins_as_name = rest.starts_with(is_capital) || !rest.contains(' ');
    let name = Some(rest).filter(|_| begins_as_name).and_then(visible)?;
    let is_prose = name.split(' ').count() > 5 && !name.contains([',', '&']);
    (!is_prose).then_some(name)
}

/// Returns what stands behind a label such as `By`, maybe nothing; nothing at all
/// where the text has no label.
pub(super) fn behind_label(text: &str) -> Option<&str> {
    let rest = behind_one_label(text)?;
    // `Author: by Ann Ray`
    Some(behind_one_label(rest).unwrap_or(rest))
}

fn behind_one_label(text: &str) -> Option<&str> {
    LABELS.iter().find_map(|label| {
        let head = text.get(..label.len())?;
        let is_label = head.eq_ignore_ascii_case(label) || (!label.is_ascii() && head.to_lowercase() == *label);
        let rest = &text[head.len()..];
        let is_word_over = !label.ends_with(char::is_alphanumeric) || !rest.starts_with(char::is_alphanumeric);
        let is_sign = |c: char| c.is_whitespace() || matches!(c, ':' | '-' | '–');
        (is_label && is_word_over).then(|| rest.trim_start_matches(is_sign))
    })
}

/// Cuts behind the name: at a separator, a word that no name has, or a number
/// behind at least two words (names of forum users have digits, but no spaces).
fn ended(text: &str) -> &str {
    let text = text.split(['|', '•', '·', '»', '→', '(', '/', '[', '—', '…', '“']).find(|part| !part.trim().is_empty());
    let text = text.unwrap_or_default().trim();
    let mut at = 0;
    for (words, word) in text.split(' ').enumerate() {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        let is_number = words >= 2 && bare.starts_with(|c: char| c.is_ascii_digit());
        if words > 0 && (is_number || ENDS.contains(&bare.as_str()) || is_month_before_digit(text, at, word)) {
            return text[..at].trim_end_matches(" in ");
        }
        at += word.len() + 1;
    }
    text
}

fn is_month_before_digit(text: &str, at: usize, word: &str) -> bool {
    let behind = text.get(at + word.len() + 1..).unwrap_or_default();
    let behind_is_digit = behind.starts_with(|c: char| c.is_ascii_digit());
    behind_is_digit && date::first_day(&text[at..], date::Order::MonthFirst).is_some()
}

fn accepted(text: &str) -> Option<String> {
    let name =
        text.trim_matches(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | ':' | '-' | '–' | '—' | '"' | '“'));
    let words = name.split(' ').count();
    let lists = name.contains(',') || name.contains(" & ") || name.contains(" and ");
    let is_address = name.contains("://") || name.starts_with("www.") || name.starts_with('/');
    let is_template = name.contains(['{', '}', '<', '>']) || name.contains("%s");
    let first = name.split(' ').next().unwrap_or_default().to_lowercase();
    let is_call = words > 1 && CALLS.contains(&first.as_str());
    let is_day = words == 1 && (date::is_month(name) || WEEKDAYS.contains(&first.trim_end_matches('.')));
    let names_somebody = !is_call
        && !is_day
        && name.chars().any(char::is_alphabetic)
        && !NO_NAMES.contains(&name.to_lowercase().as_str());
    let fits = name.len() <= MAX_LENGTH && (words <= MAX_WORDS || lists);
    (fits && names_somebody && !is_address && !is_template).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_freed_of_what_stands_beside_them() {
        for (text, name) in [
            ("By Ann Ray", "Ann Ray"),
            ("Written by: Ann Ray | 3 May 2024", "Ann Ray"),
            ("by Ann Ray on May 3, 2024", "Ann Ray"),
            ("Ann Ray May 3, 2024", "Ann Ray"),
            ("Ann Ray, M.D.", "Ann Ray, M.D."),
            ("blue_lamp42", "blue_lamp42"),
            ("Posted by Bo · 3 min read", "Bo"),
            ("April Day", "April Day"),
            ("Ann and Bo", "Ann and Bo"),
        ] {
            assert_eq!(visible(text).as_deref(), Some(name), "{text}");
        }
        for text in [
            "",
            "By",
            "Author",
            "12",
            "August",
            "Sat",
            "Sign up for free",
            "View profile",
            "https://site.test/ann",
            "{{ author }}",
            "a b c d e f g h i",
        ] {
            assert_eq!(visible(text), None, "{text}");
        }
    }

    #[test]
    fn prose_is_not_signed() {
        let signed_by = |text| behind_label(text).and_then(signed);
        assert_eq!(signed_by("By Ann Ray").as_deref(), Some("Ann Ray"));
        assert_eq!(signed_by("By using this site you agree"), None);
        assert_eq!(signed_by("Byzantine emperors"), None);
        assert_eq!(signed_by("By The Time We Got There All Was Lost"), None);
        assert_eq!(behind_label("By"), Some(""));
    }
}
