//! Who has how many credits: double entry with holds, in the database alone.
//!
//! A user's credits are one fixed row (`balance`, `held`) that a conditional
//! `UPDATE` both checks and locks; why they are what they are is in immutable
//! transactions of two entries each. Credits come from the account `issuance`
//! and go to `revenue`, whose balances are the sums of their entries.
//!
//! ```text
//! HoldCredits ─→ open ─ CaptureHold ─→ captured  (entries: user −n, revenue +n)
//!                  ├─── VoidHold ────→ voided
//!                  └─── SweepHolds ──→ expired   (after its time to live)
//! ChargeCredits ───────────────────→ captured  (a hold that is never open)
//! ```
//!
//! One task writes: what is asked for during a transaction shares the next
//! (`writer`). An answer is given when its transaction is committed.

mod handlers;
mod hold;
mod messages;
mod order;
pub(crate) mod store;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
#[cfg(test)]
mod tests;
mod verify;
mod writer;

pub use messages::{
    Balance, CaptureHold, ChargeCredits, GetBalance, GetUsage, GrantCredits, Hold, HoldCredits, LedgerError,
    RefundCredits, SweepHolds, Usage, VoidHold,
};
pub use verify::{Violation, verify};

use std::time::Duration;

use actix::{Actor, ActorContext, ActorFutureExt, AsyncContext, Context, WrapFuture};
use sea_orm::DatabaseConnection;
use tokio::sync::mpsc;

use self::order::Order;
use crate::supervise::Lifeline;

/// How often the holds whose time is over are voided.
const SWEEP_INTERVAL: Duration = Duration::from_secs(10);

/// Moves credits. It keeps no balance in memory, so any number of replicas may
/// run on one database.
pub struct CreditLedgerActor {
    db: DatabaseConnection,
    orders: mpsc::Sender<Order>,
    /// Until the writer takes it.
    queue: Option<mpsc::Receiver<Order>>,
    _lifeline: Lifeline,
}

impl CreditLedgerActor {
    /// Returns a ledger on a migrated database.
    pub fn new(db: DatabaseConnection, lifeline: Lifeline) -> Self {
        let (orders, queue) = mpsc::channel(writer::QUEUE);
        Self { db, orders, queue: Some(queue), _lifeline: lifeline }
    }

    /// Starts the writer. It ends after the actor, when the queue is empty; if
    /// it ends before, the actor does too and is started again.
    fn start_writer(&mut self, context: &mut Context<Self>) {
        let Some(queue) = self.queue.take() else { return };
        let writing = actix::spawn(writer::run(self.db.clone(), queue));
        context.spawn(writing.into_actor(self).map(|ended, _, context| {
            tracing::error!(?ended, "the ledger's writer has ended");
            context.stop();
        }));
    }

    /// Sweeps, and again an interval after the work is done, so that a slow
    /// database is never swept twice at a time.
    fn keep_sweeping(&mut self, context: &mut Context<Self>) {
        let db = self.db.clone();
        let sweeping = async move {
            match store::sweep(&db).await {
                Ok(0) => {}
                Ok(expired) => tracing::info!(expired, "gave back the credits of expired holds"),
                Err(error) => tracing::error!(%error, "expired holds could not be swept"),
            }
        };
        context.spawn(sweeping.into_actor(self).map(|(), _, context| {
            context.run_later(SWEEP_INTERVAL, Self::keep_sweeping);
        }));
    }
}

impl Actor for CreditLedgerActor {
    type Context = Context<Self>;

    fn started(&mut self, context: &mut Self::Context) {
        self.start_writer(context);
        self.keep_sweeping(context);
    }
}
