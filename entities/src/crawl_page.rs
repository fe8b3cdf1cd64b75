use sea_orm::entity::prelude::*;

/// A page that a crawl fetched.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "crawl_pages")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub crawl_id: Uuid,
    /// That of its URL.
    #[sea_orm(primary_key, auto_increment = false)]
    pub seq: i64,
    /// JSON, as the API shows it.
    #[sea_orm(column_type = "Text")]
    pub page: String,
    /// Of the content, to tell duplicates; 0 for pages too small to compare.
    pub content_hash: i64,
    /// Where the redirects ended.
    #[sea_orm(column_type = "Text")]
    pub final_url: String,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
