use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use sea_orm::sqlx::postgres::PgConnectOptions;
use sea_orm::sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use sea_orm::{ConnectOptions, DatabaseConnection, DbErr};

/// Writers queue for SQLite's one lock in this many connections, where the
/// busy handler polls; all others queue in the pool, first come first served.
const SQLITE_CONNECTIONS: u32 = 8;
const POSTGRES_CONNECTIONS: u32 = 16;
/// How long SQLite waits for another writer.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a caller waits for a free connection.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);
/// How long PostgreSQL bears a transaction without a statement. Its locks would
/// else be held for as long as a process is frozen.
const IDLE_IN_TRANSACTION: Duration = Duration::from_secs(10);
/// A connection idle for longer is asked whether it lives before it is used.
const TRUSTED_IDLE: Duration = Duration::from_secs(2);

/// Opens connections to the database.
#[derive(Debug)]
pub struct Database;

/// Why the database could not be opened. No message shows the URL, which may
/// hold a password.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("the database URL must begin with sqlite:// or postgres://")]
    Scheme,
    #[error("an in-memory database would forget every balance; name a file")]
    InMemory,
    #[error("the folder {} cannot be created", folder.display())]
    Folder { folder: PathBuf, source: std::io::Error },
    #[error("the database cannot be opened")]
    Connect(#[from] DbErr),
}

impl Database {
    /// Opens the pool for `sqlite://PATH` (the file and its folders are made
    /// when missing) or `postgres://…`. It does not migrate.
    ///
    /// # Errors
    /// [`OpenError`] for another scheme, a folder that cannot be made, or a
    /// database that does not answer.
    pub async fn open(url: &str) -> Result<DatabaseConnection, OpenError> {
        let mut options = ConnectOptions::new(url);
        // Statements may hold what must not reach a log, and their spans cost time.
        options.sqlx_logging(false).record_stmt_in_spans(false);
        options.acquire_timeout(ACQUIRE_TIMEOUT).connect_timeout(ACQUIRE_TIMEOUT);
        options.test_before_acquire_if_idle_for(TRUSTED_IDLE);
        if url.starts_with("sqlite:") {
            create_folder(&sqlite_file(url)?)?;
            options.max_connections(SQLITE_CONNECTIONS).map_sqlx_sqlite_opts(durable);
        } else if url.starts_with("postgres:") || url.starts_with("postgresql:") {
            options.max_connections(POSTGRES_CONNECTIONS).set_application_name("blazon");
            options.map_sqlx_postgres_opts(bounded);
        } else {
            return Err(OpenError::Scheme);
        }
        Ok(sea_orm::Database::connect(options).await?)
    }
}

/// WAL, so that readers never wait for the writer; synchronous FULL, because
/// what was answered to a client must survive a power cut.
fn durable(options: SqliteConnectOptions) -> SqliteConnectOptions {
    options
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .busy_timeout(BUSY_TIMEOUT)
        .foreign_keys(true)
}

fn bounded(options: PgConnectOptions) -> PgConnectOptions {
    options.options([("idle_in_transaction_session_timeout", IDLE_IN_TRANSACTION.as_millis())])
}

fn sqlite_file(url: &str) -> Result<PathBuf, OpenError> {
    let options = SqliteConnectOptions::from_str(url)
        .map_err(|error| DbErr::Conn(sea_orm::RuntimeErr::Internal(error.to_string())))?;
    let file = options.get_filename();
    if url.contains(":memory:") || url.contains("mode=memory") || file.as_os_str().is_empty() {
        return Err(OpenError::InMemory);
    }
    Ok(file.to_path_buf())
}

fn create_folder(file: &Path) -> Result<(), OpenError> {
    let Some(folder) = file.parent() else { return Ok(()) };
    std::fs::create_dir_all(folder).map_err(|source| OpenError::Folder { folder: folder.to_path_buf(), source })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::database::{ping, sql};

    #[tokio::test]
    async fn a_file_is_made_with_its_folders_and_is_durable() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("not/yet there/blazon.db");
        let db = Database::open(&format!("sqlite://{}", file.display())).await.expect("opens");
        ping(&db).await.expect("answers");
        assert!(file.exists());
        for (pragma, value) in [("synchronous", 2), ("foreign_keys", 1), ("busy_timeout", 10_000)] {
            let row = sql::one(&db, &format!("PRAGMA {pragma}"), []).await.expect("reads").expect("a row");
            assert_eq!(row.try_get_by_index::<i64>(0).expect("a number"), value, "{pragma}");
        }
        let row = sql::one(&db, "PRAGMA journal_mode", []).await.expect("reads").expect("a row");
        assert_eq!(row.try_get_by_index::<String>(0).expect("text"), "wal");
    }

    #[tokio::test]
    async fn other_schemes_and_memory_are_refused_without_showing_the_url() {
        let refused = Database::open("mysql://root:hunter2@127.0.0.1/db").await.expect_err("refused");
        assert!(matches!(refused, OpenError::Scheme));
        assert!(!format!("{refused:?} {refused}").contains("hunter2"));
        for url in ["sqlite::memory:", "sqlite://:memory:", "sqlite://x.db?mode=memory"] {
            assert!(matches!(Database::open(url).await, Err(OpenError::InMemory)), "{url}");
        }
    }
}
