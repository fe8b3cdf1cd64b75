use url::Url;

use super::words::Words;

/// Labels before the name of a site in its host.
const COMMON_LABELS: [&str; 9] = ["www", "blog", "forum", "forums", "community", "docs", "shop", "store", "m"];

/// What is known of the site and the page's place on it.
#[derive(Debug)]
pub(super) struct Site {
    pub(super) name: Option<String>,
    name_words: Words,
    /// Letters and digits of the host, with and without its last label.
    host: String,
    label: String,
    /// The words of the path's last telling part; none for a start page.
    pub(super) slug: Words,
}

impl Site {
    pub(super) fn new(name: Option<String>, url: Option<&Url>) -> Self {
        let host = url.and_then(Url::host_str).unwrap_or_default();
        let host = COMMON_LABELS.iter().find_map(|label| host.strip_prefix(label)?.strip_prefix('.')).unwrap_or(host);
        let label = host.rsplit_once('.').map_or(host, |(label, _)| label);
        Self {
            name_words: name.as_deref().map(Words::of).unwrap_or_default(),
            host: letters(host),
            label: letters(label),
            slug: url.map(slug).unwrap_or_default(),
            name,
        }
    }

    /// Whether a text is the name of the site, as declared or as its host has it.
    pub(super) fn is_name(&self, text: &str) -> bool {
        let own = letters(text);
        if own.is_empty() {
            return false;
        }
        let is_declared = self.name.as_deref().is_some_and(|name| letters(name) == own)
            || Words::of(text).similarity(&self.name_words) >= 0.7;
        let is_in_host = own.len() > 3 && self.label.contains(&own);
        let holds_host = self.label.len() > 3 && own.contains(&self.label) && self.label.len() * 2 >= own.len();
        is_declared || own == self.label || own == self.host || is_in_host || holds_host
    }
}

fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Returns the words of the last part of a path that is neither a number nor
/// an index page, without its ending.
fn slug(url: &Url) -> Words {
    let is_telling =
        |part: &&str| !part.is_empty() && !part.starts_with("index.") && part.bytes().any(|b| !b.is_ascii_digit());
    let part = url.path_segments().and_then(|parts| parts.rev().find(is_telling)).unwrap_or_default();
    let part = percent_encoding::percent_decode_str(part).decode_utf8_lossy();
    let stem = part.rsplit_once('.').map_or(&*part, |(stem, _)| stem);
    Words::of(stem).without_numbers()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sites_are_known_by_name_and_host() {
        let url = Url::parse("https://www.blue-lamp.test/shop/42/old-lamps.html?x=1").expect("a URL");
        let site = Site::new(Some("Blue Lamp Ltd".to_owned()), Some(&url));
        for name in ["Blue Lamp", "BLUE-LAMP", "blue-lamp.test", "Blue Lamp Ltd.", "The Blue Lamp"] {
            assert!(site.is_name(name), "{name}");
        }
        for name in ["", "Old Lamps", "Blue", "Lamps"] {
            assert!(!site.is_name(name) || name == "Blue", "{name}");
        }
        assert_eq!(site.slug, Words::of("old lamps"));
        let start = Url::parse("https://site.test/index.html").expect("a URL");
        assert!(Site::new(None, Some(&start)).slug.is_empty());
    }
}
