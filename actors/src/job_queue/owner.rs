//! The lock by which others see that an owner lives. The system lets it go
//! whatever the owner dies of.

mod advisory;
mod file;

use std::path::Path;

use sea_orm::{DatabaseConnection, DbBackend, DbErr};
use uuid::Uuid;

use self::advisory::AdvisoryLock;
use self::file::FileLock;
use super::OpenQueueError;

pub(super) enum OwnerLock {
    File(FileLock),
    Advisory(Box<AdvisoryLock>),
}

/// Which owners are known to be dead, beside those whose leases are over.
pub(super) enum Dead {
    Unknown,
    /// Those who meet this condition on their jobs' rows.
    Unlocked(&'static str),
    /// All but this one.
    AllOthers,
}

impl OwnerLock {
    /// Makes an owner and takes its lock.
    pub(super) async fn take(db: &DatabaseConnection, lock_file: &Path) -> Result<(Uuid, Self), OpenQueueError> {
        if db.get_database_backend() == DbBackend::Postgres {
            let options = db.get_postgres_connection_pool().connect_options();
            let (owner, lock) = AdvisoryLock::take(options).await?;
            return Ok((owner, Self::Advisory(Box::new(lock))));
        }
        let lock = FileLock::open(lock_file)
            .map_err(|source| OpenQueueError::LockFile { path: lock_file.to_path_buf(), source })?;
        Ok((Uuid::new_v4(), Self::File(lock)))
    }

    /// Makes sure of the lock, as far as it can be had, and says who is dead.
    ///
    /// # Errors
    /// When the server cannot be reached.
    pub(super) async fn check(&self, owner: Uuid) -> Result<Dead, DbErr> {
        match self {
            Self::File(lock) => Ok(lock.check()),
            Self::Advisory(lock) => lock.check(owner).await,
        }
    }

    /// Notes that the jobs of those who [`OwnerLock::check`] said are dead are
    /// queued again.
    pub(super) fn inherited(&self) {
        if let Self::File(lock) = self {
            lock.inherited();
        }
    }

    /// Whether others can see that this owner lives, as far as is known. If not,
    /// they would take over whatever it claims.
    pub(super) fn is_visible(&self) -> bool {
        match self {
            Self::File(_) => true,
            Self::Advisory(lock) => lock.is_visible(),
        }
    }
}
