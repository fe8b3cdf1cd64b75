//! What is kept of a receiver's answer. Pure.

use super::signature::{SCHEME, SigningSecret};

/// Bytes of a body that are read.
pub(super) const MOST_EXCERPT: usize = 1024;

const REDACTED: &str = "[redacted]";

/// How many characters of a Base64 secret are enough to know it: 72 bits, so
/// that one whose end was cut off is found too.
const TELLING: usize = 12;

/// The beginning of an answer's body, for the eyes of its owner: text, without
/// control characters, and without the signing secret and API keys, which a
/// receiver under construction likes to print. `None` when nothing is left.
pub(super) fn of(body: &[u8], secret: &SigningSecret) -> Option<String> {
    let text: String = String::from_utf8_lossy(body).chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let base64 = secret.base64();
    let known = [SCHEME, "blz_live_", &base64[..TELLING]];
    let shown = known.into_iter().fold(text, |text, start| redact(&text, start));
    let shown = shown.trim();
    (!shown.is_empty()).then(|| shown.to_owned())
}

/// Replaces each run of key characters that begins with `start`.
fn redact(text: &str, start: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(start) {
        shown.push_str(&rest[..at]);
        shown.push_str(REDACTED);
        rest = rest[at + start.len()..].trim_start_matches(|c: char| c.is_ascii_alphanumeric() || "+/=_-".contains(c));
    }
    shown.push_str(rest);
    shown
}

#[cfg(test)]
mod tests {
    use super::super::signature::RootSecret;
    use super::*;

    fn shown(body: &str) -> Option<String> {
        of(body.as_bytes(), &secret())
    }

    fn secret() -> SigningSecret {
        RootSecret::new("the root of the test").of(uuid::Uuid::nil())
    }

    #[test]
    fn secrets_are_not_kept_whole_cut_off_or_bare() {
        let whole = secret().reveal();
        assert_eq!(shown(&format!("bad key {whole}, sorry")).as_deref(), Some("bad key [redacted], sorry"));
        assert_eq!(shown(&format!("bad key {}", &whole[..20])).as_deref(), Some("bad key [redacted]"));
        let bare = whole.trim_start_matches("whsec_");
        assert_eq!(shown(&format!("{{\"key\":\"{bare}\"}}")).as_deref(), Some("{\"key\":\"[redacted]\"}"));
        assert_eq!(shown(&format!("{bare}{bare} blz_live_abc")).as_deref(), Some("[redacted] [redacted]"));
        assert_eq!(shown("whsec_of_somebody_else").as_deref(), Some("[redacted]"));
    }

    #[test]
    fn bytes_that_are_no_text_do_no_harm() {
        assert_eq!(shown("ok\r\n\u{1b}[31mred\0"), Some("ok   [31mred".to_owned()));
        assert_eq!(
            of(b"caf\xe9", &secret()).as_deref(),
            Some("caf\u{fffd}"),
            "PostgreSQL takes no NUL and no half character"
        );
        assert_eq!(shown(" \n"), None);
    }
}
