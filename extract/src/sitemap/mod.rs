//! Sitemaps in all the forms that sites serve: XML lists and indexes, plain
//! text, RSS and Atom; gzipped or not, in any charset.

mod decode;
mod groups;
mod xml;

#[cfg(test)]
mod tests;

pub use groups::{Group, groups};

use thiserror::Error;
use url::Url;

/// Entries of one file; the protocol allows as many.
const MAX_ENTRIES: usize = 50_000;

/// Characters of a URL; the protocol has fewer than 2,048.
const MAX_URL: usize = 2_048;

/// What a file lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Pages, as XML.
    Pages,
    /// Further sitemaps.
    Index,
    /// The newest pages, as RSS or Atom.
    Feed,
    /// Pages, one a line.
    Text,
}

/// A sitemap that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sitemap {
    pub kind: Kind,
    /// In the order of the file, as it declares them.
    pub entries: Vec<Entry>,
    /// Whether more than 50,000 entries were there, or the file broke off.
    pub is_cut: bool,
}

/// A page or a further sitemap.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Entry {
    /// An absolute URL of HTTP, as written.
    pub loc: String,
    /// As written.
    pub lastmod: Option<String>,
    /// The same page in other languages, `xhtml:link rel=alternate`.
    pub alternates: Vec<String>,
}

/// Why a file is no sitemap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum SitemapError {
    #[error("more than 50 MB, or inflated to more than 100 times its size")]
    TooLarge,
    #[error("neither a list of URLs nor XML that holds one")]
    NotASitemap,
    #[error("a web page, maybe an error page")]
    WebPage,
}

/// Reads a sitemap as served. Entries without an absolute URL of HTTP are passed
/// over; of XML that breaks off, what was whole stays.
pub fn parse(bytes: &[u8]) -> Result<Sitemap, SitemapError> {
    let text = decode::text(bytes)?;
    let start = text.trim_start();
    if is_web_page(start) {
        return Err(SitemapError::WebPage);
    }
    if start.starts_with('<') { xml::read(start) } else { lines(start) }
}

/// Whether a document begins as HTML does, behind comments and the like.
fn is_web_page(text: &str) -> bool {
    let mut rest = text;
    loop {
        rest = rest.trim_start();
        let behind = if rest.starts_with("<!--") {
            rest.find("-->").map(|at| at + 3)
        } else if rest.starts_with("<?") {
            rest.find("?>").map(|at| at + 2)
        } else {
            None
        };
        let Some(behind) = behind else { break };
        rest = &rest[behind..];
    }
    let begins = |word: &str| rest.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word));
    ["<!doctype html", "<html", "<head", "<body", "<title"].iter().any(|word| begins(word))
}

fn lines(text: &str) -> Result<Sitemap, SitemapError> {
    let urls = text.lines().map(str::trim).filter(|line| is_url(line));
    let mut urls = urls.map(|url| Entry { loc: url.to_owned(), ..Entry::default() });
    let entries: Vec<Entry> = urls.by_ref().take(MAX_ENTRIES).collect();
    if entries.is_empty() {
        return Err(SitemapError::NotASitemap);
    }
    Ok(Sitemap { kind: Kind::Text, entries, is_cut: urls.next().is_some() })
}

/// Whether a text is an absolute URL of HTTP.
fn is_url(text: &str) -> bool {
    let is_one = text.len() <= MAX_URL && !text.contains(char::is_whitespace);
    is_one && Url::parse(text).is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
}
