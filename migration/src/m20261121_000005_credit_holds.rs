use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{big_integer, pk_uuid, text, uuid, uuid_uniq};

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager
            .create_table(
                Table::create()
                    .table("credit_holds")
                    .col(pk_uuid("id"))
                    .col(uuid("account_id"))
                    .col(uuid_uniq("reference"))
                    .col(text("purpose"))
                    .col(big_integer("amount"))
                    .col(big_integer("captured").default(0))
                    .col(text("state"))
                    .col(big_integer("expires_at"))
                    .col(big_integer("created_at"))
                    .foreign_key(ForeignKey::create().from("credit_holds", "account_id").to("credit_accounts", "id"))
                    .check(Expr::cust("amount > 0"))
                    .check(Expr::cust("captured >= 0 AND captured <= amount"))
                    .check(Expr::cust("state IN ('open', 'captured', 'voided', 'expired')"))
                    .check(Expr::cust("state = 'captured' OR captured = 0"))
                    .to_owned(),
            )
            .await?;
        // Partial, so that the sweep and the audit see the few open holds and not all there ever were.
        manager
            .create_index(
                Index::create()
                    .name("credit_holds_open")
                    .table("credit_holds")
                    .col("expires_at")
                    .and_where(Expr::cust("state = 'open'"))
                    .to_owned(),
            )
            .await
    }
}
