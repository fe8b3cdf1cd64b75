use sea_orm::entity::prelude::*;

/// The requests of one key in a quarter of an hour: at least those that were
/// admitted, and a few that may yet be.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "rate_buckets")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub key_id: Uuid,
    /// Quarters of an hour since 1970.
    #[sea_orm(primary_key, auto_increment = false)]
    pub bucket: i64,
    pub count: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
