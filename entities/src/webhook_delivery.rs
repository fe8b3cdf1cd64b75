use sea_orm::entity::prelude::*;

/// One event that is owed to one address of its user's.
#[derive(Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "webhook_deliveries")]
pub struct Model {
    /// The event's id too: the same in every attempt.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub user_id: Uuid,
    #[sea_orm(column_type = "Text")]
    pub event_type: String,
    /// What the event is about, and the body is made of.
    pub subject: Uuid,
    #[sea_orm(column_type = "Text")]
    pub url: String,
    /// `pending`, `delivered` or `failed`.
    #[sea_orm(column_type = "Text")]
    pub state: String,
    /// Attempts begun since it was enqueued or last resent.
    pub attempts: i32,
    /// When the next attempt may begin; of a leased one, when the lease ends.
    pub due_at: i64,
    /// 0 while nobody is at it.
    pub leased_until: i64,
    /// Grows with every claim and resend: who claimed an older one is too late.
    pub epoch: i64,
    /// Of the last attempt's answer, if there was one.
    pub status_code: Option<i32>,
    /// Why the last attempt failed, in a word.
    #[sea_orm(column_type = "Text", nullable)]
    pub failure: Option<String>,
    /// The beginning of the last answer's body.
    #[sea_orm(column_type = "Text", nullable)]
    pub excerpt: Option<String>,
    pub attempted_at: Option<i64>,
    pub delivered_at: Option<i64>,
    pub created_at: i64,
}

impl std::fmt::Debug for Model {
    /// Leaves out the address, which may hold a token, and the excerpt.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = f.debug_struct("WebhookDelivery");
        shown.field("id", &self.id).field("state", &self.state).field("attempts", &self.attempts);
        shown.finish_non_exhaustive()
    }
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
