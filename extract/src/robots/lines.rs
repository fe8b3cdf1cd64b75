use std::borrow::Cow;

/// Bytes of a line that are read: eight times what browsers take for a URL, as
/// in Google's parser.
const MAX_LINE: usize = 2083 * 8 - 1;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Key {
    UserAgent,
    Allow,
    Disallow,
    CrawlDelay,
    Sitemap,
}

#[derive(Debug)]
pub(super) struct Line<'a> {
    pub(super) key: Key,
    pub(super) value: Cow<'a, str>,
}

/// Returns the lines of a file that say something, without comments.
pub(super) fn of(file: &[u8]) -> impl Iterator<Item = Line<'_>> {
    let file = file.strip_prefix(b"\xef\xbb\xbf").unwrap_or(file);
    file.split(|byte| matches!(byte, b'\n' | b'\r')).filter_map(line)
}

fn line(bytes: &[u8]) -> Option<Line<'_>> {
    let bytes = &bytes[..bytes.len().min(MAX_LINE)];
    let bytes = bytes.split(|byte| *byte == b'#').next().unwrap_or_default().trim_ascii();
    let colon = bytes.iter().position(|byte| *byte == b':');
    // Without a colon, white space parts key and value if it parts just two.
    let space = || {
        let at = bytes.iter().position(u8::is_ascii_whitespace)?;
        let is_one_value = !bytes[at..].trim_ascii_start().iter().any(u8::is_ascii_whitespace);
        is_one_value.then_some(at)
    };
    let at = colon.or_else(space)?;
    let key = key(bytes[..at].trim_ascii())?;
    Some(Line { key, value: String::from_utf8_lossy(bytes[at + 1..].trim_ascii()) })
}

/// Reads a key as it is meant, by the misspellings that Google's parser knows.
fn key(written: &[u8]) -> Option<Key> {
    const KEYS: [(&str, Key); 15] = [
        ("user-agent", Key::UserAgent),
        ("useragent", Key::UserAgent),
        ("user agent", Key::UserAgent),
        ("allow", Key::Allow),
        ("disallow", Key::Disallow),
        ("dissallow", Key::Disallow),
        ("dissalow", Key::Disallow),
        ("disalow", Key::Disallow),
        ("diasllow", Key::Disallow),
        ("disallaw", Key::Disallow),
        ("crawl-delay", Key::CrawlDelay),
        ("crawldelay", Key::CrawlDelay),
        ("crawl delay", Key::CrawlDelay),
        ("sitemap", Key::Sitemap),
        ("site-map", Key::Sitemap),
    ];
    KEYS.iter().find(|(name, _)| written.eq_ignore_ascii_case(name.as_bytes())).map(|(_, key)| *key)
}
