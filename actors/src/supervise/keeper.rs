use std::sync::Arc;
use std::time::{Duration, Instant};

use actix::{Actor, Addr, ArbiterHandle, AsyncContext, Context, Handler, Message};
use tokio::sync::{mpsc, watch};

use super::lifeline::ChildDown;
use super::{Gate, Lifeline, RestartPolicy};

/// An actor has died too often; the process should end in order and be started
/// again from outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Escalation {
    /// The name of the actor that could not be kept alive.
    pub actor: &'static str,
}

/// Where keepers report an actor they gave up on.
pub type Escalations = mpsc::UnboundedSender<Escalation>;

/// How an actor is kept: its name, its place and its limits.
#[derive(Clone)]
pub struct Room {
    /// The name in logs, errors and `/readyz`.
    pub name: &'static str,
    /// The thread the actor runs on.
    pub arbiter: ArbiterHandle,
    /// Questions under way at once (running and waiting); one more is refused.
    pub slots: usize,
    /// How long a question without its own deadline waits.
    pub patience: Duration,
    /// How often the actor may die.
    pub policy: RestartPolicy,
}

type Factory<A> = Arc<dyn Fn(Lifeline) -> A + Send + Sync>;

/// Starts one actor from a factory, publishes its address to its gate, and
/// starts it afresh when it dies.
pub struct Keeper<A: Actor<Context = Context<A>>> {
    room: Room,
    factory: Factory<A>,
    published: watch::Sender<Option<Addr<A>>>,
    escalations: Escalations,
    generation: u64,
    retired: bool,
}

/// Ends the keeping of an actor: it is let go and not started again.
#[derive(Clone)]
pub struct KeeperHandle {
    retire: actix::Recipient<Retire>,
}

impl KeeperHandle {
    /// Lets the actor go. Used in the drain, after its work is done.
    pub async fn retire(&self) {
        // A keeper that is gone has nothing left to retire.
        let _ = self.retire.send(Retire).await;
    }
}

#[derive(Message)]
#[rtype(result = "()")]
struct Retire;

impl<A: Actor<Context = Context<A>>> Keeper<A> {
    /// Starts the actor under a keeper, both in the room's arbiter, and returns
    /// its gate. The factory is called for the first start and every restart,
    /// so each life begins with fresh state.
    pub fn start<F>(room: Room, escalations: Escalations, factory: F) -> (Gate<A>, KeeperHandle)
    where
        F: Fn(Lifeline) -> A + Send + Sync + 'static,
    {
        let (published, current) = watch::channel(None);
        let gate = Gate::new(room.name, current, room.slots, room.patience);
        let arbiter = room.arbiter.clone();
        let keeper = Actor::start_in_arbiter(&arbiter, move |_| Self {
            room,
            factory: Arc::new(factory),
            published,
            escalations,
            generation: 0,
            retired: false,
        });
        (gate, KeeperHandle { retire: keeper.recipient() })
    }

    fn start_child(&mut self, context: &mut Context<Self>) {
        self.generation += 1;
        let lifeline = Lifeline::new(context.address().recipient(), self.generation);
        let child = (self.factory)(lifeline).start();
        self.published.send_replace(Some(child));
    }
}

impl<A: Actor<Context = Context<A>>> Actor for Keeper<A> {
    type Context = Context<Self>;

    fn started(&mut self, context: &mut Self::Context) {
        self.start_child(context);
    }
}

impl<A: Actor<Context = Context<A>>> Handler<ChildDown> for Keeper<A> {
    type Result = ();

    fn handle(&mut self, down: ChildDown, context: &mut Self::Context) {
        if self.retired || down.generation != self.generation {
            return;
        }
        self.published.send_replace(None);
        let actor = self.room.name;
        match self.room.policy.next_delay(Instant::now()) {
            Some(delay) => {
                tracing::warn!(
                    actor,
                    panicked = down.panicked,
                    delay_ms = delay.as_millis() as u64,
                    "actor died, starting it again"
                );
                context.run_later(delay, |keeper, context| keeper.start_child(context));
            }
            None => {
                tracing::error!(actor, panicked = down.panicked, "actor died too often, asking for an orderly exit");
                self.retired = true;
                // Nobody listens any more only when the process is ending already.
                let _ = self.escalations.send(Escalation { actor });
            }
        }
    }
}

impl<A: Actor<Context = Context<A>>> Handler<Retire> for Keeper<A> {
    type Result = ();

    fn handle(&mut self, _: Retire, _: &mut Self::Context) {
        self.retired = true;
        self.published.send_replace(None);
    }
}
