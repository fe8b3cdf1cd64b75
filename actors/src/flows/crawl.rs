use std::collections::HashSet;
use std::time::Duration;

use futures::Stream;
use futures::stream::unfold;
use tokio::time::sleep;
use url::Url;
use uuid::Uuid;

use super::{Caller, FlowError};
use crate::crawl_job::{
    CancelCrawl, CrawlOptions, CrawlRecord, CrawlSummary, GetCrawl, ListCrawls, PageRange, StartCrawl, StartedCrawl,
};
use crate::system::Services;

/// How often a crawl that is watched is looked at.
const LOOK: Duration = Duration::from_millis(500);

/// Order: crawl a site.
#[derive(Debug, Clone)]
pub struct CrawlOrder {
    pub options: CrawlOptions,
    pub webhook_url: Option<Url>,
    pub idempotency_key: Option<String>,
}

/// Accepts a crawl and charges its first page.
///
/// # Errors
/// [`FlowError`]; nothing is charged then.
pub async fn start_crawl(services: &Services, caller: &Caller, order: CrawlOrder) -> Result<StartedCrawl, FlowError> {
    let CrawlOrder { options, webhook_url, idempotency_key } = order;
    for url in [Some(&options.url), webhook_url.as_ref()].into_iter().flatten() {
        services.egress.check_url(url).map_err(crate::page_loader::WorkError::from)?;
    }
    let start = StartCrawl {
        user: caller.user_id(),
        counted: matches!(caller, Caller::Keyed(_)),
        at_once: services.plans.of(caller.plan()).concurrent_crawls,
        options,
        webhook_url,
        idempotency_key,
    };
    Ok(services.crawls.ask(start).await??)
}

/// Returns a crawl of the caller's with a stretch of its pages; `None` when
/// there is none.
///
/// # Errors
/// [`FlowError`]
pub async fn crawl(
    services: &Services,
    caller: &Caller,
    id: Uuid,
    pages: Option<PageRange>,
) -> Result<Option<CrawlRecord>, FlowError> {
    Ok(services.crawls.ask(GetCrawl { user: caller.user_id(), id, pages }).await??)
}

/// Returns the caller's crawls, newest first.
///
/// # Errors
/// [`FlowError`]
pub async fn crawls(services: &Services, caller: &Caller) -> Result<Vec<CrawlSummary>, FlowError> {
    Ok(services.crawls.ask(ListCrawls { user: caller.user_id() }).await??)
}

/// Ends a crawl of the caller's; `false` when there is none that runs.
///
/// # Errors
/// [`FlowError`]
pub async fn cancel_crawl(services: &Services, caller: &Caller, id: Uuid) -> Result<bool, FlowError> {
    Ok(services.crawls.ask(CancelCrawl { user: caller.user_id(), id }).await??)
}

/// Follows a crawl: its state now unless `seen` is that state's number, then
/// whenever it has changed, until it has ended. The number of a state is that of
/// the URLs settled by then, and never falls; the end has one of its own.
pub fn watch_crawl(
    services: Services,
    caller: Caller,
    id: Uuid,
    seen: Option<i64>,
) -> impl Stream<Item = (i64, CrawlSummary)> {
    let seen: HashSet<i64> = seen.into_iter().collect();
    unfold(Some((services, caller, seen)), move |watching| async move {
        let (services, caller, mut seen) = watching?;
        loop {
            // Who watches comes back with the last number when this ends early.
            let record = crawl(&services, &caller, id, None).await.ok()??;
            let number = number(&record.summary);
            let has_ended = record.summary.has_ended();
            if seen.insert(number) {
                let next = (!has_ended).then_some((services, caller, seen));
                return Some(((number, record.summary), next));
            }
            if has_ended {
                return None;
            }
            sleep(LOOK).await;
        }
    })
}

fn number(summary: &CrawlSummary) -> i64 {
    let settled = summary.progress.fetched + summary.progress.failed + summary.progress.skipped;
    2 * settled + i64::from(summary.has_ended())
}
