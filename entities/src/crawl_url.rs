use sea_orm::entity::prelude::*;

/// A URL that a crawl has met.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "crawl_urls")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub crawl_id: Uuid,
    /// Its place in the order of discovery, from 0.
    #[sea_orm(primary_key, auto_increment = false)]
    pub seq: i64,
    #[sea_orm(column_type = "Text")]
    pub url: String,
    /// Links from the seed.
    pub depth: i32,
    /// `waiting`, `fetched`, `failed` or `skipped`.
    #[sea_orm(column_type = "Text")]
    pub state: String,
    /// Why it was skipped or failed.
    #[sea_orm(column_type = "Text", nullable)]
    pub reason: Option<String>,
    pub status_code: Option<i32>,
    pub attempts: i32,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
