mod claiming;
mod crowd;
mod ending;
mod leasing;
mod owners;
mod processes;

use sea_orm::{DatabaseConnection, DbErr};
use tempfile::TempDir;
use uuid::Uuid;

use super::*;
use crate::database::{sql, write};

const KIND: &str = "dig";

/// Where the queues of one test have their lock file.
struct Site {
    db: DatabaseConnection,
    folder: TempDir,
}

impl Site {
    fn new(db: DatabaseConnection) -> Self {
        Self { db, folder: tempfile::tempdir().expect("a folder") }
    }

    fn lock_file(&self) -> PathBuf {
        self.folder.path().join("jobs.lock")
    }

    /// Another owner.
    async fn queue(&self) -> JobQueue {
        JobQueue::open(self.db.clone(), &self.lock_file()).await.expect("the queue opens")
    }
}

fn job_in(lane: Uuid, lane_limit: u32) -> NewJob {
    NewJob { id: Uuid::now_v7(), kind: KIND, payload: r#"{"depth":3}"#.to_owned(), lane, lane_limit }
}

/// A job that is alone in its lane.
fn job() -> NewJob {
    job_in(Uuid::now_v7(), 1)
}

async fn add(db: &DatabaseConnection, jobs: &[NewJob]) {
    let all = write(db, async |txn| {
        for job in jobs {
            enqueue(txn, job).await?;
        }
        Ok::<_, DbErr>(())
    });
    all.await.expect("the jobs are enqueued");
}

/// Claims a job that must be there.
async fn claim_one(queue: &JobQueue) -> ClaimedJob {
    let mut claimed = queue.claim(KIND, 1).await.expect("claims");
    claimed.pop().expect("a job is due")
}

async fn claim_ids(queue: &JobQueue, limit: u32) -> Vec<Uuid> {
    queue.claim(KIND, limit).await.expect("claims").into_iter().map(|job| job.id).collect()
}

async fn finish(queue: &JobQueue, job: &ClaimedJob, how: Finish) -> bool {
    write(&queue.0.db, async |txn| queue.finish(txn, job.id, job.epoch, how).await).await.expect("finishes")
}

async fn progress_of(db: &DatabaseConnection, job: &ClaimedJob) -> bool {
    write(db, async |txn| progress(txn, job.id, job.epoch).await).await.expect("the database answers")
}

/// Lets the leases of all jobs run out.
async fn let_leases_end(db: &DatabaseConnection) {
    sql::run(db, "UPDATE jobs SET lease_until = 0 WHERE state = 'running'", []).await.expect("leases end");
}

/// Lets the time of all jobs come.
async fn let_waits_end(db: &DatabaseConnection) {
    sql::run(db, "UPDATE jobs SET run_at = 0", []).await.expect("waits end");
}

async fn depth(queue: &JobQueue) -> (u64, u64) {
    let depth = queue.depth().await.expect("counts");
    (depth.queued, depth.running)
}

async fn number(db: &DatabaseConnection, expression: &str, job: Uuid) -> i64 {
    let select = format!("SELECT CAST({expression} AS BIGINT) FROM jobs WHERE id = $1");
    let row = sql::one(db, &select, [job.into()]).await.expect("reads").expect("the job is there");
    row.try_get_by_index(0).expect("a number")
}

async fn state(db: &DatabaseConnection, job: Uuid) -> (String, Option<String>) {
    let row = sql::one(db, "SELECT state, error FROM jobs WHERE id = $1", [job.into()]).await.expect("reads");
    let row = row.expect("the job is there");
    (row.try_get("", "state").expect("a state"), row.try_get("", "error").expect("text or none"))
}
