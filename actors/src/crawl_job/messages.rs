use actix::Message;
use serde::Serialize;
use time::OffsetDateTime;
use url::Url;
use uuid::Uuid;

use super::options::CrawlOptions;
use super::receipt::{Progress, Skipped};
use crate::credit_ledger::LedgerError;

/// Request: accept a crawl. 1 credit is charged at once, the rest as pages come.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<StartedCrawl, CrawlError>")]
pub struct StartCrawl {
    pub user: Uuid,
    /// Whether credits are counted.
    pub counted: bool,
    /// Crawls of this user that may run at once; more wait.
    pub at_once: u32,
    pub options: CrawlOptions,
    pub webhook_url: Option<Url>,
    /// The client's own key: with the same one and the same order the first
    /// crawl is the answer again, for as long as the crawl is kept.
    pub idempotency_key: Option<String>,
}

/// A crawl that was accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StartedCrawl {
    pub id: Uuid,
    /// Credits charged by this very request: none when it was a repetition.
    pub charged: i64,
}

/// Request: a crawl as it stands.
#[derive(Debug, Clone, Copy, Message)]
#[rtype(result = "Result<Option<CrawlRecord>, CrawlError>")]
pub struct GetCrawl {
    pub user: Uuid,
    pub id: Uuid,
    /// Which of its pages; `None` leaves them out.
    pub pages: Option<PageRange>,
}

/// A stretch of the pages fetched, in the order of discovery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageRange {
    /// The last page of the stretch before; -1 begins.
    pub after: i64,
    pub limit: i64,
}

/// Request: a user's crawls, newest first, at most 100.
#[derive(Debug, Clone, Copy, Message)]
#[rtype(result = "Result<Vec<CrawlSummary>, CrawlError>")]
pub struct ListCrawls {
    pub user: Uuid,
}

/// Request: end a crawl; what it has fetched stays. `false` when there is none
/// or it has ended.
#[derive(Debug, Clone, Copy, Message)]
#[rtype(result = "Result<bool, CrawlError>")]
pub struct CancelCrawl {
    pub user: Uuid,
    pub id: Uuid,
}

/// Request: hand every running crawl back, so that another process or the next
/// start goes on with it. Answered when none is left.
#[derive(Debug, Clone, Copy, Message)]
#[rtype(result = "()")]
pub struct HandBack;

/// A crawl as its owner sees it.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct CrawlRecord {
    #[serde(flatten)]
    pub summary: CrawlSummary,
    /// URLs that could not be fetched.
    pub errors: Vec<CrawlProblem>,
    /// Pages fetched, in the order of their discovery.
    #[schema(value_type = Vec<crate::crawl_job::CrawlPage>)]
    pub pages: Vec<Box<serde_json::value::RawValue>>,
    /// Where the next stretch of pages begins, when there are more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// A crawl without its pages.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct CrawlSummary {
    pub job_id: Uuid,
    /// `queued`, `running`, `completed` or `failed`.
    pub status: String,
    /// Why it ended before its site did: `max_pages`, `credits`, `cancelled`,
    /// `deadline`, `seed_unreachable` or `robots`.
    pub stopped_reason: Option<String>,
    pub url: String,
    /// URLs discovered.
    pub pages_found: i64,
    /// URLs fetched.
    pub pages_completed: i64,
    pub progress: Progress,
    pub skipped: Skipped,
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    #[serde(with = "time::serde::rfc3339::option")]
    pub started_at: Option<OffsetDateTime>,
    #[serde(with = "time::serde::rfc3339::option")]
    pub completed_at: Option<OffsetDateTime>,
    /// When the crawl and its pages are forgotten.
    #[serde(with = "time::serde::rfc3339")]
    pub expires_at: OffsetDateTime,
}

impl CrawlSummary {
    /// Whether nothing will change any more.
    pub fn has_ended(&self) -> bool {
        matches!(self.status.as_str(), "completed" | "failed")
    }
}

/// A URL that could not be fetched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct CrawlProblem {
    pub url: String,
    /// One of the reasons of a website error, or `http_status`.
    pub reason: String,
    pub status_code: Option<i32>,
    pub attempts: i32,
}

/// Why a crawl was refused, or cannot be shown.
#[derive(Debug, thiserror::Error)]
pub enum CrawlError {
    /// As many crawls as may wait are waiting.
    #[error("{0} crawls are waiting already")]
    TooManyWaiting(u64),
    /// The idempotency key was used for another order.
    #[error("the idempotency key was used for another crawl")]
    KeyReused,
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    #[error("a stored crawl cannot be read: {0}")]
    Corrupt(String),
    #[error("the crawls' database failed")]
    Store(#[from] sea_orm::DbErr),
}
