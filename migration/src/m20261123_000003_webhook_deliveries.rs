use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{big_integer, big_integer_null, integer, integer_null, pk_uuid, text, text_null, uuid};

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.create_table(deliveries()).await?;
        for index in indexes() {
            manager.create_index(index).await?;
        }
        Ok(())
    }
}

fn deliveries() -> TableCreateStatement {
    Table::create()
        .table("webhook_deliveries")
        .col(pk_uuid("id"))
        // No foreign key: while authentication is off, the local user owns deliveries and is nobody's row.
        .col(uuid("user_id"))
        .col(text("event_type"))
        .col(uuid("subject"))
        .col(text("url"))
        .col(text("state"))
        .col(integer("attempts").default(0))
        .col(big_integer("due_at"))
        .col(big_integer("leased_until").default(0))
        .col(big_integer("epoch").default(0))
        .col(integer_null("status_code"))
        .col(text_null("failure"))
        .col(text_null("excerpt"))
        .col(big_integer_null("attempted_at"))
        .col(big_integer_null("delivered_at"))
        .col(big_integer("created_at"))
        .check(Expr::cust("state IN ('pending', 'delivered', 'failed')"))
        .check(Expr::cust("attempts >= 0 AND epoch >= 0"))
        .check(Expr::cust("state = 'pending' OR leased_until = 0"))
        .check(Expr::cust("state <> 'delivered' OR delivered_at IS NOT NULL"))
        .to_owned()
}

/// Two of them partial, so that looking for work sees what is left to do and
/// not all that was ever sent.
fn indexes() -> [IndexCreateStatement; 3] {
    let index = |name: &'static str| Index::create().name(name).table("webhook_deliveries").to_owned();
    [
        index("webhook_deliveries_due").col("due_at").and_where(Expr::cust("state = 'pending'")).to_owned(),
        index("webhook_deliveries_leased").col("user_id").and_where(Expr::cust("leased_until > 0")).to_owned(),
        index("webhook_deliveries_of_user").col("user_id").col("created_at").col("id").to_owned(),
    ]
}
