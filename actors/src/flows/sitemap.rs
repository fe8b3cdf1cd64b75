use std::collections::BTreeMap;
use std::time::Duration;

use bytes::Bytes;
use extract::sitemap::{Group, groups};
use serde::Serialize;
use tokio::time::Instant;
use url::Url;

use super::paid::{Answer, Finished, PaidRequest, paid_answer};
use super::{Caller, FlowError, WorkError};
use crate::cache::CacheKey;
use crate::page_loader::{FoundSitemap, SitemapLimits, find_sitemap_of_domain};
use crate::system::Services;

/// URLs of one answer.
const MAX_URLS: usize = 1_000;
const SEARCH_TIMEOUT: Duration = Duration::from_secs(20);
/// What others wait for the search of one: its time, and that of its record.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(25);

/// Order: what the sitemap of a domain lists.
#[derive(Debug, Clone)]
pub struct ScrapeSitemap {
    /// A host name in lower case ASCII.
    pub domain: String,
    pub read_cache: bool,
}

/// What the sitemap of a site lists.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct SitemapRecord {
    pub domain: String,
    /// The file that was used, where its redirects ended; an index where the
    /// URLs are in files that it lists. `null` when no URL was found.
    pub sitemap: Option<Url>,
    /// The URLs as the sitemap writes them, in its order, at most 1,000.
    pub urls: Vec<String>,
    /// How many `urls` are.
    pub count: usize,
    /// The `urls` by the first part of their path; start pages are under `/`.
    pub groups: BTreeMap<String, UrlGroup>,
    /// Whether the site lists, or may list, more than `urls`: beyond the limits,
    /// or in a file that did not answer. True, too, of a site that could not be
    /// reached.
    pub truncated: bool,
}

/// URLs that begin alike.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct UrlGroup {
    pub count: usize,
    /// The first five.
    pub samples: Vec<String>,
}

/// Finds and reads the sitemap of a domain, for 1 credit; for none when it has
/// no URL.
///
/// # Errors
/// [`FlowError`]; nothing is charged then.
pub async fn scrape_sitemap(services: &Services, caller: &Caller, order: ScrapeSitemap) -> Result<Answer, FlowError> {
    let endpoint = "web.scrape.sitemap";
    let request = PaidRequest {
        caller,
        endpoint,
        price: 1,
        key: CacheKey::new(endpoint, &[("domain", &order.domain)]),
        read_cache: order.read_cache,
        ttl: services.ttls.sitemap,
        timeout: ANSWER_TIMEOUT,
    };
    paid_answer(services, request, async || {
        let limits = SitemapLimits { urls: MAX_URLS, deadline: Instant::now() + SEARCH_TIMEOUT };
        let found = find_sitemap_of_domain(&services.loader, &order.domain, limits).await?;
        let domain = order.domain.clone();
        services.loader.cpu.run(move || finish(domain, found)).await?
    })
    .await
}

fn finish(domain: String, found: FoundSitemap) -> Result<Finished, WorkError> {
    let FoundSitemap { sitemap, urls, is_cut, has_gaps } = found;
    let groups = groups(urls.iter().map(String::as_str));
    let record = SitemapRecord {
        domain,
        sitemap,
        count: urls.len(),
        groups: groups.into_iter().map(|(name, group)| (name, group.into())).collect(),
        truncated: is_cut || has_gaps,
        urls,
    };
    let json = serde_json::to_vec(&record).map_err(|error| WorkError::Internal(error.to_string()))?;
    // What lacks a file today may have it in a minute.
    Ok(Finished { body: Bytes::from(json), cacheable: !has_gaps, is_free: record.urls.is_empty() })
}

impl From<Group> for UrlGroup {
    fn from(Group { count, samples }: Group) -> Self {
        Self { count, samples }
    }
}
