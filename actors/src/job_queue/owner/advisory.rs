use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use sea_orm::sqlx::postgres::PgConnectOptions;
use sea_orm::sqlx::{self, ConnectOptions, Connection, PgConnection};
use sea_orm::{DbErr, RuntimeErr};
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};
use uuid::Uuid;

use super::Dead;

/// How long the server may take for an answer on the lock's connection.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long nobody is taken for dead after a connection was lost: the server may
/// have been started again, and the others may not have their locks back yet.
const GRACE: Duration = Duration::from_secs(5);
/// Owners that may be tried until one's number is free. There are 2³² numbers.
const TRIES: usize = 8;

/// A session's lock on the owner's number. No pool: a pool would replace the
/// connection, and lose the lock, without a word.
pub(in crate::job_queue) struct AdvisoryLock {
    options: PgConnectOptions,
    session: Mutex<Option<Session>>,
    is_visible: AtomicBool,
}

struct Session {
    connection: PgConnection,
    /// Not yet, as long as the server believes in a connection that was lost.
    is_locked: bool,
    /// When others may be taken for dead.
    judges_from: Instant,
}

/// The condition on a job that its owner holds no lock.
const IS_UNLOCKED: &str = "(hashtext(owner::text)::bigint & 4294967295)::oid NOT IN \
     (SELECT objid FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 2 \
      AND classid = (hashtext('blazon job owner')::bigint & 4294967295)::oid \
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))";

impl AdvisoryLock {
    /// Makes an owner whose number is free and locks it.
    pub(super) async fn take(options: Arc<PgConnectOptions>) -> Result<(Uuid, Self), DbErr> {
        let options = (*options).clone().application_name("blazon job owner");
        let mut session = Session::open(&options, Instant::now()).await?;
        for _ in 0..TRIES {
            let owner = Uuid::new_v4();
            session.hold(owner).await?;
            if session.is_locked {
                let session = Mutex::new(Some(session));
                return Ok((owner, Self { options, session, is_visible: AtomicBool::new(true) }));
            }
        }
        Err(DbErr::Custom("no lock for an owner of jobs is free".to_owned()))
    }

    pub(super) fn is_visible(&self) -> bool {
        self.is_visible.load(Ordering::Relaxed)
    }

    pub(super) async fn check(&self, owner: Uuid) -> Result<Dead, DbErr> {
        let held = self.hold(owner).await;
        self.is_visible.store(held.is_ok(), Ordering::Relaxed);
        let judges_from = held?;
        Ok(if Instant::now() < judges_from { Dead::Unknown } else { Dead::Unlocked(IS_UNLOCKED) })
    }

    /// Makes sure of the session and returns when it may judge others. A session
    /// is out of its place while it is spoken to: one that was left in the
    /// middle of an answer is no good any more.
    async fn hold(&self, owner: Uuid) -> Result<Instant, DbErr> {
        let mut place = self.session.lock().await;
        if let Some(mut session) = place.take() {
            match session.hold(owner).await {
                Ok(()) => return Ok(place.insert(session).judges_from),
                Err(error) => tracing::warn!(%error, "the connection that shows this process to be alive was lost"),
            }
        }
        let mut session = Session::open(&self.options, Instant::now() + GRACE).await?;
        session.hold(owner).await?;
        Ok(place.insert(session).judges_from)
    }
}

impl Session {
    async fn open(options: &PgConnectOptions, judges_from: Instant) -> Result<Self, DbErr> {
        let connection = within(options.connect()).await?;
        Ok(Self { connection, is_locked: false, judges_from })
    }

    /// Asks for a sign of life, and for the lock if it is not held.
    async fn hold(&mut self, owner: Uuid) -> Result<(), DbErr> {
        if self.is_locked {
            return within(self.connection.ping()).await;
        }
        let lock = "SELECT pg_try_advisory_lock(hashtext('blazon job owner'), hashtext($1))";
        let asked = sqlx::query_scalar(lock).bind(owner.to_string()).fetch_one(&mut self.connection);
        self.is_locked = within(asked).await?;
        Ok(())
    }
}

async fn within<T>(answer: impl Future<Output = Result<T, sqlx::Error>>) -> Result<T, DbErr> {
    match timeout(PATIENCE, answer).await {
        Ok(answer) => answer.map_err(|error| DbErr::Conn(RuntimeErr::SqlxError(Arc::new(error)))),
        Err(_) => Err(DbErr::Conn(RuntimeErr::Internal(format!("no answer within {} s", PATIENCE.as_secs())))),
    }
}
