use sea_orm::entity::prelude::*;

/// A crawl as its owner sees it. The counters are a receipt: every URL that was
/// discovered is counted as waiting, or in exactly one of the others.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "crawls")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub user_id: Uuid,
    /// Whether credits are counted; not for the local user of development.
    pub counted: bool,
    #[sea_orm(column_type = "Text")]
    pub url: String,
    /// JSON.
    #[sea_orm(column_type = "Text")]
    pub options: String,
    #[sea_orm(column_type = "Text", nullable)]
    pub webhook_url: Option<String>,
    /// `queued`, `running`, `completed` or `failed`.
    #[sea_orm(column_type = "Text")]
    pub state: String,
    #[sea_orm(column_type = "Text", nullable)]
    pub stopped_reason: Option<String>,
    pub cancel_requested: bool,
    /// The client's own, unique among the user's.
    #[sea_orm(column_type = "Text", nullable)]
    pub idempotency_key: Option<String>,
    /// The host that the seed led to; none before it was fetched.
    #[sea_orm(column_type = "Text", nullable)]
    pub site: Option<String>,
    pub discovered: i64,
    pub fetched: i64,
    pub failed: i64,
    /// Skipped because of robots.txt.
    pub robots: i64,
    /// Skipped because deeper than asked for.
    pub depth: i64,
    /// Skipped because the pattern asked for does not match.
    pub regex: i64,
    /// Skipped because the crawl ended before.
    pub over_limit: i64,
    /// Skipped because another page is the same.
    pub duplicate: i64,
    /// Credits captured of holds that are settled.
    pub captured: i64,
    /// The open hold.
    pub hold: Option<Uuid>,
    pub hold_amount: i64,
    /// The rules of the site as they were when the crawl began; empty where
    /// there were none.
    #[sea_orm(column_type = "Text", nullable)]
    pub robots_txt: Option<String>,
    pub created_at: i64,
    pub started_at: Option<i64>,
    pub completed_at: Option<i64>,
    pub expires_at: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
