use std::time::Instant;

use time::OffsetDateTime;

use crate::database::millis;

/// Milliseconds since 1970 as the system's clock had them at the start, and
/// counted from there by one that never goes back.
pub(super) struct Clock {
    started_ms: u64,
    started: Instant,
}

impl Clock {
    pub(super) fn new() -> Self {
        // A clock before 1970 is as wrong as one that says 1970.
        let started_ms = u64::try_from(millis(OffsetDateTime::now_utc())).unwrap_or(0);
        Self { started_ms, started: Instant::now() }
    }

    pub(super) fn now_ms(&self) -> u64 {
        self.started_ms + self.started.elapsed().as_millis() as u64
    }
}
