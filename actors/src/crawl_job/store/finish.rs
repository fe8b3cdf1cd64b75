use sea_orm::{DatabaseConnection, DatabaseTransaction, DbErr, QueryResult};
use url::Url;
use uuid::Uuid;

use super::commit::update_crawl;
use super::resume::{money, receipt};
use crate::crawl_job::CrawlError;
use crate::crawl_job::receipt::SkipReason;
use crate::database::{now, sql, write};
use crate::job_queue;
use crate::webhook_outbox::{self, NewDelivery};

/// How a crawl ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::crawl_job) enum Ending {
    /// All that was to be fetched was.
    Whole,
    MaxPages,
    Credits,
    Cancelled,
    Deadline,
    SeedUnreachable,
    Robots,
    /// The service could not go on with it.
    Broken,
}

impl Ending {
    /// The `stopped_reason`.
    fn reason(self) -> Option<&'static str> {
        match self {
            Self::Whole | Self::Broken => None,
            Self::MaxPages => Some("max_pages"),
            Self::Credits => Some("credits"),
            Self::Cancelled => Some("cancelled"),
            Self::Deadline => Some("deadline"),
            Self::SeedUnreachable => Some("seed_unreachable"),
            Self::Robots => Some("robots"),
        }
    }

    /// `failed` only when there is no page, the owner did not want it, or the
    /// service could not go on.
    fn state(self, fetched: i64) -> &'static str {
        match self {
            Self::Cancelled | Self::Broken => "failed",
            _ if fetched == 0 => "failed",
            _ => "completed",
        }
    }
}

/// Ends a crawl: what waits counts as skipped, the pages are charged, the rest
/// of the hold is released, the webhook is on its way. Ending it again changes
/// nothing.
pub(in crate::crawl_job) async fn finish(
    txn: &DatabaseTransaction,
    crawl: Uuid,
    ending: Ending,
) -> Result<(), CrawlError> {
    // A write first: it locks the row for the rest.
    let ended = "UPDATE crawls SET completed_at = $1 WHERE id = $2 AND state IN ('queued', 'running') RETURNING *";
    let Some(row) = sql::one(txn, ended, [now().into(), crawl.into()]).await? else { return Ok(()) };
    let (mut receipt, mut money) = (receipt(&row)?, money(&row)?);
    let site: Option<String> = row.try_get("", "site")?;
    receipt.close();
    money.settle(txn, receipt.fetched).await?;
    if receipt.fetched == 0 {
        money.refund(txn, crawl).await?;
    }
    let skip = "UPDATE crawl_urls SET state = 'skipped', reason = $2 WHERE crawl_id = $1 AND state = 'waiting'";
    sql::run(txn, skip, [crawl.into(), SkipReason::Limit.as_str().into()]).await?;
    update_crawl(txn, crawl, &receipt, &money, site.as_deref()).await?;
    let state = ending.state(receipt.fetched);
    let close = "UPDATE crawls SET state = $1, stopped_reason = $2 WHERE id = $3";
    sql::run(txn, close, [state.into(), ending.reason().into(), crawl.into()]).await?;
    announce(txn, &row, state).await
}

/// Puts the webhook of a crawl that has just ended on its way.
async fn announce(txn: &DatabaseTransaction, row: &QueryResult, state: &str) -> Result<(), CrawlError> {
    let Some(url) = row.try_get::<Option<String>>("", "webhook_url")? else { return Ok(()) };
    let url = Url::parse(&url).map_err(|error| CrawlError::Corrupt(format!("webhook_url: {error}")))?;
    let event_type = if state == "completed" { "crawl.completed" } else { "crawl.failed" };
    let delivery = NewDelivery { user: row.try_get("", "user_id")?, url, event_type, subject: row.try_get("", "id")? };
    webhook_outbox::enqueue(txn, &delivery).await?;
    Ok(())
}

/// Ends a crawl of a user at once when it waits, or asks its runner to. `false`
/// when there is none or it has ended.
pub(in crate::crawl_job) async fn cancel(db: &DatabaseConnection, user: Uuid, crawl: Uuid) -> Result<bool, CrawlError> {
    write(db, async |txn| {
        let ask = "UPDATE crawls SET cancel_requested = true \
                   WHERE id = $1 AND user_id = $2 AND state IN ('queued', 'running')";
        if sql::run(txn, ask, [crawl.into(), user.into()]).await? == 0 {
            return Ok(false);
        }
        if job_queue::cancel(txn, crawl).await? {
            finish(txn, crawl, Ending::Cancelled).await?;
        }
        Ok(true)
    })
    .await
}

/// Forgets the crawls whose time is over. Returns how many there were.
pub(in crate::crawl_job) async fn expire(db: &DatabaseConnection) -> Result<u64, DbErr> {
    write(db, async |txn| {
        let gone = "DELETE FROM crawls WHERE expires_at < $1 AND state IN ('completed', 'failed')";
        let count = sql::run(txn, gone, [now().into()]).await?;
        if count > 0 {
            for table in ["crawl_pages", "crawl_urls"] {
                let orphans = format!("DELETE FROM {table} WHERE crawl_id NOT IN (SELECT id FROM crawls)");
                sql::run(txn, &orphans, []).await?;
            }
        }
        Ok::<_, DbErr>(count)
    })
    .await
}
