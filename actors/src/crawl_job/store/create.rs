use std::time::Duration;

use sea_orm::DatabaseTransaction;
use uuid::Uuid;

use super::KIND;
use crate::crawl_job::{CrawlError, StartCrawl, StartedCrawl};
use crate::credit_ledger::{ChargeCredits, store as ledger};
use crate::database::{now, sql};
use crate::job_queue::{self, NewJob};

/// How long a crawl and its pages are kept, from its acceptance.
const LIFETIME: Duration = Duration::from_secs(24 * 3600);
/// Crawls of one user that may wait.
const MAX_WAITING: u64 = 100;

/// Accepts a crawl: its row, its seed, its job and the charge for its first
/// page.
///
/// # Errors
/// [`CrawlError`]; nothing is left of it then.
pub(in crate::crawl_job) async fn create(
    txn: &DatabaseTransaction,
    asked: &StartCrawl,
) -> Result<StartedCrawl, CrawlError> {
    let id = Uuid::now_v7();
    let options = serde_json::to_string(&asked.options).map_err(|error| CrawlError::Corrupt(error.to_string()))?;
    if !insert(txn, id, asked, &options).await? {
        return repeated(txn, asked, &options).await;
    }
    let waiting = job_queue::waiting_in_lane(txn, KIND, asked.user).await?;
    if waiting >= MAX_WAITING {
        return Err(CrawlError::TooManyWaiting(waiting));
    }
    let charged = if asked.counted {
        let order = ChargeCredits { user: asked.user, amount: 1, purpose: KIND, reference: id };
        ledger::charge(txn, &order).await?;
        1
    } else {
        0
    };
    let job = NewJob { id, kind: KIND, payload: "{}".to_owned(), lane: asked.user, lane_limit: asked.at_once };
    job_queue::enqueue(txn, &job).await?;
    Ok(StartedCrawl { id, charged })
}

/// Inserts the crawl with its seed; `false` when its idempotency key is taken.
async fn insert(txn: &DatabaseTransaction, id: Uuid, asked: &StartCrawl, options: &str) -> Result<bool, CrawlError> {
    let created_at = now();
    let lifetime = i64::try_from(LIFETIME.as_millis()).unwrap_or(i64::MAX);
    let inserted = sql::run(
        txn,
        "INSERT INTO crawls (id, user_id, counted, url, options, webhook_url, idempotency_key, state, \
         cancel_requested, discovered, created_at, expires_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, 'queued', false, 1, $8, $9) ON CONFLICT DO NOTHING",
        [
            id.into(),
            asked.user.into(),
            asked.counted.into(),
            asked.options.url.as_str().into(),
            options.into(),
            asked.webhook_url.as_ref().map(|url| url.as_str().to_owned()).into(),
            asked.idempotency_key.clone().into(),
            created_at.into(),
            (created_at + lifetime).into(),
        ],
    )
    .await?;
    if inserted == 0 {
        return Ok(false);
    }
    let seed =
        "INSERT INTO crawl_urls (crawl_id, seq, url, depth, state, attempts) VALUES ($1, 0, $2, 0, 'waiting', 0)";
    sql::run(txn, seed, [id.into(), asked.options.url.as_str().into()]).await?;
    Ok(true)
}

/// The crawl that was accepted under the same key, when it is the same order.
async fn repeated(txn: &DatabaseTransaction, asked: &StartCrawl, options: &str) -> Result<StartedCrawl, CrawlError> {
    let select = "SELECT id, options, webhook_url FROM crawls WHERE user_id = $1 AND idempotency_key = $2";
    let row = sql::one(txn, select, [asked.user.into(), asked.idempotency_key.clone().into()]).await?;
    let row = row.ok_or(CrawlError::KeyReused)?;
    let webhook = asked.webhook_url.as_ref().map(|url| url.as_str().to_owned());
    let is_same = row.try_get::<String>("", "options")? == options
        && row.try_get::<Option<String>>("", "webhook_url")? == webhook;
    if !is_same {
        return Err(CrawlError::KeyReused);
    }
    Ok(StartedCrawl { id: row.try_get("", "id")?, charged: 0 })
}
