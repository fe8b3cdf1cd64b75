//! Crawls: a site fetched page by page, durably.
//!
//! A crawl is a job in the queue and its rows in the database; what a process
//! holds of it is only what it is about to do next. `CrawlJobsActor` claims jobs
//! and renews what it holds; each crawl is run by a `CrawlJobActor` of its own.
//! A page, its links, its counters and its charge are one transaction, fenced by
//! the job's epoch: a process that lost a crawl writes nothing more of it.
//!
//! ```text
//! queued ─ claimed ─→ running ─ the end ─→ completed | failed
//!    ↑                  │
//!    └── handed back, or its process died
//! ```

mod frontier;
mod handlers;
mod job;
mod messages;
mod options;
mod pace;
mod page;
mod receipt;
mod run;
mod scope;
mod site;
mod store;
mod subjects;
mod visit;

pub use messages::{
    CancelCrawl, CrawlError, CrawlProblem, CrawlRecord, CrawlSummary, GetCrawl, HandBack, ListCrawls, PageRange,
    StartCrawl, StartedCrawl,
};
pub use options::{CrawlOptions, MAX_DEPTH, MAX_PAGES, url_regex};
pub use page::CrawlPage;
pub use receipt::{Progress, Skipped};
pub use subjects::CrawlSubjects;

use std::collections::HashMap;
use std::time::Duration;

use actix::{Actor, ActorFutureExt, Addr, AsyncContext, Context, WrapFuture};
use sea_orm::DatabaseConnection;
use tokio::sync::watch;
use tokio::time::Instant;
use uuid::Uuid;

use self::job::CrawlJobActor;
use self::run::Job;
use self::store::{Ending, KIND};
use crate::database::write;
use crate::job_queue::{ClaimedJob, JobQueue, RENEW_EVERY, bury_in};
use crate::page_loader::PageLoader;
use crate::supervise::Lifeline;

/// Crawls that one process runs at once. More wait for the next free place.
const PLACES: usize = 16;
/// How often the queue is looked at when nobody says that something is new.
const POLL: Duration = Duration::from_millis(500);
/// How often the crawls of dead processes are looked for.
const TAKE_OVER: Duration = Duration::from_secs(1);
/// How often crawls that are over are forgotten.
const SWEEP: Duration = Duration::from_secs(300);

/// Claims crawls and keeps them running.
pub struct CrawlJobsActor {
    db: DatabaseConnection,
    queue: JobQueue,
    loader: PageLoader,
    running: HashMap<Uuid, Running>,
    /// How many are running, for who waits for none.
    count: watch::Sender<usize>,
    is_draining: bool,
    _lifeline: Lifeline,
}

/// A crawl that this process runs.
struct Running {
    claimed: ClaimedJob,
    stop: watch::Sender<bool>,
    _actor: Addr<CrawlJobActor>,
}

impl Running {
    fn stop(&self) {
        self.stop.send_replace(true);
    }
}

impl CrawlJobsActor {
    /// Returns the actor on a migrated database.
    pub fn new(db: DatabaseConnection, queue: JobQueue, loader: PageLoader, lifeline: Lifeline) -> Self {
        let (running, count, is_draining) = Default::default();
        Self { db, queue, loader, running, count, is_draining, _lifeline: lifeline }
    }

    /// Takes as many waiting crawls as there are free places, and again when
    /// something changes in the queue.
    fn keep_claiming(&mut self, context: &mut Context<Self>) {
        let free = if self.is_draining { 0 } else { PLACES.saturating_sub(self.running.len()) };
        let queue = self.queue.clone();
        let claiming = async move {
            // Asked for before, so that nothing enqueued meanwhile is missed.
            let waiting = queue.notified();
            let claimed = queue.claim(KIND, u32::try_from(free).unwrap_or(0)).await;
            claimed.map(|claimed| (claimed, waiting))
        };
        context.spawn(claiming.into_actor(self).map(|claimed, actor, context| match claimed {
            Ok((claimed, waiting)) => {
                claimed.into_iter().for_each(|job| actor.start(job, context));
                let waiting = async move {
                    let _ = tokio::time::timeout(POLL, waiting).await;
                };
                context.spawn(waiting.into_actor(actor).map(|(), actor, context| actor.keep_claiming(context)));
            }
            Err(error) => {
                tracing::warn!(%error, "waiting crawls could not be claimed");
                context.run_later(TAKE_OVER, Self::keep_claiming);
            }
        }));
    }

    fn start(&mut self, claimed: ClaimedJob, context: &mut Context<Self>) {
        let (stop, stopped) = watch::channel(self.is_draining);
        let job = Job {
            id: claimed.id,
            epoch: claimed.epoch,
            db: self.db.clone(),
            queue: self.queue.clone(),
            loader: self.loader.clone(),
            stop: stopped,
        };
        let actor = CrawlJobActor::new(job, context.address()).start();
        self.running.insert(claimed.id, Running { claimed, stop, _actor: actor });
        self.count.send_replace(self.running.len());
    }

    /// Renews what is held, and lets go of what is lost.
    fn keep_renewing(&mut self, context: &mut Context<Self>) {
        let (db, queue) = (self.db.clone(), self.queue.clone());
        let held: Vec<_> = self.running.iter().map(|(id, running)| (*id, running.claimed.epoch)).collect();
        let renewing = async move {
            bury(&db).await;
            if held.is_empty() { Ok(Vec::new()) } else { queue.renew(&held).await }
        };
        context.spawn(renewing.into_actor(self).map(|lost, actor, context| {
            match lost {
                Ok(lost) => lost.iter().filter_map(|id| actor.running.get(id)).for_each(Running::stop),
                Err(error) => {
                    tracing::warn!(%error, "running crawls could not be renewed");
                    actor.stop_what_may_be_lost();
                }
            }
            context.run_later(RENEW_EVERY, Self::keep_renewing);
        }));
    }

    /// Stops what another may have by now: a lease that was not renewed is over
    /// on our own clock too.
    fn stop_what_may_be_lost(&self) {
        let now = Instant::now();
        let is_over = |running: &&Running| self.queue.lease_deadline(&running.claimed) <= now;
        self.running.values().filter(is_over).for_each(Running::stop);
    }

    fn keep_taking_over(&mut self, context: &mut Context<Self>) {
        let queue = self.queue.clone();
        let looking = async move {
            if let Err(error) = queue.take_over().await {
                tracing::warn!(%error, "dead processes could not be looked for");
            }
        };
        context.spawn(looking.into_actor(self).map(|(), _, context| {
            context.run_later(TAKE_OVER, Self::keep_taking_over);
        }));
    }

    fn keep_sweeping(&mut self, context: &mut Context<Self>) {
        let db = self.db.clone();
        let sweeping = async move {
            if let Err(error) = store::expire(&db).await {
                tracing::warn!(%error, "crawls that are over could not be forgotten");
            }
        };
        context.spawn(sweeping.into_actor(self).map(|(), _, context| {
            context.run_later(SWEEP, Self::keep_sweeping);
        }));
    }
}

impl Actor for CrawlJobsActor {
    type Context = Context<Self>;

    fn started(&mut self, context: &mut Self::Context) {
        self.keep_taking_over(context);
        self.keep_claiming(context);
        self.keep_renewing(context);
        self.keep_sweeping(context);
    }
}

/// Ends the crawls that have killed their process too often.
async fn bury(db: &DatabaseConnection) {
    let buried = write(db, async |txn| {
        let buried = bury_in(txn, KIND).await?;
        for job in &buried {
            store::finish(txn, job.id, Ending::Broken).await?;
        }
        Ok::<_, CrawlError>(buried)
    })
    .await;
    match buried {
        Ok(buried) => {
            for job in buried {
                tracing::error!(crawl.id = %job.id, "a crawl ended its process too often and is given up");
            }
        }
        Err(error) => tracing::warn!(%error, "crawls that cannot be run could not be ended"),
    }
}
