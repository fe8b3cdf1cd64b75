use sea_orm::{ConnectionTrait, DatabaseTransaction, DbBackend, DbErr, QueryResult};
use tokio::time::Instant;
use uuid::Uuid;

use super::statement::dialect;
use super::{ClaimedJob, JobQueue, MAX_ATTEMPTS, NewJob};
use crate::database::{sql, write};

/// Puts a job into the queue when the caller's transaction is committed, unless
/// there is one with this id. [`JobQueue::wake`] is to follow the commit.
///
/// # Errors
/// The database's, also for a lane limit of 0.
pub async fn enqueue(txn: &DatabaseTransaction, job: &NewJob) -> Result<(), DbErr> {
    let now = dialect(txn).now;
    let insert = format!(
        "INSERT INTO jobs (id, kind, payload, lane, lane_limit, state, run_at, created_at) \
         VALUES ($1, $2, $3, $4, $5, 'queued', {now}, {now}) ON CONFLICT (id) DO NOTHING"
    );
    let values = [
        job.id.into(),
        job.kind.into(),
        job.payload.clone().into(),
        job.lane.into(),
        i32::try_from(job.lane_limit).unwrap_or(i32::MAX).into(),
    ];
    sql::run(txn, &insert, values).await.map(drop)
}

/// Returns how many jobs of a lane wait.
///
/// # Errors
/// The database's.
pub async fn waiting_in_lane(txn: &DatabaseTransaction, kind: &str, lane: Uuid) -> Result<u64, DbErr> {
    let count = "SELECT count(*) FROM jobs WHERE lane = $1 AND kind = $2 AND state = 'queued'";
    let row = sql::one(txn, count, [lane.into(), kind.into()]).await?;
    let waiting = row.map(|row| row.try_get_by_index::<i64>(0)).transpose()?;
    Ok(waiting.map_or(0, i64::unsigned_abs))
}

impl JobQueue {
    /// Claims at most `limit` jobs of a kind whose time has come and whose lanes
    /// have room, those that wait longest first.
    ///
    /// # Errors
    /// The database's; what a claim has taken whose answer got lost is taken over
    /// when the lease ends.
    pub async fn claim(&self, kind: &str, limit: u32) -> Result<Vec<ClaimedJob>, DbErr> {
        // Looked up first, so that an idle service writes nothing.
        if limit == 0 || !self.0.lock.is_visible() || !self.is_due(kind).await? {
            return Ok(Vec::new());
        }
        let claimed_at = Instant::now();
        write(&self.0.db, async |txn| {
            count_alone(txn, kind).await?;
            let mut claimed = Vec::new();
            // Once more after a part: where two of a lane had room for one, another lane may have some.
            while claimed.len() < limit as usize {
                let part = claim_next(txn, kind, self.0.owner, limit as usize - claimed.len()).await?;
                if part.is_empty() {
                    break;
                }
                for row in part {
                    claimed.push((row.try_get::<i64>("", "run_at")?, read(&row, claimed_at)?));
                }
            }
            claimed.sort_by_key(|(run_at, job)| (*run_at, job.id));
            Ok(claimed.into_iter().map(|(_, job)| job).collect())
        })
        .await
    }

    async fn is_due(&self, kind: &str) -> Result<bool, DbErr> {
        let db = &self.0.db;
        let due = format!(
            "SELECT 1 FROM jobs WHERE kind = $1 AND state = 'queued' AND run_at <= {} LIMIT 1",
            dialect(db).now
        );
        Ok(sql::one(db, &due, [kind.into()]).await?.is_some())
    }
}

/// Keeps other claims of the kind out until the end of the transaction: two that
/// count the jobs of a lane together would both see room for the last. On SQLite
/// the transaction itself does.
async fn count_alone(txn: &DatabaseTransaction, kind: &str) -> Result<(), DbErr> {
    if txn.get_database_backend() == DbBackend::Postgres {
        let lock = "SELECT pg_advisory_xact_lock(hashtext('blazon claim'), hashtext($1))";
        sql::run(txn, lock, [kind.into()]).await?;
    }
    Ok(())
}

/// Claims the first of the jobs whose lanes are not full: `limit` of them, less
/// those that are one too many in their lane. Empty when there is none.
async fn claim_next(
    txn: &DatabaseTransaction,
    kind: &str,
    owner: Uuid,
    limit: usize,
) -> Result<Vec<QueryResult>, DbErr> {
    let dialect = dialect(txn);
    // Materialized, so that PostgreSQL looks for the jobs once and not for each row it compares.
    let claim = format!(
        "WITH next AS MATERIALIZED \
         (SELECT id, lane, lane_limit, run_at, ({BUSY}) AS busy FROM jobs \
          WHERE kind = $1 AND state = 'queued' AND run_at <= {now} AND attempts < {MAX_ATTEMPTS} \
          AND ({BUSY}) < lane_limit ORDER BY run_at, id LIMIT $2 {skip_locked}), \
         placed AS (SELECT id, lane_limit, \
          busy + row_number() OVER (PARTITION BY lane ORDER BY run_at, id) AS place FROM next) \
         UPDATE jobs SET state = 'running', owner = $3, epoch = epoch + 1, attempts = attempts + 1, \
         lease_until = {lease_end} WHERE id IN (SELECT id FROM placed WHERE place <= lane_limit) \
         RETURNING id, payload, epoch, attempts, run_at",
        now = dialect.now,
        skip_locked = dialect.skip_locked,
        lease_end = dialect.lease_end(),
    );
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    sql::all(txn, &claim, [kind.into(), limit.into(), owner.into()]).await
}

/// How many of a job's lane run.
const BUSY: &str = "SELECT count(*) FROM jobs AS peer \
     WHERE peer.lane = jobs.lane AND peer.kind = jobs.kind AND peer.state = 'running'";

fn read(row: &QueryResult, claimed_at: Instant) -> Result<ClaimedJob, DbErr> {
    Ok(ClaimedJob {
        id: row.try_get("", "id")?,
        payload: row.try_get("", "payload")?,
        epoch: row.try_get("", "epoch")?,
        attempts: row.try_get("", "attempts")?,
        claimed_at,
    })
}
