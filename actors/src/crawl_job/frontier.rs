//! What is to be fetched next, and what a link that is met becomes. Pure.

use std::collections::{HashSet, VecDeque};

use extract::Robots;
use regex::Regex;
use sha2::{Digest, Sha256};
use url::Url;

use super::receipt::{Receipt, SkipReason};
use super::scope::{Scope, page_key};

/// URLs that one crawl remembers; links met beyond them are not looked at.
/// Ten times the most pages there can be.
const MAX_URLS: i64 = 100_000;
/// Characters of a URL that are followed.
const MAX_URL_CHARS: usize = 4_096;

/// A URL with its place in the order of discovery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Target {
    pub seq: i64,
    pub url: Url,
    pub depth: u32,
}

/// A URL met for the first time, and why it is not going to be fetched, if so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    pub target: Target,
    pub skipped: Option<SkipReason>,
}

/// Which links are followed.
pub(super) struct Rules {
    pub scope: Scope,
    pub robots: Robots,
    pub regex: Option<Regex>,
    pub max_depth: u32,
}

impl Rules {
    /// Why a link is not followed, if so. What the crawl's owner asked for comes
    /// before what the site asks for.
    fn refusal(&self, url: &Url, depth: u32) -> Option<SkipReason> {
        if self.regex.as_ref().is_some_and(|regex| !regex.is_match(url.as_str())) {
            Some(SkipReason::Regex)
        } else if depth > self.max_depth {
            Some(SkipReason::Depth)
        } else if !self.robots.allows(url) {
            Some(SkipReason::Robots)
        } else {
            None
        }
    }
}

/// The URLs of a crawl, first met first fetched.
#[derive(Default)]
pub(super) struct Frontier {
    waiting: VecDeque<Target>,
    /// Keys of every URL met.
    met: HashSet<u64>,
    /// Keys of the places where fetched pages were, after their redirects.
    fetched: HashSet<u64>,
    /// Hashes of the contents fetched.
    contents: HashSet<i64>,
    next_seq: i64,
}

impl Frontier {
    /// Takes up a URL that was stored before.
    pub(super) fn recall(&mut self, target: Target, is_waiting: bool) {
        self.met.insert(key(&target.url));
        self.next_seq = self.next_seq.max(target.seq + 1);
        if is_waiting {
            self.waiting.push_back(target);
        }
    }

    /// Takes up a page that was fetched before.
    pub(super) fn recall_page(&mut self, final_url: &Url, content: i64) {
        self.fetched.insert(key(final_url));
        self.contents.insert(content);
    }

    /// Returns the URL whose turn it is.
    pub(super) fn next(&mut self) -> Option<Target> {
        self.waiting.pop_front()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Takes the links of a page up that were not met before, in their order.
    pub(super) fn discover(&mut self, links: &[Url], depth: u32, rules: &Rules, receipt: &mut Receipt) -> Vec<Found> {
        let mut found = Vec::new();
        for link in links {
            if receipt.discovered >= MAX_URLS {
                break;
            }
            if link.as_str().len() > MAX_URL_CHARS || !rules.scope.contains(link) || !self.met.insert(key(link)) {
                continue;
            }
            let mut url = link.clone();
            url.set_fragment(None);
            let skipped = rules.refusal(&url, depth);
            let target = Target { seq: self.next_seq, url, depth };
            self.next_seq += 1;
            receipt.discovered += 1;
            match skipped {
                Some(reason) => receipt.skip(reason),
                None => self.waiting.push_back(target.clone()),
            }
            found.push(Found { target, skipped });
        }
        found
    }

    /// Whether a page is another that was fetched before: it was redirected to
    /// the same place, or has the same content. Else it is remembered.
    pub(super) fn is_duplicate(&mut self, final_url: &Url, content: i64) -> bool {
        let is_new_place = self.fetched.insert(key(final_url));
        let is_new_content = content == 0 || self.contents.insert(content);
        !(is_new_place && is_new_content)
    }
}

fn key(url: &Url) -> u64 {
    number(page_key(url).as_bytes())
}

/// A hash that stays the same between versions: it is stored with pages.
pub(super) fn number(bytes: &[u8]) -> u64 {
    let digest = Sha256::digest(bytes);
    digest.iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse("https://site.test/").and_then(|base| base.join(text)).expect("a URL")
    }

    fn rules(regex: Option<&str>, robots: &str) -> Rules {
        Rules {
            scope: Scope::of(&url("/")),
            robots: Robots::parse(robots.as_bytes(), "BlazonBot"),
            regex: regex.map(|regex| Regex::new(regex).expect("a pattern")),
            max_depth: 2,
        }
    }

    fn fates(found: &[Found]) -> Vec<(&str, Option<SkipReason>)> {
        found.iter().map(|found| (found.target.url.path(), found.skipped)).collect()
    }

    #[test]
    fn links_are_taken_in_order_once_and_by_the_rules() {
        let (mut frontier, mut receipt) = (Frontier::default(), Receipt::default());
        let rules = rules(Some("/(blog|secret)"), "User-agent: *\nDisallow: /secret");
        let links: Vec<_> = [
            "/blog/1",
            "/about",
            "/secret/x",
            "http://www.site.test/blog/1#a",
            "https://other.test/",
            "/blog/2",
            "mailto:x@y",
        ]
        .map(url)
        .into();
        let found = frontier.discover(&links, 1, &rules, &mut receipt);
        assert_eq!(
            fates(&found),
            [
                ("/blog/1", None),
                ("/about", Some(SkipReason::Regex)),
                ("/secret/x", Some(SkipReason::Robots)),
                ("/blog/2", None)
            ]
        );
        assert!(frontier.discover(&links, 1, &rules, &mut receipt).is_empty());
        let deep = frontier.discover(&[url("/blog/deep")], 3, &rules, &mut receipt);
        assert_eq!(fates(&deep), [("/blog/deep", Some(SkipReason::Depth))]);
        assert_eq!((receipt.discovered, receipt.waiting()), (5, 2));
        let order: Vec<_> = std::iter::from_fn(|| frontier.next()).map(|target| target.seq).collect();
        assert_eq!(order, [0, 3]);
    }

    #[test]
    fn what_was_stored_is_not_met_again() {
        let mut frontier = Frontier::default();
        frontier.recall(Target { seq: 0, url: url("/"), depth: 0 }, false);
        frontier.recall(Target { seq: 7, url: url("/a"), depth: 1 }, true);
        frontier.recall_page(&url("/"), 5);
        let mut receipt = Receipt { discovered: 2, ..Receipt::default() };
        let found = frontier.discover(&[url("/"), url("/a"), url("/b")], 1, &rules(None, ""), &mut receipt);
        assert_eq!(found[0].target.seq, 8);
        assert!(frontier.is_duplicate(&url("/"), 6), "the same place");
        assert!(frontier.is_duplicate(&url("/c"), 5), "the same content");
        assert!(!frontier.is_duplicate(&url("/d"), 0) && !frontier.is_duplicate(&url("/e"), 0), "too small to compare");
    }

    #[test]
    fn a_million_links_are_too_many() {
        let (mut frontier, mut receipt) =
            (Frontier::default(), Receipt { discovered: MAX_URLS - 2, ..Receipt::default() });
        let links: Vec<_> = (0..1_000).map(|n| url(&format!("/{n}"))).collect();
        assert_eq!(frontier.discover(&links, 1, &rules(None, ""), &mut receipt).len(), 2);
    }
}
