//! Which URLs belong to a site, and which of them are the same page. Pure.

use url::Url;

/// The site of a crawl: one host, with and without `www.`, on one port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Scope(String);

impl Scope {
    /// The site that a URL is of.
    pub(super) fn of(url: &Url) -> Self {
        Self(site(url))
    }

    /// The site under the name it was stored with.
    pub(super) fn named(name: &str) -> Self {
        Self(name.to_owned())
    }

    pub(super) fn name(&self) -> &str {
        &self.0
    }

    pub(super) fn contains(&self, url: &Url) -> bool {
        matches!(url.scheme(), "http" | "https") && site(url) == self.0
    }
}

fn site(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    let host = host.strip_prefix("www.").unwrap_or(host);
    match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}

/// Returns what two URLs of the same page have in common: everything but the
/// scheme, `www.`, the fragment and an empty query.
pub(super) fn page_key(url: &Url) -> String {
    let query = url.query().filter(|query| !query.is_empty());
    format!("{}{}{}{}", site(url), url.path(), if query.is_some() { "?" } else { "" }, query.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).expect("a URL")
    }

    #[test]
    fn a_site_is_a_host_and_a_port() {
        let scope = Scope::of(&url("https://www.site.test/start"));
        for inside in ["http://site.test/", "https://www.site.test:443/x", "https://site.test/?q"] {
            assert!(scope.contains(&url(inside)), "{inside}");
        }
        for outside in
            ["https://blog.site.test/", "https://site.test:8443/", "https://site.test.evil/", "ftp://site.test/"]
        {
            assert!(!scope.contains(&url(outside)), "{outside}");
        }
        assert_eq!(Scope::named(scope.name()), scope);
    }

    #[test]
    fn one_page_has_one_key() {
        let key = |text| page_key(&url(text));
        assert_eq!(key("https://www.site.test:443/a/./b/../c?#top"), key("http://site.test/a/c"));
        assert_ne!(key("https://site.test/a?x=1"), key("https://site.test/a?x=2"));
        assert_ne!(key("https://site.test/a"), key("https://site.test/a/"));
    }
}
