//! A database of its own for every test: a SQLite file in a temporary folder,
//! or a fresh database on the PostgreSQL server that `./scripts/test` starts.

#![expect(clippy::expect_used, reason = "a test whose database cannot be had is to fail with the reason")]

use std::future::Future;
use std::panic::AssertUnwindSafe;

use futures::FutureExt;
use sea_orm::{ConnectionTrait, Database, DatabaseConnection, DbErr};
use tempfile::TempDir;
use uuid::Uuid;

/// The server for tests: a URL of a user who may create databases.
const SERVER: &str = "BLAZON_TEST_POSTGRES_URL";

/// An empty database that nobody else uses. It knows no schema: open
/// [`TestDatabase::url`] and migrate it, or start the application on it.
pub struct TestDatabase {
    url: String,
    place: Place,
}

enum Place {
    Folder { _folder: TempDir },
    Server { server: String, name: String },
}

impl TestDatabase {
    /// A SQLite file that goes with this value.
    ///
    /// # Panics
    /// When there is no room for a temporary folder.
    pub fn sqlite() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let url = format!("sqlite://{}", folder.path().join("blazon.db").display());
        Self { url, place: Place::Folder { _folder: folder } }
    }

    /// A new database on the test server. [`TestDatabase::run`] drops it.
    ///
    /// # Panics
    /// When no test server is named or it refuses.
    pub async fn postgres() -> Self {
        #[expect(clippy::disallowed_methods, reason = "tests are told of their server by the script that starts it")]
        let server = std::env::var(SERVER).expect("run ./scripts/test, which starts PostgreSQL");
        let name = format!("blazon_test_{}", Uuid::now_v7().simple());
        create_database(&connect(&server).await, &name).await.expect("a new database");
        let mut url = url::Url::parse(&server).expect("a URL");
        url.set_path(&name);
        Self { url: url.into(), place: Place::Server { server, name } }
    }

    /// The URL to open.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Runs a test's body with the URL and removes the database afterwards,
    /// also when the body panics.
    pub async fn run<F: Future<Output = ()>>(self, body: impl FnOnce(String) -> F) {
        let outcome = AssertUnwindSafe(body(self.url.clone())).catch_unwind().await;
        if let Place::Server { server, name } = &self.place {
            let drop = format!("DROP DATABASE {name} WITH (FORCE)");
            connect(server).await.execute_unprepared(&drop).await.expect("the database goes");
        }
        if let Err(panic) = outcome {
            std::panic::resume_unwind(panic);
        }
    }
}

/// Makes a database on the server that `on` is connected to.
///
/// # Errors
/// The server's, for example when there is a database of this name.
pub async fn create_database(on: &DatabaseConnection, name: &str) -> Result<(), DbErr> {
    on.execute_unprepared(&format!("CREATE DATABASE {name}")).await.map(drop)
}

async fn connect(server: &str) -> DatabaseConnection {
    Database::connect(server).await.expect("the test server answers")
}

/// Makes a test of each body for SQLite and one for PostgreSQL, named
/// `on_sqlite::body` and `on_postgres::body`. A body is
/// `async fn(DatabaseConnection)`; `$open` turns a URL into the connection.
#[macro_export]
macro_rules! on_both_databases {
    ($open:path: $($body:ident),+ $(,)?) => {
        mod on_sqlite {
            $(#[actix::test]
            async fn $body() {
                let database = $crate::database::testing::TestDatabase::sqlite();
                database.run(|url| async move { super::$body($open(&url).await).await }).await;
            })+
        }

        mod on_postgres {
            $(#[actix::test]
            async fn $body() {
                let database = $crate::database::testing::TestDatabase::postgres().await;
                database.run(|url| async move { super::$body($open(&url).await).await }).await;
            })+
        }
    };
}

/// As `on_both_databases!`, of bodies that take the database's URL.
#[cfg(test)]
macro_rules! on_both_urls {
    ($sqlite:ident, $postgres:ident: $($body:ident),+ $(,)?) => {
        mod $sqlite {
            $(#[actix::test]
            async fn $body() {
                crate::database::testing::TestDatabase::sqlite().run(super::$body).await;
            })+
        }

        mod $postgres {
            $(#[actix::test]
            async fn $body() {
                crate::database::testing::TestDatabase::postgres().await.run(super::$body).await;
            })+
        }
    };
}
#[cfg(test)]
pub(crate) use on_both_urls;

/// Opens and migrates the database at `url`.
///
/// # Panics
/// When either fails.
#[cfg(test)]
pub(crate) async fn open_migrated(url: &str) -> DatabaseConnection {
    let db = super::Database::open(url).await.expect("the database opens");
    migration::migrate(&db).await.expect("the schema is made");
    db
}
