use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{
    big_integer, big_integer_null, boolean, integer, integer_null, pk_uuid, text, text_null, uuid, uuid_null,
};

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        crawls(manager).await?;
        urls(manager).await?;
        pages(manager).await
    }
}

/// The jobs as their owners see them.
async fn crawls(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    let count = |name| big_integer(name).default(0).to_owned();
    let mut table = Table::create()
        .table("crawls")
        .col(pk_uuid("id"))
        .col(uuid("user_id"))
        .col(boolean("counted"))
        .col(text("url"))
        .col(text("options"))
        .col(text_null("webhook_url"))
        .col(text("state"))
        .col(text_null("stopped_reason"))
        .col(boolean("cancel_requested").default(false))
        .col(text_null("idempotency_key"))
        .col(text_null("site"))
        .to_owned();
    for name in ["discovered", "fetched", "failed", "robots", "depth", "regex", "over_limit", "duplicate", "captured"] {
        table.col(count(name));
    }
    table
        .col(uuid_null("hold"))
        .col(count("hold_amount"))
        .col(text_null("robots_txt"))
        .col(big_integer("created_at"))
        .col(big_integer_null("started_at"))
        .col(big_integer_null("completed_at"))
        .col(big_integer("expires_at"))
        .check(Expr::cust("state IN ('queued', 'running', 'completed', 'failed')"))
        // Every URL is in one place of the receipt at most.
        .check(Expr::cust("discovered >= fetched + failed + robots + depth + regex + over_limit + duplicate"));
    manager.create_table(table).await?;
    let by_user = Index::create().name("crawls_by_user").table("crawls").col("user_id").col("created_at").to_owned();
    manager.create_index(by_user).await?;
    let by_key = Index::create()
        .name("crawls_by_key")
        .table("crawls")
        .col("user_id")
        .col("idempotency_key")
        .unique()
        .and_where(Expr::cust("idempotency_key IS NOT NULL"))
        .to_owned();
    manager.create_index(by_key).await?;
    manager.create_index(Index::create().name("crawls_by_end").table("crawls").col("expires_at").to_owned()).await
}

/// Every URL a crawl has met, in the order of its discovery.
async fn urls(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    manager
        .create_table(
            Table::create()
                .table("crawl_urls")
                .col(uuid("crawl_id"))
                .col(big_integer("seq"))
                .col(text("url"))
                .col(integer("depth"))
                .col(text("state"))
                .col(text_null("reason"))
                .col(integer_null("status_code"))
                .col(integer("attempts").default(0))
                .primary_key(Index::create().col("crawl_id").col("seq"))
                .check(Expr::cust("state IN ('waiting', 'fetched', 'failed', 'skipped')"))
                .to_owned(),
        )
        .await
}

/// The pages fetched, as JSON, in the same order.
async fn pages(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    manager
        .create_table(
            Table::create()
                .table("crawl_pages")
                .col(uuid("crawl_id"))
                .col(big_integer("seq"))
                .col(text("page"))
                .col(big_integer("content_hash"))
                .col(text("final_url"))
                .primary_key(Index::create().col("crawl_id").col("seq"))
                .to_owned(),
        )
        .await
}
