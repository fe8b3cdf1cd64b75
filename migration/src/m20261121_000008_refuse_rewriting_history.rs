use sea_orm_migration::prelude::*;
use sea_orm_migration::sea_orm::DbBackend;

#[derive(DeriveMigrationName)]
pub struct Migration;

/// What is written once: a mistake is put right by a further transaction.
const IMMUTABLE: [&str; 2] = ["credit_txns", "credit_entries"];

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let connection = manager.get_connection();
        let postgres = manager.get_database_backend() == DbBackend::Postgres;
        if postgres {
            connection.execute_unprepared(REFUSAL).await?;
        }
        for table in IMMUTABLE {
            let triggers = if postgres { postgres_triggers(table) } else { sqlite_triggers(table) };
            for trigger in triggers {
                connection.execute_unprepared(&trigger).await?;
            }
        }
        Ok(())
    }
}

const REFUSAL: &str = "
    CREATE FUNCTION refuse_rewriting_history() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        RAISE EXCEPTION '% is immutable', TG_TABLE_NAME;
    END $$";

fn postgres_triggers(table: &str) -> [String; 2] {
    let refuse = "EXECUTE FUNCTION refuse_rewriting_history()";
    [
        format!("CREATE TRIGGER {table}_keep BEFORE UPDATE OR DELETE ON {table} FOR EACH ROW {refuse}"),
        format!("CREATE TRIGGER {table}_keep_all BEFORE TRUNCATE ON {table} FOR EACH STATEMENT {refuse}"),
    ]
}

fn sqlite_triggers(table: &str) -> [String; 2] {
    ["update", "delete"].map(|change| {
        format!(
            "CREATE TRIGGER {table}_no_{change} BEFORE {change} ON {table} \
             BEGIN SELECT RAISE(ABORT, '{table} is immutable'); END"
        )
    })
}
