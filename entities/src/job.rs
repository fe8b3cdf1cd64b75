use sea_orm::entity::prelude::*;

/// A piece of work that outlives the process that does it.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "jobs")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    #[sea_orm(column_type = "Text")]
    pub kind: String,
    /// JSON, known to the kind alone.
    #[sea_orm(column_type = "Text")]
    pub payload: String,
    /// Whom the job counts for, among those of its kind that run.
    pub lane: Uuid,
    /// Jobs of the lane that may run at once.
    pub lane_limit: i32,
    /// `queued`, `running`, `done` or `dead`.
    #[sea_orm(column_type = "Text")]
    pub state: String,
    /// Not to be started before.
    pub run_at: i64,
    /// Starts since the last progress.
    pub attempts: i32,
    /// Grows with each start; what an earlier start still writes is refused.
    pub epoch: i64,
    /// The process that has it, while it runs.
    pub owner: Option<Uuid>,
    /// Until when the owner need not be heard of, while it runs.
    pub lease_until: Option<i64>,
    /// Why it failed last.
    #[sea_orm(column_type = "Text", nullable)]
    pub error: Option<String>,
    pub created_at: i64,
    /// When it was done or given up.
    pub finished_at: Option<i64>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
