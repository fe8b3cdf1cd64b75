use sea_orm::entity::prelude::*;

/// A movement of credits: immutable, at most one per idempotency key.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "credit_txns")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    #[sea_orm(column_type = "Text", unique)]
    pub idempotency_key: String,
    /// The request in words; the same key with another fingerprint is refused.
    #[sea_orm(column_type = "Text")]
    pub fingerprint: String,
    /// `grant`, `charge`, `capture` or `refund`.
    #[sea_orm(column_type = "Text")]
    pub kind: String,
    #[sea_orm(column_type = "Text")]
    pub purpose: String,
    /// The piece of work; null for a grant.
    pub reference: Option<Uuid>,
    /// The user's side.
    pub account_id: Uuid,
    pub created_at: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {
    #[sea_orm(has_many = "super::credit_entry::Entity")]
    Entries,
}

impl Related<super::credit_entry::Entity> for Entity {
    fn to() -> RelationDef {
        Relation::Entries.def()
    }
}

impl ActiveModelBehavior for ActiveModel {}
