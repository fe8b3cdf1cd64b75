use async_trait::async_trait;
use sea_orm::{DatabaseConnection, DbErr};
use serde_json::{Map, Value};
use uuid::Uuid;

use super::{CrawlError, store};
use crate::webhook_outbox::Subjects;

/// What webhooks tell of a crawl: the answer that its owner would get, with all
/// pages, for as long as the crawl is kept.
pub struct CrawlSubjects {
    db: DatabaseConnection,
}

impl CrawlSubjects {
    /// Reads crawls out of a migrated database.
    pub fn new(db: DatabaseConnection) -> Self {
        Self { db }
    }
}

#[async_trait]
impl Subjects for CrawlSubjects {
    async fn body(&self, _: &str, subject: Uuid) -> Result<Option<Map<String, Value>>, DbErr> {
        let record = store::whole(&self.db, subject).await.map_err(|error| match error {
            CrawlError::Store(error) => error,
            other => DbErr::Custom(other.to_string()),
        })?;
        let Some(record) = record else { return Ok(None) };
        let data = serde_json::to_value(record).map_err(|error| DbErr::Json(error.to_string()))?;
        Ok(Some(Map::from_iter([("success".to_owned(), Value::Bool(true)), ("data".to_owned(), data)])))
    }
}
