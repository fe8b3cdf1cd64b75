//! Opens the database, SQLite or PostgreSQL, and begins its transactions.

pub(crate) mod fail_point;
mod open;
pub(crate) mod rows;
pub(crate) mod secrets;
pub(crate) mod sql;
#[cfg(any(test, feature = "testing"))]
pub mod testing;

pub use open::{Database, OpenError};
pub use sea_orm::DatabaseConnection;

use sea_orm::{
    DatabaseTransaction, DbBackend, DbErr, IsolationLevel, SqliteTransactionMode, TransactionOptions, TransactionTrait,
};
use time::OffsetDateTime;
use tokio::sync::{Mutex, MutexGuard};

use self::fail_point::reached;

/// Begins a transaction that writes: `BEGIN IMMEDIATE` on SQLite, because a
/// transaction that reads first and writes later is refused there as soon as
/// another has written, whatever the busy time-out; `READ COMMITTED` on
/// PostgreSQL, where a conditional `UPDATE` locks the row it decides on.
///
/// # Errors
/// When no connection is free in time, or SQLite's write lock is not.
pub async fn begin_write(db: &DatabaseConnection) -> Result<DatabaseTransaction, DbErr> {
    let options = match db.get_database_backend() {
        DbBackend::Sqlite => TransactionOptions {
            sqlite_transaction_mode: Some(SqliteTransactionMode::Immediate),
            ..TransactionOptions::default()
        },
        _ => {
            TransactionOptions { isolation_level: Some(IsolationLevel::ReadCommitted), ..TransactionOptions::default() }
        }
    };
    db.begin_with_options(options).await
}

/// Begins a transaction whose reads all see the same moment.
///
/// # Errors
/// When no connection is free in time.
pub async fn begin_snapshot(db: &DatabaseConnection) -> Result<DatabaseTransaction, DbErr> {
    match db.get_database_backend() {
        // A deferred transaction under WAL is a snapshot already.
        DbBackend::Sqlite => db.begin().await,
        _ => db.begin_with_config(Some(IsolationLevel::RepeatableRead), None).await,
    }
}

/// Runs `work` in a transaction that writes: committed when it succeeds, rolled
/// back when it fails.
///
/// # Errors
/// Those of `work`, or the database's when it cannot begin or commit.
pub async fn write<T, E, F>(db: &DatabaseConnection, work: F) -> Result<T, E>
where
    F: AsyncFnOnce(&DatabaseTransaction) -> Result<T, E>,
    E: From<DbErr>,
{
    let _turn = turn(db).await;
    let txn = begin_write(db).await?;
    match work(&txn).await {
        Ok(done) => {
            reached("before", "COMMIT");
            txn.commit().await?;
            reached("after", "COMMIT");
            Ok(done)
        }
        Err(refusal) => {
            reached("before", "ROLLBACK");
            txn.rollback().await?;
            Err(refusal)
        }
    }
}

/// Waits for this process's turn to write to SQLite, which has one writer at a
/// time and lets the others poll: who comes often would leave the rest waiting
/// far longer than their turn. First come, first served.
async fn turn(db: &DatabaseConnection) -> Option<MutexGuard<'static, ()>> {
    static WRITERS: Mutex<()> = Mutex::const_new(());
    match db.get_database_backend() {
        DbBackend::Sqlite => Some(WRITERS.lock().await),
        _ => None,
    }
}

/// Asks the database for an answer, for `/readyz`.
///
/// # Errors
/// When it gives none.
pub async fn ping(db: &DatabaseConnection) -> Result<(), DbErr> {
    db.ping().await
}

/// Returns the moment now in Unix milliseconds, the form of every moment in
/// the database.
pub(crate) fn now() -> i64 {
    millis(OffsetDateTime::now_utc())
}

pub(crate) fn millis(moment: OffsetDateTime) -> i64 {
    // Milliseconds of a four-digit year fit into an i64 many times over.
    (moment.unix_timestamp_nanos() / 1_000_000) as i64
}

pub(crate) fn moment(millis: i64) -> Result<OffsetDateTime, DbErr> {
    OffsetDateTime::from_unix_timestamp_nanos(i128::from(millis) * 1_000_000)
        .map_err(|error| DbErr::Type(format!("{millis} ms is not a moment: {error}")))
}
