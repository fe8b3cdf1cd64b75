use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{big_integer, uuid};

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager
            .create_table(
                Table::create()
                    .table("rate_buckets")
                    .col(uuid("key_id"))
                    .col(big_integer("bucket"))
                    .col(big_integer("count"))
                    .primary_key(Index::create().col("key_id").col("bucket"))
                    .check(Expr::cust("bucket >= 0 AND count >= 0"))
                    .to_owned(),
            )
            .await?;
        manager
            .create_index(Index::create().name("rate_buckets_by_age").table("rate_buckets").col("bucket").to_owned())
            .await
    }
}
