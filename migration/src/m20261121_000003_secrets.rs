use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{binary, text};

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager
            .create_table(
                Table::create().table("secrets").col(text("name").primary_key()).col(binary("value")).to_owned(),
            )
            .await
    }
}
