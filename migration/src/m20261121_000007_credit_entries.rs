use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{big_integer, big_integer_null, uuid};

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager
            .create_table(
                Table::create()
                    .table("credit_entries")
                    .col(uuid("txn_id"))
                    .col(uuid("account_id"))
                    .col(big_integer("amount"))
                    // Null for a system account, whose balance is kept nowhere.
                    .col(big_integer_null("balance_after"))
                    .primary_key(Index::create().col("txn_id").col("account_id"))
                    .foreign_key(ForeignKey::create().from("credit_entries", "txn_id").to("credit_txns", "id"))
                    .foreign_key(ForeignKey::create().from("credit_entries", "account_id").to("credit_accounts", "id"))
                    .check(Expr::cust("amount <> 0"))
                    .to_owned(),
            )
            .await?;
        manager
            .create_index(
                Index::create().name("credit_entries_account").table("credit_entries").col("account_id").to_owned(),
            )
            .await
    }
}
