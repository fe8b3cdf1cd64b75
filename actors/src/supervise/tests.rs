use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use actix::{Actor, Arbiter, Context, Handler, Message, ResponseFuture};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep};

use super::{AskError, Escalation, Gate, Keeper, KeeperHandle, Lifeline, RestartPolicy, Room};

/// Answers with the number of its life, sleeps when told, panics when told.
struct Patient {
    life: usize,
    _lifeline: Lifeline,
}

impl Actor for Patient {
    type Context = Context<Self>;
}

#[derive(Message)]
#[rtype(result = "usize")]
struct WhichLife;

#[derive(Message)]
#[rtype(result = "()")]
struct Panic;

#[derive(Message)]
#[rtype(result = "usize")]
struct Sleep(Duration);

impl Handler<WhichLife> for Patient {
    type Result = usize;
    fn handle(&mut self, _: WhichLife, _: &mut Context<Self>) -> usize {
        self.life
    }
}

impl Handler<Panic> for Patient {
    type Result = ();
    fn handle(&mut self, _: Panic, _: &mut Context<Self>) {
        panic!("as the test asked");
    }
}

impl Handler<Sleep> for Patient {
    type Result = ResponseFuture<usize>;
    fn handle(&mut self, Sleep(pause): Sleep, _: &mut Context<Self>) -> Self::Result {
        let life = self.life;
        Box::pin(async move {
            sleep(pause).await;
            life
        })
    }
}

fn keep(slots: usize, max_restarts: usize) -> (Gate<Patient>, KeeperHandle, mpsc::UnboundedReceiver<Escalation>) {
    let (escalations, escalated) = mpsc::unbounded_channel();
    let lives = Arc::new(AtomicUsize::new(0));
    let room = Room {
        name: "patient",
        arbiter: Arbiter::current(),
        slots,
        patience: Duration::from_secs(5),
        policy: RestartPolicy::new(
            Duration::from_millis(5),
            Duration::from_millis(20),
            Duration::from_secs(60),
            max_restarts,
        ),
    };
    let (gate, keeper) = Keeper::start(room, escalations, move |lifeline| Patient {
        life: lives.fetch_add(1, Ordering::Relaxed) + 1,
        _lifeline: lifeline,
    });
    (gate, keeper, escalated)
}

#[actix::test]
async fn an_actor_that_panics_is_back_with_fresh_state() {
    let (gate, _keeper, _escalated) = keep(4, 3);
    assert_eq!(gate.ask(WhichLife).await, Ok(1));
    assert_eq!(gate.ask(Panic).await, Err(AskError::Down("patient")));
    assert_eq!(gate.ask(WhichLife).await, Ok(2), "the question waits for the next life");
}

#[actix::test]
async fn one_that_dies_too_often_escalates() {
    let (gate, _keeper, mut escalated) = keep(4, 2);
    for _ in 0..3 {
        assert_eq!(gate.ask(Panic).await, Err(AskError::Down("patient")));
    }
    assert_eq!(escalated.recv().await, Some(Escalation { actor: "patient" }));
    let soon = Instant::now() + Duration::from_millis(50);
    assert_eq!(gate.ask_until(soon, WhichLife).await, Err(AskError::Timeout("patient")));
    assert!(!gate.is_up());
}

#[actix::test]
async fn a_full_gate_refuses_at_once() {
    let (gate, _keeper, _escalated) = keep(2, 3);
    let held: Vec<_> = (0..2)
        .map(|_| {
            let gate = gate.clone();
            actix::spawn(async move { gate.ask(Sleep(Duration::from_millis(200))).await })
        })
        .collect();
    tokio::task::yield_now().await;
    sleep(Duration::from_millis(20)).await;
    assert_eq!(gate.ask(WhichLife).await, Err(AskError::Busy("patient")));
    for answer in held {
        assert_eq!(answer.await.expect("the task ends"), Ok(1));
    }
    assert_eq!(gate.ask(WhichLife).await, Ok(1), "a permit comes back with the answer");
}

#[actix::test]
async fn a_slow_handler_does_not_block_its_mailbox() {
    let (gate, _keeper, _escalated) = keep(4, 3);
    let slow = {
        let gate = gate.clone();
        actix::spawn(async move { gate.ask(Sleep(Duration::from_secs(30))).await })
    };
    sleep(Duration::from_millis(20)).await;
    let soon = Instant::now() + Duration::from_secs(2);
    assert_eq!(gate.ask_until(soon, WhichLife).await, Ok(1));
    slow.abort();
}

#[actix::test]
async fn a_deadline_ends_the_wait() {
    let (gate, _keeper, _escalated) = keep(4, 3);
    let soon = Instant::now() + Duration::from_millis(30);
    assert_eq!(gate.ask_until(soon, Sleep(Duration::from_secs(30))).await, Err(AskError::Timeout("patient")));
}

#[actix::test]
async fn a_retired_actor_is_not_started_again() {
    let (gate, keeper, mut escalated) = keep(4, 3);
    assert_eq!(gate.ask(WhichLife).await, Ok(1));
    keeper.retire().await;
    let soon = Instant::now() + Duration::from_millis(50);
    assert_eq!(gate.ask_until(soon, WhichLife).await, Err(AskError::Timeout("patient")));
    assert!(escalated.try_recv().is_err());
}
