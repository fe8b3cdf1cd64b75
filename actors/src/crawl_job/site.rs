//! What a site allows, asked for once per crawl.

use std::time::Duration;

use extract::Robots;
use tokio::time::Instant;
use url::Url;

use crate::page_loader::{PageLoader, SitemapLimits, find_sitemap};
use crate::proxy_escalator::FetchPage;

/// Our name in robots.txt.
const AGENT: &str = "BlazonBot";
/// Bytes of a robots.txt that are read (RFC 9309, 2.5: at least 500 KiB).
const MAX_ROBOTS_BYTES: usize = 512 << 10;
const ROBOTS_TIMEOUT: Duration = Duration::from_secs(15);
/// URLs of a sitemap that count as links of the seed: as many as a crawl may
/// have pages.
const MAX_SITEMAP_URLS: usize = 10_000;
const SITEMAP_TIMEOUT: Duration = Duration::from_secs(20);
/// What stands for a robots.txt that could not be had (RFC 9309, 2.3.1.4).
const NOTHING_ALLOWED: &str = "User-agent: *\nDisallow: /\n";

/// Reads the rules out of a robots.txt.
pub(super) fn rules(robots_txt: &str) -> Robots {
    Robots::parse(robots_txt.as_bytes(), AGENT)
}

/// Fetches a site's robots.txt; empty where the site has none, which allows
/// everything. A server that fails to answer allows nothing.
pub(super) async fn robots_txt(loader: &PageLoader, site: &Url) -> String {
    let Ok(url) = site.join("/robots.txt") else { return NOTHING_ALLOWED.to_owned() };
    let deadline = Instant::now() + ROBOTS_TIMEOUT;
    // One byte more than is read tells a longer file, of which the head counts.
    let request = FetchPage { url, deadline, max_bytes: 16 * MAX_ROBOTS_BYTES };
    let answer = loader.escalator.ask_until(deadline + loader.reply_grace, request).await;
    match answer {
        Ok(Ok(page)) if (200..300).contains(&page.status) => {
            let head = &page.body[..page.body.len().min(MAX_ROBOTS_BYTES)];
            // A zero byte is text to nobody, and PostgreSQL takes none.
            String::from_utf8_lossy(head).replace('\0', " ")
        }
        Ok(Ok(page)) if (400..500).contains(&page.status) && page.status != 429 => String::new(),
        _ => NOTHING_ALLOWED.to_owned(),
    }
}

/// Returns the URLs of a site's sitemap in the order of its files; none where it
/// has none or does not answer.
pub(super) async fn sitemap_urls(loader: &PageLoader, site: &Url, robots: &Robots) -> Vec<Url> {
    let limits = SitemapLimits { urls: MAX_SITEMAP_URLS, deadline: Instant::now() + SITEMAP_TIMEOUT };
    let found = find_sitemap(loader, site, robots.sitemaps(), limits).await;
    found.urls.iter().filter_map(|text| Url::parse(text).ok()).collect()
}
