use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use super::Dead;

/// A lock on a file, held by one process at a time: the one that may take all
/// jobs that run for those of dead processes. A second process on the same
/// database works without it, and takes over what is silent for a whole lease.
pub(in crate::job_queue) struct FileLock {
    file: File,
    state: Mutex<State>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Elsewhere,
    /// Ours, and what the last holder left still runs by the table.
    Gained,
    Held,
}

impl FileLock {
    /// Opens the file, or makes it.
    pub(super) fn open(path: &Path) -> std::io::Result<Self> {
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
        Ok(Self { file, state: Mutex::new(State::Elsewhere) })
    }

    pub(super) fn check(&self) -> Dead {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if *state == State::Elsewhere {
            match self.file.try_lock() {
                Ok(()) => *state = State::Gained,
                Err(TryLockError::WouldBlock) => {}
                // Some network file systems have no locks: leases do it alone there.
                Err(TryLockError::Error(error)) => {
                    tracing::debug!(%error, "the job queue's lock file cannot be locked")
                }
            }
        }
        if *state == State::Gained { Dead::AllOthers } else { Dead::Unknown }
    }

    pub(super) fn inherited(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if *state == State::Gained {
            *state = State::Held;
        }
    }
}
