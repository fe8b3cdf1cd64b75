use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{big_integer, big_integer_null, integer, pk_uuid, text, text_null, uuid, uuid_null};

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.create_table(jobs()).await?;
        for index in indexes() {
            manager.create_index(index).await?;
        }
        Ok(())
    }
}

fn jobs() -> TableCreateStatement {
    Table::create()
        .table("jobs")
        .col(pk_uuid("id"))
        .col(text("kind"))
        .col(text("payload"))
        .col(uuid("lane"))
        .col(integer("lane_limit"))
        .col(text("state"))
        .col(big_integer("run_at"))
        .col(integer("attempts").default(0))
        .col(big_integer("epoch").default(0))
        .col(uuid_null("owner"))
        .col(big_integer_null("lease_until"))
        .col(text_null("error"))
        .col(big_integer("created_at"))
        .col(big_integer_null("finished_at"))
        .check(Expr::cust("lane_limit > 0"))
        .check(Expr::cust("attempts >= 0 AND epoch >= 0"))
        .check(Expr::cust("state IN ('queued', 'running', 'done', 'dead')"))
        .check(Expr::cust("(state = 'running') = (owner IS NOT NULL)"))
        .check(Expr::cust("(state = 'running') = (lease_until IS NOT NULL)"))
        .check(Expr::cust("(state IN ('done', 'dead')) = (finished_at IS NOT NULL)"))
        .to_owned()
}

/// Partial, so that what waits and what runs is found among all that is done.
/// The lane comes before the kind: an index that begins with the kind alone
/// would look as good as the ordered one for a claim, and be far worse.
fn indexes() -> [IndexCreateStatement; 4] {
    let on_jobs = |name| Index::create().name(name).table("jobs").to_owned();
    [
        on_jobs("jobs_queued").col("kind").col("run_at").col("id").and_where(Expr::cust("state = 'queued'")).to_owned(),
        on_jobs("jobs_running").col("owner").col("lease_until").and_where(Expr::cust("state = 'running'")).to_owned(),
        on_jobs("jobs_by_lane").col("lane").col("kind").col("state").to_owned(),
        on_jobs("jobs_finished").col("finished_at").and_where(Expr::cust("finished_at IS NOT NULL")).to_owned(),
    ]
}
