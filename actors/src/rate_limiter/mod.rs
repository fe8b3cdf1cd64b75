//! How many requests a key may make: an exact sliding log for the minute, a
//! bucketed sliding counter for the day.
//!
//! In this process alone, and in memory: a restart forgets the counts.

mod messages;
mod window;

use std::collections::HashMap;
use std::time::{Duration, Instant};

use actix::{Actor, AsyncContext, Context, Handler};
use uuid::Uuid;

pub use messages::{CheckRate, RateDecision, RateLimits, WindowState};
use window::KeyWindows;

use crate::supervise::Lifeline;

/// How often keys without a request in the last day are forgotten.
const SWEEP: Duration = Duration::from_secs(600);

/// Owns the windows of every key.
pub struct RateLimiterActor {
    keys: HashMap<Uuid, KeyWindows>,
    epoch: Instant,
    _lifeline: Lifeline,
}

impl RateLimiterActor {
    /// Returns the actor with all windows empty.
    pub fn new(lifeline: Lifeline) -> Self {
        Self { keys: HashMap::new(), epoch: Instant::now(), _lifeline: lifeline }
    }

    /// Milliseconds on a clock that never goes back.
    fn now_ms(&self) -> u64 {
        self.epoch.elapsed().as_millis() as u64
    }
}

impl Actor for RateLimiterActor {
    type Context = Context<Self>;

    fn started(&mut self, context: &mut Self::Context) {
        context.run_interval(SWEEP, |limiter, _| {
            let now = limiter.now_ms();
            limiter.keys.retain(|_, windows| !windows.is_idle(now));
        });
    }
}

impl Handler<CheckRate> for RateLimiterActor {
    type Result = actix::MessageResult<CheckRate>;

    fn handle(&mut self, request: CheckRate, _: &mut Self::Context) -> Self::Result {
        let now = self.now_ms();
        actix::MessageResult(self.keys.entry(request.key_id).or_default().check(now, request.limits))
    }
}

#[cfg(test)]
mod tests {
    use actix::Arbiter;
    use tokio::sync::mpsc;

    use super::*;
    use crate::supervise::{Keeper, RestartPolicy, Room};

    #[actix::test]
    async fn of_many_who_ask_at_once_exactly_the_limit_is_admitted() {
        let (escalations, _escalated) = mpsc::unbounded_channel();
        let room = Room {
            name: "rate limiter",
            arbiter: Arbiter::current(),
            slots: 128,
            patience: Duration::from_secs(5),
            policy: RestartPolicy::default(),
        };
        let (gate, _keeper) = Keeper::start(room, escalations, RateLimiterActor::new);
        let request = CheckRate { key_id: Uuid::now_v7(), limits: RateLimits { per_minute: 20, per_day: 1_000 } };
        let decisions = futures::future::join_all((0..64).map(|_| gate.ask(request))).await;
        assert_eq!(
            decisions.into_iter().filter(|decision| decision.is_ok_and(|decision| decision.allowed)).count(),
            20
        );
        let other = CheckRate { key_id: Uuid::now_v7(), ..request };
        assert!(gate.ask(other).await.is_ok_and(|decision| decision.allowed), "keys do not share windows");
    }
}
