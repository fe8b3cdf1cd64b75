use std::net::IpAddr;

use reqwest::header::{COOKIE, HeaderMap, HeaderValue, SET_COOKIE};
use url::Url;

/// Bounds of one jar: a browser keeps about as many for one site.
const MOST_COOKIES: usize = 50;
const LONGEST_COOKIE: usize = 4096;

/// The cookies of one fetch, gone with it. Sites that set a cookie and send the
/// visitor back to the same page would otherwise redirect for ever.
///
/// A `Domain` that is a public suffix (`co.uk`) is not told from others: what
/// one host of a chain of redirects wants the next to know, it can write into
/// the URL. A domain without a dot is refused.
#[derive(Default)]
pub(super) struct Jar(Vec<Cookie>);

struct Cookie {
    name: String,
    value: String,
    domain: String,
    /// Sent to the very host that set it, not to names below.
    host_only: bool,
    path: String,
    secure: bool,
}

impl Jar {
    /// Takes over what the answer of `url` sets and forgets what it deletes.
    pub(super) fn store(&mut self, url: &Url, headers: &HeaderMap) {
        for header in headers.get_all(SET_COOKIE) {
            let Ok(text) = std::str::from_utf8(header.as_bytes()) else { continue };
            let Some((cookie, expired)) = (text.len() <= LONGEST_COOKIE).then(|| parse(text, url)).flatten() else {
                continue;
            };
            self.0.retain(|known| {
                (&known.name, &known.domain, &known.path) != (&cookie.name, &cookie.domain, &cookie.path)
            });
            if !expired && self.0.len() < MOST_COOKIES {
                self.0.push(cookie);
            }
        }
    }

    /// The `Cookie` header for a request of `url`, if there is anything to say.
    pub(super) fn header(&self, url: &Url) -> Option<HeaderValue> {
        let mut sent: Vec<&Cookie> = self.0.iter().filter(|cookie| cookie.matches(url)).collect();
        // RFC 6265: the more specific path comes first.
        sent.sort_by_key(|cookie| std::cmp::Reverse(cookie.path.len()));
        let pairs: Vec<String> = sent.iter().map(|cookie| format!("{}={}", cookie.name, cookie.value)).collect();
        let mut value = HeaderValue::from_str(&pairs.join("; ")).ok().filter(|_| !pairs.is_empty())?;
        value.set_sensitive(true);
        Some(value)
    }

    /// Adds the `Cookie` header of `url` to `headers`.
    pub(super) fn apply(&self, url: &Url, headers: &mut HeaderMap) {
        if let Some(value) = self.header(url) {
            headers.insert(COOKIE, value);
        }
    }
}

impl Cookie {
    fn matches(&self, url: &Url) -> bool {
        let host = url.host_str().unwrap_or_default();
        let host_fits = if self.host_only { host == self.domain } else { is_within(host, &self.domain) };
        host_fits && path_fits(url.path(), &self.path) && (!self.secure || url.scheme() == "https")
    }
}

/// The cookie and whether it is to be deleted; `None` when it is malformed or
/// meant for another site.
fn parse(text: &str, url: &Url) -> Option<(Cookie, bool)> {
    let (pair, attributes) = text.split_once(';').unwrap_or((text, ""));
    let (name, value) = pair.split_once('=')?;
    let host = url.host_str()?;
    let mut cookie = Cookie {
        name: name.trim().to_owned(),
        value: value.trim().to_owned(),
        domain: host.to_owned(),
        host_only: true,
        path: default_path(url),
        secure: false,
    };
    let (mut expired, mut has_age) = (false, false);
    for attribute in attributes.split(';') {
        let (key, value) = attribute.split_once('=').unwrap_or((attribute, ""));
        let value = value.trim();
        match key.trim().to_ascii_lowercase().as_str() {
            "domain" if !value.is_empty() => {
                let domain = value.trim_start_matches('.').to_ascii_lowercase();
                let allowed = domain == host || (domain.contains('.') && is_within(host, &domain));
                allowed.then(|| (cookie.domain, cookie.host_only) = (domain, false))?;
            }
            "path" if value.starts_with('/') => value.clone_into(&mut cookie.path),
            "secure" => cookie.secure = true,
            "max-age" => (expired, has_age) = (value.parse::<i64>().is_ok_and(|seconds| seconds <= 0), true),
            "expires" if !has_age => expired = is_past(value),
            _ => {}
        }
    }
    (!cookie.name.is_empty()).then_some((cookie, expired))
}

/// Whether a date, in whichever of its many forms, has a year before this one.
/// Nothing finer is needed: a fetch is over before any date that is not meant
/// to delete the cookie.
fn is_past(date: &str) -> bool {
    let mut words = date.split(|letter: char| !letter.is_ascii_digit());
    let year = words.find(|word| word.len() == 4).and_then(|word| word.parse::<i32>().ok());
    year.is_some_and(|year| year < time::OffsetDateTime::now_utc().year())
}

/// RFC 6265, section 5.1.3: the domain itself or a name below it; addresses
/// have nothing below them.
fn is_within(host: &str, domain: &str) -> bool {
    let is_below = || host.strip_suffix(domain).is_some_and(|head| head.ends_with('.'));
    let is_address = || host.parse::<IpAddr>().is_ok() || host.starts_with('[');
    host == domain || (is_below() && !is_address())
}

/// RFC 6265, section 5.1.4.
fn path_fits(path: &str, cookie_path: &str) -> bool {
    path.strip_prefix(cookie_path)
        .is_some_and(|rest| rest.is_empty() || cookie_path.ends_with('/') || rest.starts_with('/'))
}

fn default_path(url: &Url) -> String {
    match url.path().rfind('/') {
        None | Some(0) => "/".to_owned(),
        Some(end) => url.path()[..end].to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The header that `then` gets after `at` has answered with `set`.
    fn sent(at: &str, set: &[&str], then: &str) -> Option<String> {
        let mut jar = Jar::default();
        let header = |value: &&str| (SET_COOKIE, HeaderValue::from_str(value).unwrap());
        jar.store(&at.parse().unwrap(), &HeaderMap::from_iter(set.iter().map(header)));
        jar.header(&then.parse().unwrap()).map(|value| value.to_str().unwrap().to_owned())
    }

    #[test]
    fn a_cookie_goes_back_to_its_host_and_where_its_domain_says() {
        let shop = "http://www.shop.test/a/b";
        assert_eq!(sent(shop, &["k=v"], "http://www.shop.test/a/c").as_deref(), Some("k=v"));
        assert_eq!(sent(shop, &["k=v; Path=/"], "http://shop.test/"), None, "the host alone");
        assert_eq!(sent(shop, &["k=v; Domain=.Shop.test; path=/"], "http://shop.test/").as_deref(), Some("k=v"));
        for (set, then) in [
            ("k=v; domain=shop.test; path=/", "http://othershop.test/"),
            ("k=v; domain=other.test; path=/", "http://other.test/"),
            ("k=v; domain=a.www.shop.test; path=/", "http://a.www.shop.test/"),
            ("k=v; domain=test; path=/", "http://bank.test/"),
            ("k=v", "http://www.shop.test/"),
            ("k=v; path=/a", "http://www.shop.test/ab"),
            ("k=v; path=/; secure", "http://www.shop.test/"),
            ("=v; path=/", "http://www.shop.test/"),
            ("no pair", "http://www.shop.test/a/b"),
        ] {
            assert_eq!(sent(shop, &[set], then), None, "{set}");
        }
        assert_eq!(sent("http://10.0.0.1/", &["k=v; domain=0.0.1"], "http://10.0.0.1/"), None);
    }

    #[test]
    fn a_later_cookie_replaces_and_an_expired_one_deletes() {
        let at = "https://shop.test/";
        assert_eq!(sent(at, &["k=1", "k=2", "j=3; secure"], at).as_deref(), Some("k=2; j=3"));
        assert_eq!(sent(at, &["k=1", "k=; max-age=0"], at), None);
        assert_eq!(sent(at, &["k=1", "k=; expires=Thu, 01 Jan 1970 00:00:00 GMT"], at), None);
        assert_eq!(sent(at, &["k=1", "k=; expires=Sat, 01-Jan-2000 00:00:00 GMT"], at), None);
        assert_eq!(sent(at, &["k=1; expires=Fri, 31 Dec 9999 23:59:59 GMT"], at).as_deref(), Some("k=1"));
        assert_eq!(sent(at, &["k=1; max-age=60; expires=Thu, 01 Jan 1970 00:00:00 GMT"], at).as_deref(), Some("k=1"));
        assert_eq!(sent(at, &["k=1", "j=2; path=/a"], "https://shop.test/a/b").as_deref(), Some("j=2; k=1"));
    }

    #[test]
    fn a_jar_has_a_bottom() {
        let many: Vec<String> = (0..1000).map(|number| format!("k{number}=v")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let header = sent("http://shop.test/", &many, "http://shop.test/").unwrap();
        assert_eq!(header.split("; ").count(), MOST_COOKIES);
        let long = format!("k={}", "v".repeat(LONGEST_COOKIE));
        assert_eq!(sent("http://shop.test/", &[&long], "http://shop.test/"), None);
    }
}
