use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{big_integer, pk_uuid, text, text_uniq, uuid, uuid_null};

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager
            .create_table(
                Table::create()
                    .table("credit_txns")
                    .col(pk_uuid("id"))
                    .col(text_uniq("idempotency_key"))
                    .col(text("fingerprint"))
                    .col(text("kind"))
                    .col(text("purpose"))
                    .col(uuid_null("reference"))
                    .col(uuid("account_id"))
                    .col(big_integer("created_at"))
                    .foreign_key(ForeignKey::create().from("credit_txns", "account_id").to("credit_accounts", "id"))
                    .check(Expr::cust("kind IN ('grant', 'charge', 'capture', 'refund')"))
                    .to_owned(),
            )
            .await?;
        manager
            .create_index(
                Index::create()
                    .name("credit_txns_account")
                    .table("credit_txns")
                    .col("account_id")
                    .col("created_at")
                    .to_owned(),
            )
            .await?;
        manager
            .create_index(
                Index::create().name("credit_txns_reference").table("credit_txns").col("reference").to_owned(),
            )
            .await
    }
}
