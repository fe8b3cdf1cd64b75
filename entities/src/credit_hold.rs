use sea_orm::entity::prelude::*;

/// Credits set aside for one piece of work. A charge at once is a hold that was
/// born captured, so that a reference is unique among all work.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "credit_holds")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub account_id: Uuid,
    #[sea_orm(unique)]
    pub reference: Uuid,
    #[sea_orm(column_type = "Text")]
    pub purpose: String,
    pub amount: i64,
    /// What became a charge; 0 unless the state is `captured`.
    pub captured: i64,
    /// `open`, `captured`, `voided` or `expired`.
    #[sea_orm(column_type = "Text")]
    pub state: String,
    pub expires_at: i64,
    pub created_at: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {
    #[sea_orm(
        belongs_to = "super::credit_account::Entity",
        from = "Column::AccountId",
        to = "super::credit_account::Column::Id"
    )]
    Account,
}

impl Related<super::credit_account::Entity> for Entity {
    fn to() -> RelationDef {
        Relation::Account.def()
    }
}

impl ActiveModelBehavior for ActiveModel {}
