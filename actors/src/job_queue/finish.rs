use sea_orm::{DatabaseTransaction, DbErr};
use uuid::Uuid;

use super::statement::dialect;
use super::{Finish, JobQueue};
use crate::database::sql;

/// The longest wait after a failure, in seconds.
const LONGEST_BACK_OFF: u32 = 300;

impl JobQueue {
    /// Ends this start of a job when the caller's transaction is committed.
    /// Returns whether the job was still ours; if not, the transaction is to be
    /// rolled back. [`JobQueue::wake`] is to follow the commit, because the lane
    /// has room again.
    ///
    /// # Errors
    /// The database's.
    pub async fn finish(&self, txn: &DatabaseTransaction, job: Uuid, epoch: i64, how: Finish) -> Result<bool, DbErr> {
        let now = dialect(txn).now;
        let (change, error) = match how {
            Finish::Done => (format!("state = 'done', error = $4, finished_at = {now}"), None),
            Finish::Dead(error) => (format!("state = 'dead', error = $4, finished_at = {now}"), Some(error)),
            Finish::Queued => (format!("state = 'queued', error = $4, {}, run_at = {now}", uncounted()), None),
            Finish::Failed(error) => {
                (format!("state = 'queued', error = $4, run_at = {now} + 1000 * {}", back_off()), Some(error))
            }
        };
        let end = format!(
            "UPDATE jobs SET owner = NULL, lease_until = NULL, {change} \
             WHERE id = $1 AND epoch = $2 AND owner = $3 AND state = 'running'"
        );
        let values = [job.into(), epoch.into(), self.0.owner.into(), error.into()];
        Ok(sql::run(txn, &end, values).await? == 1)
    }
}

fn uncounted() -> &'static str {
    "attempts = CASE WHEN attempts > 0 THEN attempts - 1 ELSE 0 END"
}

/// Seconds: two to the power of the starts so far.
fn back_off() -> String {
    let fits = LONGEST_BACK_OFF.ilog2();
    format!("CASE WHEN attempts > {fits} THEN {LONGEST_BACK_OFF} ELSE (1 << attempts) END")
}

/// Ends a job that waits, when the caller's transaction is committed. Returns
/// `false` for one that runs, ends or is unknown: whoever has it is to be told
/// in another way, and a start that begins at this moment must look for that.
///
/// It waits for no lock on the job, so the caller may hold locks that the job's
/// owner wants.
///
/// # Errors
/// The database's.
pub async fn cancel(txn: &DatabaseTransaction, job: Uuid) -> Result<bool, DbErr> {
    let dialect = dialect(txn);
    let end = format!(
        "UPDATE jobs SET state = 'done', error = 'cancelled', finished_at = {} \
         WHERE id IN (SELECT id FROM jobs WHERE id = $1 AND state = 'queued' {})",
        dialect.now, dialect.skip_locked
    );
    Ok(sql::run(txn, &end, [job.into()]).await? == 1)
}
