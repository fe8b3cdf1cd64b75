use sea_orm::entity::prelude::*;

/// A key, of which only a digest is kept.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "api_keys")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub user_id: Uuid,
    #[sea_orm(column_type = "Text")]
    pub name: String,
    /// HMAC-SHA256 of the whole key, 32 bytes.
    #[sea_orm(unique)]
    pub digest: Vec<u8>,
    /// The key's first 12 characters, for people to tell keys apart.
    pub prefix: String,
    /// Names separated by a space.
    #[sea_orm(column_type = "Text")]
    pub scopes: String,
    pub created_at: i64,
    /// Exact to a minute.
    pub last_used_at: Option<i64>,
    pub expires_at: Option<i64>,
    pub revoked_at: Option<i64>,
    /// The key that this one replaces.
    pub rotated_from: Option<Uuid>,
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
