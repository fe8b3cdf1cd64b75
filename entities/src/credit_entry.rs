use sea_orm::entity::prelude::*;

/// One account's side of a transaction. The entries of a transaction sum to 0.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "credit_entries")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub txn_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: Uuid,
    /// Positive: the account gains.
    pub amount: i64,
    /// Null for a system account.
    pub balance_after: Option<i64>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {
    #[sea_orm(belongs_to = "super::credit_txn::Entity", from = "Column::TxnId", to = "super::credit_txn::Column::Id")]
    Txn,
}

impl Related<super::credit_txn::Entity> for Entity {
    fn to() -> RelationDef {
        Relation::Txn.def()
    }
}

impl ActiveModelBehavior for ActiveModel {}
