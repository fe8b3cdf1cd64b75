mod durable;
mod sharing;
mod windows;

use std::time::Duration;

use actix::Arbiter;
use futures::future::join_all;
use tokio::sync::mpsc;
use uuid::Uuid;

use super::{CheckRate, Counts, RateDecision, RateLimiterActor, RateLimits};
use crate::supervise::{Gate, Keeper, KeeperHandle, RestartPolicy, Room};

const LIMITS: RateLimits = RateLimits { per_minute: 20, per_day: 1_000 };

/// Starts a limiter on the current arbiter.
fn start(counts: Counts) -> (Gate<RateLimiterActor>, KeeperHandle) {
    let (escalations, _) = mpsc::unbounded_channel();
    let room = Room {
        name: "rate limiter",
        arbiter: Arbiter::current(),
        slots: 4096,
        patience: Duration::from_secs(30),
        policy: RestartPolicy::default(),
    };
    Keeper::start(room, escalations, move |line| RateLimiterActor::new(counts.clone(), line))
}

async fn ask(gate: &Gate<RateLimiterActor>, key_id: Uuid, limits: RateLimits) -> RateDecision {
    gate.ask(CheckRate { key_id, limits }).await.expect("a decision, never an error")
}

/// Asks this often at once and returns how many were admitted.
async fn crowd(gate: &Gate<RateLimiterActor>, key_id: Uuid, limits: RateLimits, asked: usize) -> usize {
    let decisions = join_all((0..asked).map(|_| ask(gate, key_id, limits))).await;
    decisions.into_iter().filter(|decision| decision.allowed).count()
}

/// A deterministic pseudo-random sequence (Knuth's MMIX constants).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}
