use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{big_integer, pk_uuid, text, text_uniq};

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager
            .create_table(
                Table::create()
                    .table("users")
                    .col(pk_uuid("id"))
                    .col(text_uniq("email"))
                    .col(text("plan"))
                    .col(big_integer("created_at"))
                    .check(Expr::cust("email = lower(email)"))
                    .check(Expr::cust("plan IN ('free', 'starter', 'pro', 'enterprise')"))
                    .to_owned(),
            )
            .await
    }
}
