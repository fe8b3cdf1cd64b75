//! Work that outlives the process that does it: a table of jobs in the
//! service's own database, each leased to one owner at a time.
//!
//! A job is enqueued in the transaction of whatever it belongs to, so there is
//! none without the other. Its owner renews the lease every [`RENEW_EVERY`];
//! whoever is silent for a whole [`LEASE`] loses it. Each start of a job has an
//! epoch of its own, and [`progress`] checks it inside the transactions of the
//! work itself: an owner that froze and woke up late writes nothing.
//!
//! An owner that died is noticed earlier than its lease ends. On PostgreSQL each
//! process holds an advisory lock on a connection of its own, which the server
//! lets go when the process dies; the others look every second. On SQLite one
//! process holds a lock on a file, and takes over all jobs when it gets it.
//!
//! A transaction that works for a job locks the job's row first, by
//! [`progress`], and then whatever else it needs. Nothing here waits for such a
//! row with a lock in hand, nor does [`cancel`].
//!
//! Time is the server's on PostgreSQL and this computer's on SQLite.

mod claim;
mod finish;
mod lease;
mod owner;
mod statement;
#[cfg(test)]
mod tests;
mod upkeep;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use sea_orm::{DatabaseConnection, DbErr};
use tokio::sync::Notify;
use tokio::time::Instant;
use uuid::Uuid;

pub use claim::{enqueue, waiting_in_lane};
pub use finish::cancel;
pub use lease::{hold_on, progress};
pub use upkeep::bury_in;

use owner::OwnerLock;

/// How long an owner may be silent before its job is another's.
pub const LEASE: Duration = Duration::from_secs(15);
/// How often an owner is to renew: two renewals may fail.
pub const RENEW_EVERY: Duration = Duration::from_secs(5);
/// Starts without any progress after which a job is given up: what it does
/// kills the process.
pub const MAX_ATTEMPTS: i32 = 5;

/// A job to be done.
#[derive(Debug, Clone)]
pub struct NewJob {
    /// Of two jobs with one id, the first is kept.
    pub id: Uuid,
    pub kind: &'static str,
    /// JSON.
    pub payload: String,
    /// Whom the job counts for: an account.
    pub lane: Uuid,
    /// Jobs of the kind and lane that may run at once, at least 1.
    pub lane_limit: u32,
}

/// A job of ours, for as long as its lease is renewed.
#[derive(Debug, Clone)]
pub struct ClaimedJob {
    pub id: Uuid,
    pub payload: String,
    /// The number of this start.
    pub epoch: i64,
    /// Starts since the last progress, this one included.
    pub attempts: i32,
    /// A moment before the lease began, on this process's own clock.
    pub claimed_at: Instant,
}

/// Says that another has the job now: stop, write nothing more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the job is another's now")]
pub struct Lost;

/// How a start of a job ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finish {
    Done,
    /// Given up, with the reason.
    Dead(String),
    /// Handed back, to be started again at once. The start is not counted.
    Queued,
    /// Handed back after a failure, with the reason: to be started again after
    /// 2, 4, 8 … 300 s.
    Failed(String),
}

/// A job that was given up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Buried {
    pub id: Uuid,
    pub payload: String,
}

/// How many jobs there are, of all kinds and owners.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueueDepth {
    pub queued: u64,
    pub running: u64,
}

/// Why the queue could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenQueueError {
    #[error("the lock file {} cannot be opened", path.display())]
    LockFile { path: PathBuf, source: std::io::Error },
    #[error("the job queue's database does not answer")]
    Database(#[from] DbErr),
}

/// This process's part in the queue. Cheap to clone; the owner's lock goes with
/// the last clone.
#[derive(Clone)]
pub struct JobQueue(Arc<Inner>);

struct Inner {
    db: DatabaseConnection,
    /// This process, or rather this queue in it.
    owner: Uuid,
    lock: OwnerLock,
    woken: Arc<Notify>,
    /// When the last renewal that succeeded was begun.
    renewed_at: Mutex<Option<Instant>>,
}

impl JobQueue {
    /// Becomes an owner of jobs on a migrated database and takes over what dead
    /// owners left. `lock_file` is used on SQLite alone: it is made when missing,
    /// and must be the same for all processes on the database.
    ///
    /// # Errors
    /// [`OpenQueueError`].
    pub async fn open(db: DatabaseConnection, lock_file: &Path) -> Result<Self, OpenQueueError> {
        let (owner, lock) = OwnerLock::take(&db, lock_file).await?;
        let woken = Arc::new(Notify::new());
        let queue = Self(Arc::new(Inner { db, owner, lock, woken, renewed_at: Mutex::new(None) }));
        queue.take_over().await?;
        Ok(queue)
    }

    /// Returns a future that is ready at the next [`JobQueue::wake`] after this
    /// call, even when it is awaited later: ask for it before claiming.
    ///
    /// Other processes wake nobody here, so wait for it beside a timer.
    pub fn notified(&self) -> impl Future<Output = ()> + Send + use<> {
        Arc::clone(&self.0.woken).notified_owned()
    }

    /// Wakes those who wait for [`JobQueue::notified`]. To be called when a
    /// transaction that enqueued or finished a job is committed: no one else can
    /// see the job before.
    pub fn wake(&self) {
        self.0.woken.notify_waiters();
    }

    /// The moment on this process's own clock at which a job's lease may be over,
    /// if it is among those renewed: past it the job is to be stopped, because
    /// another may have it. Progress is left out of account.
    pub fn lease_deadline(&self, job: &ClaimedJob) -> Instant {
        let renewed_at = *self.0.renewed_at.lock().unwrap_or_else(PoisonError::into_inner);
        renewed_at.map_or(job.claimed_at, |renewed| renewed.max(job.claimed_at)) + LEASE
    }
}
