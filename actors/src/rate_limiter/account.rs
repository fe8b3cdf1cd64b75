use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use uuid::Uuid;

use super::clock::Clock;
use super::reserve::Reserve;
use super::shared::Owed;
use super::window::KeyWindows;

/// What this process knows of one key.
#[derive(Debug, Default)]
pub(super) struct Account {
    /// The requests that this process admitted, or that the database knows of.
    pub windows: KeyWindows,
    /// Of the present bucket, how much is in the database.
    pub reserve: Reserve,
    /// Requests admitted without the shared store's knowledge.
    owed: u32,
    /// The shared store's losses at the last look.
    losses: u64,
}

impl Account {
    /// Takes all that is owed to the shared store. After a loss of the store
    /// everything that was admitted here is.
    pub(super) fn take_owed(&mut self, losses: u64) -> Owed {
        let (in_minute, in_day) = self.windows.counts();
        if std::mem::replace(&mut self.losses, losses) != losses {
            self.owed = in_day;
        }
        let owed = std::mem::take(&mut self.owed);
        Owed { minute: owed.min(in_minute), day: owed.min(in_day) }
    }

    /// Owes again what the store could not be told.
    pub(super) fn owe(&mut self, requests: u32) {
        self.owed = self.owed.saturating_add(requests);
    }
}

/// What this process knows of all keys. The lock is never held over an await:
/// answers that have to be waited for come back on tasks of their own.
pub(super) struct Accounts {
    by_key: Mutex<HashMap<Uuid, Account>>,
    clock: Clock,
}

impl Accounts {
    pub(super) fn new() -> Self {
        Self { by_key: Mutex::default(), clock: Clock::new() }
    }

    pub(super) fn now_ms(&self) -> u64 {
        self.clock.now_ms()
    }

    /// Works on a key's account, at the time that is passed along; on a new one
    /// for a key without.
    pub(super) fn with<T>(&self, key: Uuid, work: impl FnOnce(&mut Account, u64) -> T) -> T {
        work(self.lock().entry(key).or_default(), self.now_ms())
    }

    /// Works on all accounts.
    pub(super) fn with_all<T>(&self, work: impl FnOnce(&mut HashMap<Uuid, Account>, u64) -> T) -> T {
        work(&mut self.lock(), self.now_ms())
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Uuid, Account>> {
        // A panic leaves at worst a count that is off by one.
        self.by_key.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
