//! One crawl from where it stands to its end.
//!
//! Pages are fetched side by side and committed in the order of their discovery,
//! so that the same site gives the same pages in the same order, whatever answers
//! first. What is fetched and not yet committed is never more than what may be
//! under way at once: that much a crash can cost.

use std::rc::Rc;
use std::time::Duration;

use futures::FutureExt;
use futures::stream::{FuturesOrdered, StreamExt};
use sea_orm::DatabaseConnection;
use time::OffsetDateTime;
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval, sleep};
use tokio_util::task::AbortOnDropHandle;
use url::Url;
use uuid::Uuid;

use super::CrawlError;
use super::frontier::{Frontier, Rules, Target};
use super::options::url_regex;
use super::page::ReadPage;
use super::receipt::{Receipt, SkipReason};
use super::scope::Scope;
use super::site;
use super::store::{self, Batch, Ending, Money, SettledUrl, StoredPage};
use super::visit::{Visit, VisitFailure, Visitor};
use crate::database::{millis, write};
use crate::job_queue::{self, Finish, JobQueue};
use crate::page_loader::PageLoader;

/// How often the owner's wish to end it is looked for.
const LOOK: Duration = Duration::from_secs(1);
/// Attempts at a commit while the database fails, a second apart: shorter than
/// a lease, after which another may have the crawl.
const COMMITS: u32 = 12;

/// What a crawl needs to be run.
#[derive(Clone)]
pub(super) struct Job {
    pub id: Uuid,
    pub epoch: i64,
    pub db: DatabaseConnection,
    pub queue: JobQueue,
    pub loader: PageLoader,
    /// Turns true when the process ends or the job is lost.
    pub stop: watch::Receiver<bool>,
}

/// Why a crawl is not run any further here.
#[derive(Debug)]
pub(super) enum Left {
    /// It has ended.
    Ended,
    /// Somebody else has it.
    Lost,
    /// It is to be handed back.
    Stopped,
    Failed(CrawlError),
}

impl From<CrawlError> for Left {
    fn from(error: CrawlError) -> Self {
        Self::Failed(error)
    }
}

type Window = FuturesOrdered<AbortOnDropHandle<Visit>>;

struct Crawl {
    job: Job,
    frontier: Frontier,
    receipt: Receipt,
    money: Money,
    rules: Rules,
    max_pages: i64,
    expires_at: i64,
    use_sitemap: bool,
    visitor: Rc<Visitor>,
    window: Window,
    /// Whether the seed has been settled, so that the site is known.
    is_open: bool,
}

/// Runs a crawl to its end, or until it is stopped or lost.
pub(super) async fn run(job: Job) -> Left {
    let mut stop = job.stop.clone();
    let stopped = async move {
        let _ = stop.wait_for(|stop| *stop).await;
    };
    let running = async {
        let Some(mut crawl) = open(job).await? else { return Err(Left::Ended) };
        crawl.go_on().await
    };
    tokio::select! {
        left = running => left.err().unwrap_or(Left::Ended),
        () = stopped => Left::Stopped,
    }
}

/// Reads a crawl up; `None` when it has ended already.
async fn open(job: Job) -> Result<Option<Crawl>, Left> {
    let resumed = write(&job.db, async |txn| {
        let Some(resumed) = store::resume(txn, job.id).await? else { return Ok(None) };
        let is_ours = job_queue::hold_on(txn, job.id, job.epoch).await?;
        Ok::<_, CrawlError>(Some((resumed, is_ours)))
    })
    .await?;
    let Some((resumed, is_ours)) = resumed else { return Ok(None) };
    if !is_ours {
        return Err(Left::Lost);
    }
    let robots_txt = match resumed.robots_txt {
        Some(text) => text,
        None => fetch_robots(&job, &resumed.options.url).await?,
    };
    let scope = resumed.site.as_deref().map_or_else(|| Scope::of(&resumed.options.url), Scope::named);
    let robots = site::rules(&robots_txt);
    let regex = resumed.options.url_regex.as_deref().map(url_regex).transpose();
    let options = Rc::new(resumed.options);
    let visitor = Visitor {
        loader: job.loader.clone(),
        options: options.clone(),
        pace: super::pace::Pace::new(robots.crawl_delay()).into(),
    };
    Ok(Some(Crawl {
        job,
        frontier: resumed.frontier,
        receipt: resumed.receipt,
        money: resumed.money,
        rules: Rules { scope, robots, regex: regex.map_err(CrawlError::Corrupt)?, max_depth: options.max_depth },
        max_pages: i64::from(options.max_pages),
        expires_at: resumed.expires_at,
        use_sitemap: options.use_sitemap,
        visitor: Rc::new(visitor),
        window: Window::new(),
        is_open: resumed.site.is_some(),
    }))
}

async fn fetch_robots(job: &Job, url: &Url) -> Result<String, CrawlError> {
    let text = site::robots_txt(&job.loader, url).await;
    store::keep_robots(&job.db, job.id, &text).await?;
    Ok(text)
}

impl Crawl {
    async fn go_on(&mut self) -> Result<(), Left> {
        if !self.is_open && !self.rules.robots.allows(&self.visitor.options.url) {
            return self.end(Ending::Robots).await;
        }
        let mut look = interval(LOOK);
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        self.commit(Batch::default()).await?;
        loop {
            self.fill();
            if self.window.is_empty() {
                return self.end(self.ending()).await;
            }
            tokio::select! {
                Some(first) = self.window.next() => {
                    let visits = self.ready_after(first);
                    self.settle(visits).await?;
                }
                _ = look.tick() => self.look().await?,
            }
        }
    }

    /// Starts as many visits as may be under way. The seed goes alone: only its
    /// answer says which site it is.
    fn fill(&mut self) {
        let at_once = if self.is_open { self.visitor.pace.borrow().at_once() } else { 1 };
        let room = self.max_pages.min(self.money.pages()) - self.receipt.fetched;
        while self.window.len() < at_once && (self.window.len() as i64) < room {
            let Some(target) = self.frontier.next() else { return };
            let visitor = self.visitor.clone();
            let visiting = actix::spawn(async move { visitor.visit(target).await });
            self.window.push_back(AbortOnDropHandle::new(visiting));
        }
    }

    /// The visits that have ended behind one that has, in order.
    fn ready_after(&mut self, first: Finished) -> Vec<Visit> {
        let mut visits: Vec<_> = first.ok().into_iter().collect();
        while let Some(Some(Ok(visit))) = self.window.next().now_or_never() {
            visits.push(visit);
        }
        visits
    }

    /// Why nothing is left to be fetched.
    fn ending(&self) -> Ending {
        if self.receipt.fetched == 0 && !self.is_open {
            Ending::SeedUnreachable
        } else if self.frontier.is_empty() {
            Ending::Whole
        } else if self.receipt.fetched >= self.max_pages {
            Ending::MaxPages
        } else {
            Ending::Credits
        }
    }

    async fn settle(&mut self, visits: Vec<Visit>) -> Result<(), Left> {
        let mut batch = Batch::default();
        for Visit { target, attempts, outcome } in visits {
            let mut row = SettledUrl {
                crawl_id: self.job.id,
                seq: target.seq,
                state: "fetched",
                reason: None,
                status_code: None,
                attempts,
            };
            match outcome {
                Err(failure) => self.failed(failure, &mut row),
                Ok(page) => self.read(target, page, &mut row, &mut batch).await?,
            }
            batch.settled.push(row);
        }
        self.commit(batch).await
    }

    fn failed(&mut self, failure: VisitFailure, row: &mut SettledUrl) {
        self.receipt.failed += 1;
        (row.state, row.reason, row.status_code) = ("failed", Some(failure.reason), failure.status);
    }

    async fn read(
        &mut self,
        target: Target,
        page: ReadPage,
        row: &mut SettledUrl,
        batch: &mut Batch,
    ) -> Result<(), Left> {
        if !self.is_open {
            self.enter(&page.final_url).await?;
        }
        row.status_code = Some(page.status);
        if !self.rules.scope.contains(&page.final_url) {
            self.receipt.failed += 1;
            (row.state, row.reason) = ("failed", Some("redirected_offsite"));
            return Ok(());
        }
        if self.frontier.is_duplicate(&page.final_url, page.content_hash) {
            self.receipt.skip(SkipReason::Duplicate);
            (row.state, row.reason) = ("skipped", Some(SkipReason::Duplicate.as_str()));
            return Ok(());
        }
        self.receipt.fetched += 1;
        let mut links = page.links;
        if target.seq == 0 && self.use_sitemap {
            links.extend(site::sitemap_urls(&self.job.loader, &page.final_url, &self.rules.robots).await);
        }
        batch.found.extend(self.frontier.discover(&links, target.depth + 1, &self.rules, &mut self.receipt));
        batch.pages.push(StoredPage {
            crawl_id: self.job.id,
            seq: target.seq,
            page: page.json,
            content_hash: page.content_hash,
            final_url: page.final_url.into(),
        });
        Ok(())
    }

    /// Settles on the site that the seed led to, and its rules when it is
    /// another than the seed's.
    async fn enter(&mut self, seed: &Url) -> Result<(), Left> {
        self.is_open = true;
        let scope = Scope::of(seed);
        if scope != self.rules.scope {
            let text = fetch_robots(&self.job, seed).await?;
            self.rules.robots = site::rules(&text);
            *self.visitor.pace.borrow_mut() = super::pace::Pace::new(self.rules.robots.crawl_delay());
            self.rules.scope = scope;
        }
        Ok(())
    }

    /// Commits a batch with the credits it takes, in one transaction, and again
    /// while the database fails for a while.
    async fn commit(&mut self, batch: Batch) -> Result<(), Left> {
        let mut attempts = 0;
        loop {
            attempts += 1;
            match self.commit_once(&batch).await {
                Err(Left::Failed(error)) if attempts < COMMITS => {
                    tracing::warn!(crawl.id = %self.job.id, %error, "a batch of pages was not committed, once more");
                    sleep(Duration::from_secs(1)).await;
                }
                other => return other,
            }
        }
    }

    async fn commit_once(&mut self, batch: &Batch) -> Result<(), Left> {
        let site = self.is_open.then(|| self.rules.scope.name());
        let (job, receipt, mut money) = (&self.job, &self.receipt, self.money);
        let is_progress = !batch.settled.is_empty();
        let committed = write(&job.db, async |txn| {
            // The fence first: from here on nobody else can have the job.
            let is_ours = if is_progress {
                job_queue::progress(txn, job.id, job.epoch).await?
            } else {
                job_queue::hold_on(txn, job.id, job.epoch).await?
            };
            if is_ours {
                money.extend(txn, receipt.fetched, self.max_pages).await?;
                store::commit(txn, job.id, batch, receipt, &money, site).await?;
            }
            Ok::<_, CrawlError>(is_ours)
        })
        .await?;
        if !committed {
            return Err(Left::Lost);
        }
        self.money = money;
        Ok(())
    }

    async fn look(&mut self) -> Result<(), Left> {
        if millis(OffsetDateTime::now_utc()) >= self.expires_at {
            return self.end(Ending::Deadline).await;
        }
        match store::is_cancelled(&self.job.db, self.job.id).await {
            Ok(true) => self.end(Ending::Cancelled).await,
            Ok(false) => Ok(()),
            // The next look will tell.
            Err(error) => {
                tracing::debug!(%error, "whether a crawl is cancelled could not be asked");
                Ok(())
            }
        }
    }

    async fn end(&mut self, ending: Ending) -> Result<(), Left> {
        self.window = Window::new();
        let job = &self.job;
        let is_ours = write(&job.db, async |txn| {
            let is_ours = job.queue.finish(txn, job.id, job.epoch, Finish::Done).await?;
            if is_ours {
                store::finish(txn, job.id, ending).await?;
            }
            Ok::<_, CrawlError>(is_ours)
        })
        .await?;
        Err(if is_ours { Left::Ended } else { Left::Lost })
    }
}

type Finished = Result<Visit, tokio::task::JoinError>;
