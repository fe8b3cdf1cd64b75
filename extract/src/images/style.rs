/// Returns the addresses in the backgrounds of a `style` attribute.
pub(super) fn backgrounds(style: &str) -> Vec<String> {
    // Most styles have none.
    if !style.contains("url(") && !style.contains("URL(") {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut rest = style;
    let mut property = "";
    while let Some(at) = rest.find([':', ';', '(']) {
        let (before, behind) = (&rest[..at], &rest[at + 1..]);
        match rest.as_bytes()[at] {
            b':' => {
                property = before.trim();
                rest = behind;
            }
            b';' => rest = behind,
            _ => {
                let (argument, behind) = argument(behind);
                let is_url = before.trim_end().to_ascii_lowercase().ends_with("url");
                if is_url && is_background(property) {
                    found.push(unescaped(argument));
                }
                rest = if is_url { behind } else { &rest[at + 1..] };
            }
        }
    }
    found
}

/// Returns the address in `url(…)`, or the text itself, without quotes.
pub(super) fn address(value: &str) -> String {
    let value = value.trim();
    let inner = value.strip_prefix("url(").and_then(|inner| inner.strip_suffix(')'));
    inner.unwrap_or(value).trim().trim_matches(['"', '\'']).to_owned()
}

fn is_background(property: &str) -> bool {
    property.eq_ignore_ascii_case("background") || property.eq_ignore_ascii_case("background-image")
}

/// Cuts what stands between parentheses, quoted or not, from what follows.
fn argument(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    let quote = text.chars().next().filter(|first| matches!(first, '"' | '\''));
    let (inner, end) = match quote {
        Some(quote) => (&text[1..], quote),
        None => (text, ')'),
    };
    let mut is_escaped = false;
    let found = inner.find(|c: char| {
        let is_end = c == end && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        is_end
    });
    let at = found.unwrap_or(inner.len());
    let behind = &inner[at..];
    let behind = if quote.is_some() { behind.split_once(')').map_or("", |(_, behind)| behind) } else { behind };
    (inner[..at].trim(), behind.strip_prefix(')').unwrap_or(behind))
}

/// Takes the backslashes out that escape signs; those of hexadecimal codes, which
/// addresses do not have, stay.
fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(character) = rest.next() {
        let escapes = character == '\\' && rest.peek().is_some_and(|next| !next.is_ascii_hexdigit());
        if !escapes {
            out.push(character);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backgrounds_are_found_in_styles() {
        for (style, urls) in [
            ("background-image: url(a.png)", vec!["a.png"]),
            ("color: red; BACKGROUND : #fff URL( 'b (1);x.png' ) no-repeat;", vec!["b (1);x.png"]),
            ("background: linear-gradient(red, rgba(0,0,0,.5)), url(\"a.png\"), url(b.png)", vec!["a.png", "b.png"]),
            ("background-image:url(https://site.test/a\\(1\\).png)", vec!["https://site.test/a(1).png"]),
            ("list-style: url(a.png); mask-image: url(b.png)", vec![]),
            ("background: url(data:image/png;base64,x), url(c.png)", vec!["data:image/png;base64,x", "c.png"]),
            ("background: url(", vec![""]),
            ("background: url('a", vec!["a"]),
        ] {
            assert_eq!(backgrounds(style), urls, "{style}");
        }
        assert_eq!(address(" url('a.png') "), "a.png");
        assert!(backgrounds(&"x(url(".repeat(50_000)).is_empty());
    }
}
