use std::time::Duration;

use sea_orm::{DatabaseConnection, DatabaseTransaction, DbErr, Value};
use uuid::Uuid;

use super::owner::Dead;
use super::statement::dialect;
use super::{Buried, JobQueue, MAX_ATTEMPTS, QueueDepth};
use crate::database::{sql, write};

/// Rows deleted in one transaction: the write lock is given up in between.
const BATCH: u64 = 1_000;

impl JobQueue {
    /// Queues the jobs again whose owners are dead or silent for too long, and
    /// returns how many there were. To be called every second: it is what makes
    /// another process's death noticed, and it keeps this one's lock.
    ///
    /// # Errors
    /// The database's, also when this process's lock was lost and could not be
    /// taken again yet.
    pub async fn take_over(&self) -> Result<u64, DbErr> {
        let dead = self.0.lock.check(self.0.owner).await?;
        let is_over = format!("lease_until < {}", dialect(&self.0.db).now);
        let (condition, owner) = match dead {
            Dead::Unknown => (is_over, None),
            Dead::Unlocked(condition) => (format!("({is_over} OR {condition})"), None),
            Dead::AllOthers => (format!("({is_over} OR owner <> $1)"), Some(self.0.owner)),
        };
        let taken = queue_again(&self.0.db, &condition, owner).await?;
        self.0.lock.inherited();
        if taken > 0 {
            metrics::counter!("blazon_jobs_taken_over_total").increment(taken);
            tracing::warn!(jobs = taken, "jobs were taken over from an owner that is dead or silent");
            self.wake();
        }
        Ok(taken)
    }

    /// Gives up the jobs of a kind that were started too often without progress,
    /// and returns each of them once. See [`bury_in`].
    ///
    /// # Errors
    /// The database's.
    pub async fn bury(&self, kind: &str) -> Result<Vec<Buried>, DbErr> {
        // Looked up first, so that an idle service writes nothing.
        let worn = format!("SELECT 1 FROM jobs WHERE {} LIMIT 1", is_worn());
        if sql::one(&self.0.db, &worn, [kind.into()]).await?.is_none() {
            return Ok(Vec::new());
        }
        write(&self.0.db, async |txn| bury_in(txn, kind).await).await
    }

    /// Forgets the jobs that ended longer ago than this, and returns how many
    /// there were.
    ///
    /// # Errors
    /// The database's; what was deleted before it failed stays deleted.
    pub async fn purge(&self, older_than: Duration) -> Result<u64, DbErr> {
        let age = i64::try_from(older_than.as_millis()).unwrap_or(i64::MAX);
        let dialect = dialect(&self.0.db);
        let purge = format!(
            "DELETE FROM jobs WHERE id IN \
             (SELECT id FROM jobs WHERE finished_at < {} - $1 ORDER BY finished_at LIMIT {BATCH} {})",
            dialect.now, dialect.skip_locked
        );
        let mut purged = 0;
        loop {
            let batch = sql::run(&self.0.db, &purge, [age.into()]).await?;
            purged += batch;
            if batch < BATCH {
                return Ok(purged);
            }
        }
    }

    /// Counts the jobs that wait and those that run.
    ///
    /// # Errors
    /// The database's.
    pub async fn depth(&self) -> Result<QueueDepth, DbErr> {
        let count = "SELECT (SELECT count(*) FROM jobs WHERE state = 'queued') AS queued, \
                     (SELECT count(*) FROM jobs WHERE state = 'running') AS running";
        let row = sql::one(&self.0.db, count, []).await?;
        let row = row.ok_or_else(|| DbErr::RecordNotFound("a count of jobs".to_owned()))?;
        let number = |name| row.try_get::<i64>("", name).map(i64::unsigned_abs);
        Ok(QueueDepth { queued: number("queued")?, running: number("running")? })
    }
}

/// Gives up the jobs of a kind that were started [`MAX_ATTEMPTS`] times without
/// progress and are nobody's now. Each is returned once, so that whatever it
/// belongs to is settled in the same transaction.
///
/// # Errors
/// The database's.
pub async fn bury_in(txn: &DatabaseTransaction, kind: &str) -> Result<Vec<Buried>, DbErr> {
    let dialect = dialect(txn);
    let bury = format!(
        "UPDATE jobs SET state = 'dead', finished_at = {now}, \
         error = coalesce(error, 'started {MAX_ATTEMPTS} times without progress') \
         WHERE id IN (SELECT id FROM jobs WHERE {worn} ORDER BY id {skip_locked}) RETURNING id, payload",
        now = dialect.now,
        worn = is_worn(),
        skip_locked = dialect.skip_locked,
    );
    let rows = sql::all(txn, &bury, [kind.into()]).await?;
    rows.iter().map(|row| Ok(Buried { id: row.try_get("", "id")?, payload: row.try_get("", "payload")? })).collect()
}

fn is_worn() -> String {
    format!("kind = $1 AND state = 'queued' AND attempts >= {MAX_ATTEMPTS}")
}

/// Queues the running jobs again that meet a condition, whose parameter is
/// `owner`. A row that is locked is left for the next time: either its owner
/// makes progress, or the server ends the transaction of an owner that is frozen.
async fn queue_again(db: &DatabaseConnection, condition: &str, owner: Option<Uuid>) -> Result<u64, DbErr> {
    let values = || owner.map(Value::from);
    // Looked up first, so that an idle service writes nothing.
    let any = format!("SELECT 1 FROM jobs WHERE state = 'running' AND {condition} LIMIT 1");
    if sql::one(db, &any, values()).await?.is_none() {
        return Ok(0);
    }
    let queue = format!(
        "UPDATE jobs SET state = 'queued', owner = NULL, lease_until = NULL \
         WHERE id IN (SELECT id FROM jobs WHERE state = 'running' AND {condition} ORDER BY id {})",
        dialect(db).skip_locked
    );
    sql::run(db, &queue, values()).await
}
