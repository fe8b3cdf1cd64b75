//! Finding the sitemap of a site and reading it with all it leads to, within
//! bounds: files, bytes, depth and time.

use std::cell::Cell;
use std::collections::HashSet;
use std::pin::pin;
use std::rc::Rc;
use std::time::Duration;

use extract::Robots;
use extract::sitemap::{self, Kind, Sitemap};
use futures::stream::{self, StreamExt};
use tokio::time::{Instant, timeout_at};
use url::Url;

use super::{PageLoader, WorkError};
use crate::egress::EgressError;
use crate::proxy_escalator::{FetchPage, FetchedPage};

/// Where a sitemap is looked for when robots.txt leads to none, in this order.
const USUAL_PATHS: [&str; 3] = ["/sitemap.xml", "/sitemap_index.xml", "/sitemap-index.xml"];

/// Files asked for in one search.
const MAX_FILES: usize = 50;
/// Indexes within each other that are followed. The protocol allows none.
const MAX_NESTING: usize = 3;
/// Bytes of one file; the protocol allows 50 MB.
const MAX_FILE_BYTES: usize = 50 << 20;
/// Bytes of all files of one search.
const MAX_BYTES: usize = 100 << 20;
/// Files under way at a time: more would hold more than [`MAX_BYTES`].
const AT_ONCE: usize = MAX_BYTES / MAX_FILE_BYTES;
/// How long one file may take, so that a dead one leaves time for others.
const FILE_TIMEOUT: Duration = Duration::from_secs(8);

/// Bytes of a robots.txt, of which the parser reads the head.
const MAX_ROBOTS_BYTES: usize = 8 << 20;

/// What bounds a search besides what bounds every one.
#[derive(Debug, Clone, Copy)]
pub struct SitemapLimits {
    /// URLs that are wanted; the search ends with them.
    pub urls: usize,
    pub deadline: Instant,
}

/// What a site says it has.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FoundSitemap {
    /// The file that the first URL was found in or through; `None` without one.
    pub sitemap: Option<Url>,
    /// Absolute URLs as the files write them, in their order, repeated where
    /// they repeat them.
    pub urls: Vec<String>,
    /// Whether there is more than a limit lets through.
    pub is_cut: bool,
    /// Whether a file was not to be had now, so that another search may bring
    /// more.
    pub has_gaps: bool,
}

/// Finds the sitemap of a domain, over HTTPS or, where nobody speaks it, HTTP.
/// A site that cannot be reached has none.
///
/// # Errors
/// [`WorkError`] when the domain leads to an address that may not be reached, or
/// the fault is ours.
pub async fn find_sitemap_of_domain(
    loader: &PageLoader,
    domain: &str,
    limits: SitemapLimits,
) -> Result<FoundSitemap, WorkError> {
    for scheme in ["https", "http"] {
        let Ok(site) = Url::parse(&format!("{scheme}://{domain}/")) else { break };
        match robots_of(loader, &site, limits.deadline).await {
            Ok(robots) => return Ok(find_sitemap(loader, &site, robots.sitemaps(), limits).await),
            Err(WorkError::Egress(error)) if !is_refusal(&error, domain) => match error {
                EgressError::Refused(_) | EgressError::Tls(_) | EgressError::Timeout(_) => {}
                EgressError::Dns(_) => break,
                // Somebody is there, who has no robots.txt for us.
                _ => return Ok(find_sitemap(loader, &site, &[], limits).await),
            },
            Err(error) => return Err(error),
        }
    }
    Ok(FoundSitemap { has_gaps: true, ..FoundSitemap::default() })
}

/// Finds the sitemap of a site: the files that its robots.txt lists or, when
/// these hold no URL, the first of the usual ones that does.
pub async fn find_sitemap(loader: &PageLoader, site: &Url, listed: &[String], limits: SitemapLimits) -> FoundSitemap {
    let budget = Rc::new(Cell::new(MAX_BYTES));
    let mut search = Search { loader, limits, budget, asked: HashSet::new(), found: FoundSitemap::default() };
    // The protocol wants absolute URLs; others are meant from the root.
    let root = site.join("/").unwrap_or_else(|_| site.clone());
    search.walk(listed.iter().filter_map(|line| root.join(line).ok())).await;
    for path in USUAL_PATHS {
        if !search.found.urls.is_empty() {
            break;
        }
        search.walk(site.join(path)).await;
    }
    search.found
}

async fn robots_of(loader: &PageLoader, site: &Url, deadline: Instant) -> Result<Robots, WorkError> {
    let Ok(url) = site.join("/robots.txt") else { return Ok(Robots::parse(b"", "")) };
    let page = fetch(loader, url, deadline, MAX_ROBOTS_BYTES).await?;
    let file = if (200..300).contains(&page.status) { page.body } else { Default::default() };
    // Sitemaps belong to no agent's group.
    loader.cpu.run(move || Robots::parse(&file, "")).await
}

/// Whether the domain itself, not where it redirects to, may not be reached.
fn is_refusal(error: &EgressError, domain: &str) -> bool {
    matches!(error, EgressError::PrivateAddress(host) if host == domain) || matches!(error, EgressError::BadUrl(_))
}

async fn fetch(loader: &PageLoader, url: Url, until: Instant, max_bytes: usize) -> Result<FetchedPage, WorkError> {
    let deadline = until.min(Instant::now() + FILE_TIMEOUT);
    let request = FetchPage { url, deadline, max_bytes };
    Ok(loader.escalator.ask_until(deadline + loader.reply_grace, request).await??)
}

/// A file to be read.
#[derive(Debug, Clone)]
struct Wanted {
    url: Url,
    /// Where the search came from; `None` for a file that it begins with.
    root: Option<Url>,
}

/// What came of a file.
enum File {
    Read {
        final_url: Url,
        sitemap: Sitemap,
    },
    /// There is none, or it is none.
    Nothing,
    /// It was not to be had now.
    Missed,
}

struct Search<'a> {
    loader: &'a PageLoader,
    limits: SitemapLimits,
    /// Bytes that may still be fetched.
    budget: Rc<Cell<usize>>,
    /// Every file asked for or redirected to.
    asked: HashSet<Url>,
    found: FoundSitemap,
}

impl Search<'_> {
    /// Reads files and what they lead to, level by level.
    async fn walk(&mut self, files: impl IntoIterator<Item = Url>) {
        let mut level: Vec<_> = files.into_iter().map(|url| Wanted { url, root: None }).collect();
        for _ in 0..=MAX_NESTING {
            level = self.read_level(level).await;
        }
        self.found.is_cut |= !level.is_empty();
    }

    /// Reads files side by side and takes them in order, until there are enough
    /// URLs. Returns the files that they list.
    async fn read_level(&mut self, level: Vec<Wanted>) -> Vec<Wanted> {
        let (loader, deadline, budget) = (self.loader, self.limits.deadline, self.budget.clone());
        let admitted = self.admit(level);
        let (mut left, mut next) = (admitted.len(), Vec::new());
        let files =
            stream::iter(admitted).map(async |wanted| (read(loader, &wanted.url, deadline, &budget).await, wanted));
        let mut files = pin!(files.buffered(AT_ONCE));
        while left > 0 {
            if self.found.urls.len() >= self.limits.urls {
                self.found.is_cut = true;
                return Vec::new();
            }
            let Some((file, wanted)) = files.next().await else { break };
            self.take(file, wanted, &mut next);
            left -= 1;
        }
        next
    }

    /// The files that were not asked for before, as many as may be.
    fn admit(&mut self, level: Vec<Wanted>) -> Vec<Wanted> {
        let mut admitted = Vec::new();
        for mut wanted in level {
            wanted.url.set_fragment(None);
            if self.asked.contains(&wanted.url) {
                continue;
            }
            if self.asked.len() >= MAX_FILES {
                self.found.is_cut = true;
                break;
            }
            self.asked.insert(wanted.url.clone());
            admitted.push(wanted);
        }
        admitted
    }

    fn take(&mut self, file: File, wanted: Wanted, next: &mut Vec<Wanted>) {
        let (final_url, sitemap) = match file {
            File::Read { final_url, sitemap } => (final_url, sitemap),
            File::Nothing => return,
            File::Missed => {
                self.found.has_gaps = true;
                return;
            }
        };
        // Two names of one file are one file.
        if final_url != wanted.url && !self.asked.insert(final_url.clone()) {
            return;
        }
        let root = wanted.root.unwrap_or(final_url);
        self.found.is_cut |= sitemap.is_cut;
        let urls = sitemap.entries.into_iter().map(|entry| entry.loc);
        if sitemap.kind == Kind::Index {
            let files = urls.filter_map(|text| Url::parse(&text).ok());
            next.extend(files.map(|url| Wanted { url, root: Some(root.clone()) }));
            return;
        }
        let room = self.limits.urls - self.found.urls.len();
        self.found.is_cut |= urls.len() > room;
        self.found.urls.extend(urls.take(room));
        if !self.found.urls.is_empty() {
            self.found.sitemap.get_or_insert(root);
        }
    }
}

/// Reads one file. It takes from the budget what it may be large, and gives back
/// what it is not.
async fn read(loader: &PageLoader, url: &Url, deadline: Instant, budget: &Cell<usize>) -> File {
    let grant = budget.get().min(MAX_FILE_BYTES);
    budget.set(budget.get() - grant);
    let fetched = fetch(loader, url.clone(), deadline, grant).await;
    let used = fetched.as_ref().map_or(0, |page| page.body.len());
    budget.set(budget.get() + grant.saturating_sub(used));
    let page = match fetched {
        Ok(page) if (200..300).contains(&page.status) => page,
        Ok(page) if page.status < 500 && page.status != 429 => return File::Nothing,
        Ok(_) => return File::Missed,
        Err(error) => return failed(&error),
    };
    let body = page.body;
    match timeout_at(deadline, loader.cpu.run(move || sitemap::parse(&body))).await {
        Ok(Ok(Ok(sitemap))) => File::Read { final_url: page.final_url, sitemap },
        Ok(Ok(Err(_))) => File::Nothing,
        Ok(Err(_)) | Err(_) => File::Missed,
    }
}

/// Failures that would be the same tomorrow are none.
fn failed(error: &WorkError) -> File {
    use EgressError::{BadUrl, PrivateAddress, Redirects, TooLarge, Undecodable};
    match error {
        WorkError::Egress(BadUrl(_) | PrivateAddress(_) | Redirects(_) | TooLarge(_) | Undecodable(_)) => File::Nothing,
        _ => File::Missed,
    }
}
