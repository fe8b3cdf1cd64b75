use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{
    big_integer, big_integer_null, binary_len_uniq, pk_uuid, string_len, text, uuid, uuid_null,
};

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager
            .create_table(
                Table::create()
                    .table("api_keys")
                    .col(pk_uuid("id"))
                    .col(uuid("user_id"))
                    .col(text("name"))
                    .col(binary_len_uniq("digest", 32))
                    .col(string_len("prefix", 12))
                    .col(text("scopes"))
                    .col(big_integer("created_at"))
                    .col(big_integer_null("last_used_at"))
                    .col(big_integer_null("expires_at"))
                    .col(big_integer_null("revoked_at"))
                    .col(uuid_null("rotated_from"))
                    .foreign_key(ForeignKey::create().from("api_keys", "user_id").to("users", "id"))
                    .foreign_key(ForeignKey::create().from("api_keys", "rotated_from").to("api_keys", "id"))
                    .check(Expr::cust("length(digest) = 32"))
                    .check(Expr::cust("length(prefix) = 12"))
                    .to_owned(),
            )
            .await?;
        manager.create_index(Index::create().name("api_keys_user_id").table("api_keys").col("user_id").to_owned()).await
    }
}
