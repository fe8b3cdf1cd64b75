//! The language a page declares, checked.

/// Returns a language tag in the form of BCP 47, e.g. `en` or `pt-BR`, from what
/// pages write for one: with `_`, in the wrong case, with several in a list.
/// Nothing for what is no tag.
pub(crate) fn tag(declared: &str) -> Option<String> {
    let first = declared.split([',', ';', ' ', '.']).find(|part| !part.is_empty())?;
    let mut parts = first.split(['-', '_']);
    let primary = parts.next()?.to_ascii_lowercase();
    let is_primary = matches!(primary.len(), 2 | 3) && primary.bytes().all(|byte| byte.is_ascii_lowercase());
    if !is_primary || matches!(primary.as_str(), "und" | "mul" | "zxx" | "mis") {
        return None;
    }
    let mut tag = primary;
    for part in parts.take_while(|part| is_subtag(part)).take(3) {
        tag.push('-');
        tag.push_str(&cased(part));
    }
    Some(tag)
}

fn is_subtag(part: &str) -> bool {
    (2..=8).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Regions are in capitals, scripts with the first, the rest in small letters.
fn cased(part: &str) -> String {
    let is_word = part.bytes().all(|byte| byte.is_ascii_alphabetic());
    match part.len() {
        2 => part.to_ascii_uppercase(),
        4 if is_word => part[..1].to_ascii_uppercase() + &part[1..].to_ascii_lowercase(),
        _ => part.to_ascii_lowercase(),
    }
}

#[cfg(test)]
mod tests {
    use super::tag;

    #[test]
    fn tags_are_brought_to_their_form() {
        for (declared, expected) in [
            ("en", "en"),
            ("EN_us", "en-US"),
            ("zh-hant-tw", "zh-Hant-TW"),
            ("de-DE, en", "de-DE"),
            ("pt_BR.UTF-8", "pt-BR"),
            ("es-419", "es-419"),
            ("en-", "en"),
        ] {
            assert_eq!(tag(declared).as_deref(), Some(expected), "{declared}");
        }
        for declared in ["", "{{lang}}", "english", "x-default", "und", "e", "12"] {
            assert_eq!(tag(declared), None, "{declared}");
        }
    }
}
