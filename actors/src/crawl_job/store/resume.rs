use sea_orm::{DatabaseConnection, DatabaseTransaction, DbErr, QueryResult};
use url::Url;
use uuid::Uuid;

use super::Money;
use crate::crawl_job::CrawlError;
use crate::crawl_job::frontier::{Frontier, Target};
use crate::crawl_job::options::CrawlOptions;
use crate::crawl_job::receipt::{Receipt, Skipped};
use crate::database::{now, sql};

/// A crawl as it was left, or as it begins.
pub(in crate::crawl_job) struct Resumed {
    pub options: CrawlOptions,
    pub frontier: Frontier,
    pub receipt: Receipt,
    pub money: Money,
    /// None before the seed was fetched.
    pub site: Option<String>,
    /// None before it was asked for.
    pub robots_txt: Option<String>,
    /// Unix milliseconds.
    pub expires_at: i64,
}

/// Marks a crawl as running and reads all that it needs to go on; `None` when
/// it has ended or there is none.
pub(in crate::crawl_job) async fn resume(
    txn: &DatabaseTransaction,
    crawl: Uuid,
) -> Result<Option<Resumed>, CrawlError> {
    let start = "UPDATE crawls SET state = 'running', started_at = COALESCE(started_at, $1) \
                 WHERE id = $2 AND state IN ('queued', 'running') RETURNING *";
    let Some(row) = sql::one(txn, start, [now().into(), crawl.into()]).await? else { return Ok(None) };
    let options: String = row.try_get("", "options")?;
    let options = serde_json::from_str(&options).map_err(|error| CrawlError::Corrupt(error.to_string()))?;
    Ok(Some(Resumed {
        options,
        frontier: frontier(txn, crawl).await?,
        receipt: receipt(&row)?,
        money: money(&row)?,
        site: row.try_get("", "site")?,
        robots_txt: row.try_get("", "robots_txt")?,
        expires_at: row.try_get("", "expires_at")?,
    }))
}

async fn frontier(txn: &DatabaseTransaction, crawl: Uuid) -> Result<Frontier, CrawlError> {
    let mut frontier = Frontier::default();
    let select = "SELECT seq, url, depth, state FROM crawl_urls WHERE crawl_id = $1 ORDER BY seq";
    for row in sql::all(txn, select, [crawl.into()]).await? {
        let depth: i32 = row.try_get("", "depth")?;
        let target = Target { seq: row.try_get("", "seq")?, url: url(&row, "url")?, depth: depth.unsigned_abs() };
        frontier.recall(target, row.try_get::<String>("", "state")? == "waiting");
    }
    let select = "SELECT content_hash, final_url FROM crawl_pages WHERE crawl_id = $1";
    for row in sql::all(txn, select, [crawl.into()]).await? {
        frontier.recall_page(&url(&row, "final_url")?, row.try_get("", "content_hash")?);
    }
    Ok(frontier)
}

fn url(row: &QueryResult, column: &str) -> Result<Url, CrawlError> {
    let text: String = row.try_get("", column)?;
    Url::parse(&text).map_err(|error| CrawlError::Corrupt(format!("{text}: {error}")))
}

pub(super) fn receipt(row: &QueryResult) -> Result<Receipt, DbErr> {
    Ok(Receipt {
        discovered: row.try_get("", "discovered")?,
        fetched: row.try_get("", "fetched")?,
        failed: row.try_get("", "failed")?,
        skipped: Skipped {
            robots: row.try_get("", "robots")?,
            depth: row.try_get("", "depth")?,
            regex: row.try_get("", "regex")?,
            limit: row.try_get("", "over_limit")?,
            duplicate: row.try_get("", "duplicate")?,
        },
    })
}

pub(super) fn money(row: &QueryResult) -> Result<Money, DbErr> {
    Ok(Money {
        user: row.try_get("", "user_id")?,
        counted: row.try_get("", "counted")?,
        captured: row.try_get("", "captured")?,
        hold: row.try_get("", "hold")?,
        hold_amount: row.try_get("", "hold_amount")?,
        exhausted: false,
    })
}

/// Keeps a site's robots.txt with the crawl, so that the rules stay the same to
/// its end.
pub(in crate::crawl_job) async fn keep_robots(db: &DatabaseConnection, crawl: Uuid, text: &str) -> Result<(), DbErr> {
    let update = "UPDATE crawls SET robots_txt = $1 WHERE id = $2";
    sql::run(db, update, [text.into(), crawl.into()]).await?;
    Ok(())
}

/// Whether the crawl's owner wants it to end.
pub(in crate::crawl_job) async fn is_cancelled(db: &DatabaseConnection, crawl: Uuid) -> Result<bool, DbErr> {
    let row = sql::one(db, "SELECT cancel_requested FROM crawls WHERE id = $1", [crawl.into()]).await?;
    row.map_or(Ok(true), |row| row.try_get("", "cancel_requested"))
}
