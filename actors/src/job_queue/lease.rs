use std::collections::HashSet;
use std::sync::PoisonError;

use sea_orm::{ConnectionTrait, DatabaseTransaction, DbBackend, DbErr, Value};
use tokio::time::Instant;
use uuid::Uuid;

use super::JobQueue;
use super::statement::dialect;
use crate::database::sql;

/// Says whether a job is still ours, and keeps it so until the caller's
/// transaction ends: nobody takes it over before that. Renews the lease and
/// forgets the starts so far, so that a crash counts only against the work that
/// comes next. To be the first statement of every transaction that works for the
/// job; after `false` the transaction is to be rolled back and the job left.
///
/// # Errors
/// The database's.
pub async fn progress(txn: &DatabaseTransaction, job: Uuid, epoch: i64) -> Result<bool, DbErr> {
    let renew = format!(
        "UPDATE jobs SET attempts = 0, lease_until = {} WHERE id = $1 AND epoch = $2 AND state = 'running'",
        dialect(txn).lease_end()
    );
    Ok(sql::run(txn, &renew, [job.into(), epoch.into()]).await? == 1)
}

impl JobQueue {
    /// Renews the leases of all jobs that are held, each with its epoch, and
    /// returns those that are lost.
    ///
    /// # Errors
    /// The database's; the leases then go on to run out, see
    /// [`JobQueue::lease_deadline`].
    pub async fn renew(&self, held: &[(Uuid, i64)]) -> Result<Vec<Uuid>, DbErr> {
        if held.is_empty() {
            return Ok(Vec::new());
        }
        let (db, begun) = (&self.0.db, Instant::now());
        let dialect = dialect(db);
        let (is_held, skip_locked) = (is_held(db), dialect.skip_locked);
        // A row that is locked is not waited for: its job makes progress or is finished just now.
        let renew = format!(
            "UPDATE jobs SET lease_until = {} WHERE id IN (SELECT id FROM jobs WHERE {is_held} {skip_locked}) \
             RETURNING id",
            dialect.lease_end()
        );
        let mut ours = ids(db, &renew, held).await?;
        if ours.len() < held.len() {
            ours.extend(ids(db, &format!("SELECT id FROM jobs WHERE {is_held}"), held).await?);
        }
        *self.0.renewed_at.lock().unwrap_or_else(PoisonError::into_inner) = Some(begun);
        Ok(held.iter().map(|(id, _)| *id).filter(|id| !ours.contains(id)).collect())
    }
}

/// The condition on a job to be among those of the parameter `$1`. All are in
/// one parameter, so that the statement is prepared once for any number.
fn is_held<C: ConnectionTrait>(on: &C) -> String {
    let held = match on.get_database_backend() {
        DbBackend::Postgres => "SELECT id, epoch FROM json_to_recordset($1::json) AS held (id uuid, epoch bigint)",
        _ => "SELECT unhex(value ->> '$.id'), value ->> '$.epoch' FROM json_each($1)",
    };
    format!("state = 'running' AND (id, epoch) IN ({held})")
}

async fn ids<C: ConnectionTrait>(on: &C, statement: &str, held: &[(Uuid, i64)]) -> Result<HashSet<Uuid>, DbErr> {
    let rows = held.iter().map(|(id, epoch)| serde_json::json!({ "id": id.simple().to_string(), "epoch": epoch }));
    let parameter = Value::from(serde_json::Value::from_iter(rows).to_string());
    sql::all(on, statement, [parameter]).await?.iter().map(|row| row.try_get("", "id")).collect()
}
