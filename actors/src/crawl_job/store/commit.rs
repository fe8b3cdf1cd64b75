use sea_orm::{DatabaseTransaction, DbErr, Value};
use serde::Serialize;
use uuid::Uuid;

use super::Money;
use crate::crawl_job::frontier::Found;
use crate::crawl_job::receipt::Receipt;
use crate::database::rows::Column::{Integer, Text, Uuid as Id};
use crate::database::rows::{parameter, table};
use crate::database::sql;

/// What became of URLs since the last commit, in the order of their discovery.
#[derive(Debug, Default)]
pub(in crate::crawl_job) struct Batch {
    pub settled: Vec<SettledUrl>,
    pub pages: Vec<StoredPage>,
    pub found: Vec<Found>,
}

/// A URL whose turn has come and gone.
#[derive(Debug, Serialize)]
pub(in crate::crawl_job) struct SettledUrl {
    #[serde(with = "uuid::serde::simple")]
    pub crawl_id: Uuid,
    pub seq: i64,
    pub state: &'static str,
    pub reason: Option<&'static str>,
    pub status_code: Option<u16>,
    pub attempts: i32,
}

/// A page to be kept.
#[derive(Debug, Serialize)]
pub(in crate::crawl_job) struct StoredPage {
    #[serde(with = "uuid::serde::simple")]
    pub crawl_id: Uuid,
    pub seq: i64,
    pub page: String,
    pub content_hash: i64,
    pub final_url: String,
}

#[derive(Serialize)]
struct FoundRow<'a> {
    #[serde(with = "uuid::serde::simple")]
    crawl_id: Uuid,
    seq: i64,
    url: &'a str,
    depth: u32,
    state: &'static str,
    reason: Option<&'static str>,
}

/// Writes a batch and the counters as they are after it.
pub(in crate::crawl_job) async fn commit(
    txn: &DatabaseTransaction,
    crawl: Uuid,
    batch: &Batch,
    receipt: &Receipt,
    money: &Money,
    site: Option<&str>,
) -> Result<(), DbErr> {
    settle_urls(txn, &batch.settled).await?;
    insert_pages(txn, &batch.pages).await?;
    insert_found(txn, crawl, &batch.found).await?;
    update_crawl(txn, crawl, receipt, money, site).await
}

async fn settle_urls(txn: &DatabaseTransaction, rows: &[SettledUrl]) -> Result<(), DbErr> {
    if rows.is_empty() {
        return Ok(());
    }
    let columns =
        [Id("crawl_id"), Integer("seq"), Text("state"), Text("reason"), Integer("status_code"), Integer("attempts")];
    let update = format!(
        "UPDATE crawl_urls SET state = v.state, reason = v.reason, status_code = v.status_code, attempts = v.attempts \
         FROM {} WHERE crawl_urls.crawl_id = v.crawl_id AND crawl_urls.seq = v.seq",
        table(txn, &columns)
    );
    sql::run(txn, &update, parameter(rows)?).await?;
    Ok(())
}

async fn insert_pages(txn: &DatabaseTransaction, rows: &[StoredPage]) -> Result<(), DbErr> {
    // Pages are large, and few at a time: each is a parameter of its own, so
    // that none is quoted into JSON once more.
    for StoredPage { crawl_id, seq, page, content_hash, final_url } in rows {
        let insert =
            "INSERT INTO crawl_pages (crawl_id, seq, page, content_hash, final_url) VALUES ($1, $2, $3, $4, $5)";
        let values: [Value; 5] = [
            (*crawl_id).into(),
            (*seq).into(),
            page.as_str().into(),
            (*content_hash).into(),
            final_url.as_str().into(),
        ];
        sql::run(txn, insert, values).await?;
    }
    Ok(())
}

async fn insert_found(txn: &DatabaseTransaction, crawl: Uuid, found: &[Found]) -> Result<(), DbErr> {
    if found.is_empty() {
        return Ok(());
    }
    let row = |found: &Found| {
        let reason = found.skipped.map(super::super::receipt::SkipReason::as_str);
        let state = if reason.is_some() { "skipped" } else { "waiting" };
        (found.target.seq, found.target.url.as_str().to_owned(), found.target.depth, state, reason)
    };
    let owned: Vec<_> = found.iter().map(row).collect();
    let rows: Vec<_> = owned
        .iter()
        .map(|(seq, url, depth, state, reason)| FoundRow {
            crawl_id: crawl,
            seq: *seq,
            url,
            depth: *depth,
            state,
            reason: *reason,
        })
        .collect();
    let columns = [Id("crawl_id"), Integer("seq"), Text("url"), Integer("depth"), Text("state"), Text("reason")];
    let insert = format!(
        "INSERT INTO crawl_urls (crawl_id, seq, url, depth, state, reason, attempts) \
         SELECT v.crawl_id, v.seq, v.url, v.depth, v.state, v.reason, 0 FROM {}",
        table(txn, &columns)
    );
    sql::run(txn, &insert, parameter(&rows)?).await?;
    Ok(())
}

pub(super) async fn update_crawl(
    txn: &DatabaseTransaction,
    crawl: Uuid,
    receipt: &Receipt,
    money: &Money,
    site: Option<&str>,
) -> Result<(), DbErr> {
    let skipped = &receipt.skipped;
    let values: [Value; 13] = [
        receipt.discovered.into(),
        receipt.fetched.into(),
        receipt.failed.into(),
        skipped.robots.into(),
        skipped.depth.into(),
        skipped.regex.into(),
        skipped.limit.into(),
        skipped.duplicate.into(),
        money.captured.into(),
        money.hold.into(),
        money.hold_amount.into(),
        site.map(str::to_owned).into(),
        crawl.into(),
    ];
    let update = "UPDATE crawls SET discovered = $1, fetched = $2, failed = $3, robots = $4, depth = $5, regex = $6, \
                  over_limit = $7, duplicate = $8, captured = $9, hold = $10, hold_amount = $11, site = $12 \
                  WHERE id = $13";
    sql::run(txn, update, values).await?;
    Ok(())
}
