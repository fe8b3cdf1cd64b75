//! How many requests a key may make: an exact sliding log for the minute, a
//! bucketed sliding counter for the day.
//!
//! With a shared store the windows are there, one for all replicas, and a script
//! decides. While it is away each replica decides for its own part, the limit
//! divided by the number of replicas, and tells the store afterwards. So in any
//! trailing minute a client gets at most its limit where one replica runs, and
//! where several do, around a failure at most `limit · (2 − 1/replicas)` and what
//! was on its way to the store when it failed.
//!
//! Without a shared store the process decides, and the day is counted in the
//! database ahead of time: a restart forgets no request of the day, and a crash
//! costs a client at most a hundredth of the day's limit. The minute begins
//! empty, so that around a restart a client may get its minute's limit once more.

mod account;
mod clock;
mod day_book;
mod embedded;
mod handlers;
mod log;
mod messages;
mod reserve;
mod shared;
#[cfg(test)]
mod tests;
mod window;

use std::time::Duration;

use actix::{Actor, AsyncContext, Context};
use sea_orm::DatabaseConnection;

use embedded::EmbeddedLimits;
pub use messages::{CheckRate, RateDecision, RateLimits, SettleCounts, WindowState};
use shared::SharedLimits;

use crate::shared_store::SharedStore;
use crate::supervise::Lifeline;

/// How often keys without a request in the last day are forgotten.
const SWEEP: Duration = Duration::from_secs(600);

/// What counts the requests: the store that all replicas share, or this process
/// on the service's own, migrated database.
#[derive(Clone)]
pub enum Counts<S = SharedStore, D = DatabaseConnection> {
    Shared(S),
    Database(D),
}

/// Owns the windows of every key.
pub struct RateLimiterActor {
    limits: Counts<SharedLimits, EmbeddedLimits>,
    _lifeline: Lifeline,
}

impl RateLimiterActor {
    /// Returns the actor, to be started in the current arbiter.
    pub fn new(counts: Counts, lifeline: Lifeline) -> Self {
        let limits = match counts {
            Counts::Shared(store) => Counts::Shared(SharedLimits::new(store)),
            Counts::Database(db) => Counts::Database(EmbeddedLimits::new(db)),
        };
        Self { limits, _lifeline: lifeline }
    }

    fn sweep(&mut self, _: &mut Context<Self>) {
        match &self.limits {
            Counts::Shared(shared) => shared.sweep(),
            Counts::Database(embedded) => drop(actix::spawn(embedded.sweep())),
        }
    }
}

impl Actor for RateLimiterActor {
    type Context = Context<Self>;

    fn started(&mut self, context: &mut Self::Context) {
        context.run_interval(SWEEP, Self::sweep);
    }
}
