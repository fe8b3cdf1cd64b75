use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{big_integer, pk_uuid, text, uuid_null};
use sea_orm_migration::sea_orm::prelude::Uuid;

#[derive(DeriveMigrationName)]
pub struct Migration;

/// Where credits come from.
const ISSUANCE: Uuid = Uuid::from_u128(0x0000_0000_0000_7000_8000_0000_0000_0001);
/// Where spent credits go.
const REVENUE: Uuid = Uuid::from_u128(0x0000_0000_0000_7000_8000_0000_0000_0002);

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager
            .create_table(
                Table::create()
                    .table("credit_accounts")
                    .col(pk_uuid("id"))
                    .col(uuid_null("user_id").unique_key())
                    .col(text("kind"))
                    .col(big_integer("balance").default(0))
                    .col(big_integer("held").default(0))
                    .foreign_key(ForeignKey::create().from("credit_accounts", "user_id").to("users", "id"))
                    .check(Expr::cust("kind IN ('user', 'system')"))
                    .check(Expr::cust("(kind = 'user') = (user_id IS NOT NULL)"))
                    // At most 2^53 - 1: exact in JSON, and far from where SQLite turns an overflow into a float.
                    .check(Expr::cust(
                        "kind = 'system' OR \
                         (balance >= 0 AND held >= 0 AND held <= balance AND balance <= 9007199254740991)",
                    ))
                    // One row that every request of every user updates would be the bottleneck of
                    // the service, so a system account's balance is the sum of its entries alone.
                    .check(Expr::cust("kind = 'user' OR (balance = 0 AND held = 0)"))
                    .to_owned(),
            )
            .await?;
        manager
            .execute(
                Query::insert()
                    .into_table("credit_accounts")
                    .columns(["id", "kind"])
                    .values_panic([ISSUANCE.into(), "system".into()])
                    .values_panic([REVENUE.into(), "system".into()])
                    .to_owned(),
            )
            .await
    }
}
