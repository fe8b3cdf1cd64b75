use sea_orm::{DatabaseConnection, DatabaseTransaction, DbErr, QueryResult};
use serde_json::value::RawValue;
use uuid::Uuid;

use super::resume::receipt;
use crate::crawl_job::{CrawlError, CrawlProblem, CrawlRecord, CrawlSummary, GetCrawl, PageRange};
use crate::database::{begin_snapshot, moment, now, sql};

/// Failures shown with a crawl; the counters tell of more.
const MAX_ERRORS: i64 = 1_000;
/// Crawls in a listing.
const MAX_LISTED: i64 = 100;

/// Returns a crawl as it stands at one moment.
pub(in crate::crawl_job) async fn get(
    db: &DatabaseConnection,
    asked: GetCrawl,
) -> Result<Option<CrawlRecord>, CrawlError> {
    let txn = begin_snapshot(db).await?;
    let select = "SELECT * FROM crawls WHERE id = $1 AND user_id = $2 AND expires_at > $3";
    let row = sql::one(&txn, select, [asked.id.into(), asked.user.into(), now().into()]).await?;
    let record = match row {
        Some(row) => Some(record(&txn, &row, asked.pages).await?),
        None => None,
    };
    txn.commit().await?;
    Ok(record)
}

/// Returns a crawl with all its pages, whoever's it is.
pub(in crate::crawl_job) async fn whole(
    db: &DatabaseConnection,
    crawl: Uuid,
) -> Result<Option<CrawlRecord>, CrawlError> {
    let txn = begin_snapshot(db).await?;
    let record = match sql::one(&txn, "SELECT * FROM crawls WHERE id = $1", [crawl.into()]).await? {
        Some(row) => Some(record(&txn, &row, Some(PageRange { after: -1, limit: i64::MAX - 1 })).await?),
        None => None,
    };
    txn.commit().await?;
    Ok(record)
}

async fn record(
    txn: &DatabaseTransaction,
    row: &QueryResult,
    range: Option<PageRange>,
) -> Result<CrawlRecord, CrawlError> {
    let summary = summary(row)?;
    let (pages, next_cursor) = match range {
        Some(range) => pages(txn, summary.job_id, range).await?,
        None => (Vec::new(), None),
    };
    let errors = errors(txn, summary.job_id).await?;
    Ok(CrawlRecord { summary, errors, pages, next_cursor })
}

/// Returns a user's crawls, newest first.
pub(in crate::crawl_job) async fn list(db: &DatabaseConnection, user: Uuid) -> Result<Vec<CrawlSummary>, CrawlError> {
    let select =
        "SELECT * FROM crawls WHERE user_id = $1 AND expires_at > $2 ORDER BY created_at DESC, id DESC LIMIT $3";
    let rows = sql::all(db, select, [user.into(), now().into(), MAX_LISTED.into()]).await?;
    Ok(rows.iter().map(summary).collect::<Result<_, _>>()?)
}

type Pages = (Vec<Box<RawValue>>, Option<String>);

async fn pages(txn: &DatabaseTransaction, crawl: Uuid, range: PageRange) -> Result<Pages, CrawlError> {
    let select = "SELECT seq, page FROM crawl_pages WHERE crawl_id = $1 AND seq > $2 ORDER BY seq LIMIT $3";
    let one_more = range.limit.saturating_add(1);
    let mut rows = sql::all(txn, select, [crawl.into(), range.after.into(), one_more.into()]).await?;
    let more = rows.len() as i64 > range.limit;
    if more {
        rows.pop();
    }
    let last: Option<i64> = rows.last().map(|row| row.try_get("", "seq")).transpose()?;
    let raw = |row: &QueryResult| {
        let page: String = row.try_get("", "page")?;
        RawValue::from_string(page).map_err(|error| CrawlError::Corrupt(error.to_string()))
    };
    let pages = rows.iter().map(raw).collect::<Result<_, _>>()?;
    Ok((pages, last.filter(|_| more).map(|seq| seq.to_string())))
}

async fn errors(txn: &DatabaseTransaction, crawl: Uuid) -> Result<Vec<CrawlProblem>, DbErr> {
    let select = "SELECT url, reason, status_code, attempts FROM crawl_urls \
                  WHERE crawl_id = $1 AND state = 'failed' ORDER BY seq LIMIT $2";
    let problem = |row: &QueryResult| {
        Ok(CrawlProblem {
            url: row.try_get("", "url")?,
            reason: row.try_get::<Option<String>>("", "reason")?.unwrap_or_default(),
            status_code: row.try_get("", "status_code")?,
            attempts: row.try_get("", "attempts")?,
        })
    };
    sql::all(txn, select, [crawl.into(), MAX_ERRORS.into()]).await?.iter().map(problem).collect()
}

fn summary(row: &QueryResult) -> Result<CrawlSummary, DbErr> {
    let receipt = receipt(row)?;
    let when = |name| row.try_get::<Option<i64>>("", name)?.map(moment).transpose();
    Ok(CrawlSummary {
        job_id: row.try_get("", "id")?,
        status: row.try_get("", "state")?,
        stopped_reason: row.try_get("", "stopped_reason")?,
        url: row.try_get("", "url")?,
        pages_found: receipt.discovered,
        pages_completed: receipt.fetched,
        progress: receipt.progress(),
        skipped: receipt.skipped,
        created_at: moment(row.try_get("", "created_at")?)?,
        started_at: when("started_at")?,
        completed_at: when("completed_at")?,
        expires_at: moment(row.try_get("", "expires_at")?)?,
    })
}
