use sea_orm::entity::prelude::*;

/// A user's credits, or one of the two ends of the money (`issuance`, `revenue`).
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "credit_accounts")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    /// Null for a system account.
    #[sea_orm(unique)]
    pub user_id: Option<Uuid>,
    /// `user` or `system`.
    #[sea_orm(column_type = "Text")]
    pub kind: String,
    /// Credits owned; always 0 for a system account, whose balance is the sum
    /// of its entries.
    pub balance: i64,
    /// Credits on hold, part of the balance.
    pub held: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {
    #[sea_orm(belongs_to = "super::user::Entity", from = "Column::UserId", to = "super::user::Column::Id")]
    User,
}

impl Related<super::user::Entity> for Entity {
    fn to() -> RelationDef {
        Relation::User.def()
    }
}

impl ActiveModelBehavior for ActiveModel {}
