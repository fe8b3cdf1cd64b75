use std::sync::Arc;
use std::time::Duration;

use actix::dev::ToEnvelope;
use actix::{Actor, Addr, Context, Handler, MailboxError, Message};
use tokio::sync::{Semaphore, watch};
use tokio::time::{Instant, timeout_at};

/// Why a question never got an answer. The actor's own refusals are in the
/// message's result, not here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AskError {
    /// All permits are taken; ask again later.
    #[error("{0} is busy")]
    Busy(&'static str),
    /// No answer before the deadline.
    #[error("{0} did not answer in time")]
    Timeout(&'static str),
    /// The actor died with the question, or is not coming back.
    #[error("{0} is down")]
    Down(&'static str),
}

/// The bounded door of an actor: a question takes a permit or is refused at
/// once, and waits no longer than its deadline.
pub struct Gate<A: Actor> {
    name: &'static str,
    current: watch::Receiver<Option<Addr<A>>>,
    slots: Arc<Semaphore>,
    patience: Duration,
}

impl<A: Actor> Clone for Gate<A> {
    fn clone(&self) -> Self {
        Self { name: self.name, current: self.current.clone(), slots: self.slots.clone(), patience: self.patience }
    }
}

impl<A: Actor<Context = Context<A>>> Gate<A> {
    pub(super) fn new(
        name: &'static str,
        current: watch::Receiver<Option<Addr<A>>>,
        slots: usize,
        patience: Duration,
    ) -> Self {
        Self { name, current, slots: Arc::new(Semaphore::new(slots)), patience }
    }

    /// Asks, waiting at most the gate's own patience.
    ///
    /// # Errors
    /// [`AskError`] when no permit is free now, no answer comes in time, or the
    /// actor is gone.
    pub async fn ask<M>(&self, message: M) -> Result<M::Result, AskError>
    where
        M: Message + Send + 'static,
        M::Result: Send,
        A: Handler<M>,
        A::Context: ToEnvelope<A, M>,
    {
        self.ask_until(Instant::now() + self.patience, message).await
    }

    /// Asks, waiting until `deadline`. The deadline bounds the wait only: a
    /// message whose work is long carries the same deadline for the work.
    ///
    /// # Errors
    /// As [`Gate::ask`].
    pub async fn ask_until<M>(&self, deadline: Instant, message: M) -> Result<M::Result, AskError>
    where
        M: Message + Send + 'static,
        M::Result: Send,
        A: Handler<M>,
        A::Context: ToEnvelope<A, M>,
    {
        let _slot = self.slots.try_acquire().map_err(|_| AskError::Busy(self.name))?;
        let asking = async {
            let address = self.current().await?;
            address.send(message).await.map_err(|error| match error {
                MailboxError::Closed => AskError::Down(self.name),
                MailboxError::Timeout => AskError::Timeout(self.name),
            })
        };
        timeout_at(deadline, asking).await.unwrap_or(Err(AskError::Timeout(self.name)))
    }

    /// Whether an instance is up now.
    pub fn is_up(&self) -> bool {
        self.current.borrow().as_ref().is_some_and(Addr::connected)
    }

    /// The living instance; between a death and the restart this waits, because
    /// the question has not been put to anybody yet.
    async fn current(&self) -> Result<Addr<A>, AskError> {
        let mut current = self.current.clone();
        let found = current.wait_for(|address| address.as_ref().is_some_and(Addr::connected)).await;
        found.ok().and_then(|address| address.clone()).ok_or(AskError::Down(self.name))
    }
}
