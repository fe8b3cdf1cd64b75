//! The database's schema, one step per file.
//!
//! Every moment in time is a `BIGINT` of Unix milliseconds (UTC): one
//! representation that SQLite and PostgreSQL store, compare and index alike.

mod m20261121_000001_users;
mod m20261121_000002_api_keys;
mod m20261121_000003_secrets;
mod m20261121_000004_credit_accounts;
mod m20261121_000005_credit_holds;
mod m20261121_000006_credit_txns;
mod m20261121_000007_credit_entries;
mod m20261121_000008_refuse_rewriting_history;
mod m20261122_000001_rate_buckets;
mod m20261123_000001_jobs;
mod m20261123_000002_crawls;
mod m20261123_000003_webhook_deliveries;

use sea_orm_migration::prelude::*;
use sea_orm_migration::sea_orm::{
    DatabaseConnection, DbBackend, SqliteTransactionMode, TransactionOptions, TransactionTrait,
};

/// All steps, oldest first.
pub struct Migrator;

#[async_trait::async_trait]
impl MigratorTrait for Migrator {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        vec![
            Box::new(m20261121_000001_users::Migration),
            Box::new(m20261121_000002_api_keys::Migration),
            Box::new(m20261121_000003_secrets::Migration),
            Box::new(m20261121_000004_credit_accounts::Migration),
            Box::new(m20261121_000005_credit_holds::Migration),
            Box::new(m20261121_000006_credit_txns::Migration),
            Box::new(m20261121_000007_credit_entries::Migration),
            Box::new(m20261121_000008_refuse_rewriting_history::Migration),
            Box::new(m20261122_000001_rate_buckets::Migration),
            Box::new(m20261123_000001_jobs::Migration),
            Box::new(m20261123_000002_crawls::Migration),
            Box::new(m20261123_000003_webhook_deliveries::Migration),
        ]
    }
}

/// Applies every pending step, all of them or none. Processes that start
/// together wait for one another, so that one migrates and the rest find the
/// work done.
///
/// # Errors
/// Whatever the database refuses; the schema is then as it was.
pub async fn migrate(db: &DatabaseConnection) -> Result<(), DbErr> {
    let options = TransactionOptions {
        sqlite_transaction_mode: Some(SqliteTransactionMode::Immediate),
        ..TransactionOptions::default()
    };
    let txn = db.begin_with_options(options).await?;
    if txn.get_database_backend() == DbBackend::Postgres {
        txn.execute_unprepared("SELECT pg_advisory_xact_lock(hashtext('blazon migrate'))").await?;
    }
    Migrator::up(&txn, None).await?;
    txn.commit().await
}
