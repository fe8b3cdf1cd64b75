//! What differs between the two databases.

use sea_orm::{ConnectionTrait, DbBackend};

use super::LEASE;

/// Parts of a statement.
pub(super) struct Dialect {
    /// The moment in Unix milliseconds at which the statement began.
    pub now: &'static str,
    /// After a `SELECT`: locks its rows, without those that others have locked.
    pub skip_locked: &'static str,
}

pub(super) fn dialect<C: ConnectionTrait>(on: &C) -> Dialect {
    match on.get_database_backend() {
        DbBackend::Postgres => Dialect {
            // Not `clock_timestamp()`: it is volatile, and no index is searched for what is volatile.
            now: "(extract(epoch from statement_timestamp()) * 1000)::bigint",
            skip_locked: "FOR UPDATE SKIP LOCKED",
        },
        _ => Dialect { now: "CAST(unixepoch('subsec') * 1000 AS INTEGER)", skip_locked: "" },
    }
}

impl Dialect {
    /// The end of a lease that begins now.
    pub(super) fn lease_end(&self) -> String {
        format!("{} + {}", self.now, LEASE.as_millis())
    }
}
