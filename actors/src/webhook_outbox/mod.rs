//! Messages that are owed to the outside: each is sent until its receiver takes
//! it, or the schedule ends.
//!
//! ```text
//! enqueue (in the transaction that makes the event true)
//!    └─→ pending ─ claim: a lease, one of all replicas ─→ POST
//!           ↑                                              ├─ 2xx ────────────→ delivered
//!           ├──────── again after 5 s … 10 h ──────────────┤
//!           │                                              └─ 410, or 7 times → failed
//!           └──────── ResendDelivery ────────────────────── from either
//! ```
//!
//! All attempts at a message carry the same `webhook-id` and the same body. A
//! receiver may see one twice: when it answered and the process died before
//! that was written down.

mod attempt;
mod clock;
mod courier;
mod event;
mod excerpt;
mod handlers;
mod messages;
mod schedule;
mod signature;
mod store;
#[cfg(test)]
mod tests;

pub use clock::Clock;
pub use event::{NewDelivery, NoSubjects, Subjects, enqueue};
pub use messages::{
    Cursor, Delivery, DeliveryPage, DeliveryState, FinishAttempts, GetSigningSecret, ListDeliveries, OutboxError,
    ResendDelivery,
};
pub use signature::{RootSecret, SigningSecret};

use std::sync::Arc;
use std::time::Duration;

use actix::{Actor, ActorContext, ActorFutureExt, AsyncContext, Context, WrapFuture};
use sea_orm::{DatabaseConnection, DbErr};
use tokio::sync::{Notify, OnceCell, Semaphore};
use tokio::task::AbortHandle;

use crate::database::secrets;
use crate::egress::Egress;
use crate::supervise::Lifeline;

/// Attempts under way in one process. Each holds its message in memory.
const AT_ONCE: usize = 8;

/// How long a receiver may take to answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// What the outbox stands on.
#[derive(Clone)]
pub struct OutboxConfig {
    db: DatabaseConnection,
    egress: Egress,
    subjects: Arc<dyn Subjects>,
    /// `None`: made at the first use and kept in the database.
    root: Option<RootSecret>,
    patience: Duration,
    clock: Clock,
}

impl OutboxConfig {
    /// Returns the configuration of a service in production, on a migrated
    /// database. Without `root` a root secret is made and kept there.
    pub fn new(db: DatabaseConnection, egress: Egress, subjects: Arc<dyn Subjects>, root: Option<RootSecret>) -> Self {
        Self { db, egress, subjects, root, patience: PATIENCE, clock: Clock::default() }
    }
}

/// Sends what is due, and knows what was sent. Any number of replicas may run
/// on one database.
pub struct WebhookOutboxActor {
    outbox: Arc<Outbox>,
    courier: Option<AbortHandle>,
    _lifeline: Lifeline,
}

impl WebhookOutboxActor {
    /// Returns an outbox that begins to send when it is started.
    pub fn new(config: OutboxConfig, lifeline: Lifeline) -> Self {
        let outbox = Outbox {
            config,
            made_root: OnceCell::new(),
            permits: Arc::new(Semaphore::new(AT_ONCE)),
            bell: Notify::new(),
        };
        Self { outbox: Arc::new(outbox), courier: None, _lifeline: lifeline }
    }
}

impl Actor for WebhookOutboxActor {
    type Context = Context<Self>;

    /// Starts the courier, as a task of the runtime: a query that is cut off
    /// may not be dropped outside of it, as what an actor spawns can be.
    fn started(&mut self, context: &mut Self::Context) {
        let sending = tokio::spawn(courier::run(self.outbox.clone()));
        self.courier = Some(sending.abort_handle());
        context.spawn(sending.into_actor(self).map(|ended, _, context| {
            tracing::error!(?ended, "the webhooks' courier has ended");
            context.stop();
        }));
    }
}

impl Drop for WebhookOutboxActor {
    fn drop(&mut self) {
        if let Some(courier) = &self.courier {
            courier.abort();
        }
    }
}

/// What attempts and handlers share during one life of the actor.
struct Outbox {
    config: OutboxConfig,
    made_root: OnceCell<RootSecret>,
    /// One for each attempt that may be under way; closed when no more may
    /// begin.
    permits: Arc<Semaphore>,
    /// Rung when something has become due.
    bell: Notify,
}

impl Outbox {
    async fn root(&self) -> Result<&RootSecret, DbErr> {
        match &self.config.root {
            Some(root) => Ok(root),
            None => self.made_root.get_or_try_init(|| self.make_root()).await,
        }
    }

    async fn make_root(&self) -> Result<RootSecret, DbErr> {
        secrets::get_or_create::<32>(&self.config.db, "webhook_root").await.map(RootSecret::new)
    }
}
