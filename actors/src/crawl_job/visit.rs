//! Fetching one page of a crawl: at the site's pace, again where that may help,
//! in the browser where the plain page is an empty shell.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use tokio::time::{Instant, sleep, sleep_until};

use super::frontier::Target;
use super::options::CrawlOptions;
use super::pace::Pace;
use super::page::{self, Read, ReadPage};
use crate::page_loader::{LoadedPage, PageLoader, PageOrder, WorkError, load_page};

/// The time of one attempt.
const PAGE_TIMEOUT: Duration = Duration::from_secs(30);
/// Attempts on a page whose failure may pass.
const ATTEMPTS: i32 = 3;
/// Pause before the second attempt, doubled before the third.
const PAUSE: Duration = Duration::from_millis(500);
/// The longest `Retry-After` that is waited for.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(60);

/// Fetches the pages of one crawl.
pub(super) struct Visitor {
    pub loader: PageLoader,
    pub options: Rc<CrawlOptions>,
    pub pace: RefCell<Pace>,
}

/// How a visit ended.
#[derive(Debug)]
pub(super) struct Visit {
    pub target: Target,
    pub attempts: i32,
    pub outcome: Result<ReadPage, VisitFailure>,
}

/// Why there is no page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct VisitFailure {
    /// One of the words of `details.reason`, or `http_status`.
    pub reason: &'static str,
    pub status: Option<u16>,
}

impl Visitor {
    /// Visits a page until it is read or there is no hope left.
    pub(super) async fn visit(&self, target: Target) -> Visit {
        let mut attempts = 0;
        loop {
            attempts += 1;
            let (outcome, hope) = self.attempt(&target).await;
            match hope {
                Some(pause) if attempts < ATTEMPTS => sleep(pause.max(PAUSE * attempts.unsigned_abs())).await,
                _ => return Visit { target, attempts, outcome },
            }
        }
    }

    /// One attempt; a pause with it means that another may help.
    async fn attempt(&self, target: &Target) -> (Result<ReadPage, VisitFailure>, Option<Duration>) {
        let turn = self.pace.borrow_mut().turn(Instant::now());
        sleep_until(turn).await;
        match self.load(target, false).await {
            Ok(page) if page.status >= 400 => {
                let pause = self.refused(&page);
                (Err(VisitFailure { reason: "http_status", status: Some(page.status) }), pause)
            }
            Ok(page) => {
                self.pace.borrow_mut().went_well();
                (self.read(target, page).await, None)
            }
            Err(error) => {
                let may_pass = matches!(error.reason(), "timeout" | "refused" | "dns");
                (Err(failure(&error)), may_pass.then_some(PAUSE))
            }
        }
    }

    /// Notes a refusal; returns how long to wait before another attempt, if one
    /// may help.
    fn refused(&self, page: &LoadedPage) -> Option<Duration> {
        let retry_after = retry_after(page);
        if matches!(page.status, 429 | 503) {
            self.pace.borrow_mut().too_fast(Instant::now(), retry_after);
        }
        let may_pass = matches!(page.status, 408 | 425 | 429 | 500 | 502 | 503 | 504);
        may_pass.then(|| retry_after.unwrap_or(PAUSE).min(MAX_RETRY_AFTER))
    }

    async fn load(&self, target: &Target, javascript: bool) -> Result<LoadedPage, WorkError> {
        let order =
            PageOrder { url: target.url.clone(), javascript, wait_for: None, measure: false, timeout: PAGE_TIMEOUT };
        load_page(&self.loader, &order).await
    }

    async fn read(&self, target: &Target, plain: LoadedPage) -> Result<ReadPage, VisitFailure> {
        let Read { page, is_shell } = self.extract(target, plain).await?;
        if !is_shell {
            return Ok(page);
        }
        // Without a browser the shell is better than nothing.
        match self.load(target, true).await {
            Ok(rendered) if rendered.status < 400 => Ok(self.extract(target, rendered).await?.page),
            _ => Ok(page),
        }
    }

    async fn extract(&self, target: &Target, page: LoadedPage) -> Result<Read, VisitFailure> {
        let (url, depth, options) = (target.url.clone(), target.depth, CrawlOptions::clone(&self.options));
        let read = self.loader.cpu.run(move || page::read(&url, depth, page, &options)).await;
        match read {
            Ok(Ok(read)) => Ok(read),
            Ok(Err(error)) => Err(failure(&WorkError::Internal(error.to_string()))),
            Err(error) => Err(failure(&error)),
        }
    }
}

fn failure(error: &WorkError) -> VisitFailure {
    VisitFailure { reason: error.reason(), status: None }
}

/// `Retry-After` in seconds; the form with a date is rare and taken as absent.
fn retry_after(page: &LoadedPage) -> Option<Duration> {
    let (_, value) = page.headers.iter().find(|(name, _)| name == "retry-after")?;
    value.trim().parse().ok().map(Duration::from_secs)
}
