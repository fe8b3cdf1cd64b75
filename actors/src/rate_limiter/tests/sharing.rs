//! The windows in the shared store, on a real Redis.

use std::time::Duration;

use actix::Arbiter;
use tokio::time::{Instant, sleep};
use uuid::Uuid;

use super::{LIMITS, Numbers, ask, crowd, start};
use crate::rate_limiter::shared::{CHECK_AT, run};
use crate::rate_limiter::window::KeyWindows;
use crate::rate_limiter::{Counts, RateLimits};
use crate::shared_store::testing::{RedisServer, RestFront, common_redis};
use crate::shared_store::{SharedStore, SharedStoreConfig};

/// Long enough for any answer on a busy machine.
const PATIENT: Duration = Duration::from_secs(10);

fn open(url: &str, token: Option<&str>, patience: Duration) -> SharedStore {
    let config = SharedStoreConfig::new(url, token).expect("a good address").patience(patience);
    SharedStore::start(config, &Arbiter::current())
}

async fn until_down(store: &SharedStore, down: bool) {
    let started = Instant::now();
    while store.problem().await.is_some() != down {
        assert!(started.elapsed() < Duration::from_secs(20), "not within 20 s");
        sleep(Duration::from_millis(20)).await;
    }
}

/// Puts the same schedule to the script and to the local windows.
async fn agree(store: &SharedStore, limits: &[RateLimits], steps: u32, pause_ms: u64, seed: u64) {
    let (key, mut local, mut numbers) = (Uuid::now_v7(), KeyWindows::default(), Numbers(seed));
    let mut now = 1_700_000_000_000;
    let mut refused = 0;
    for step in 0..steps {
        // Now and then a clock that goes back.
        now = if numbers.below(50) == 0 { now - numbers.below(5_000) } else { now + numbers.below(pause_ms) };
        let limits = limits[numbers.below(20 * limits.len() as u64) as usize / 20];
        let args = [i64::from(limits.per_minute), i64::from(limits.per_day), 0, 0, now as i64];
        let shared = run(store, &CHECK_AT, key, &args).await.expect("an answer");
        assert_eq!(shared, local.check(now, limits), "step {step} at {now}, {limits:?}");
        refused += u32::from(!shared.allowed);
    }
    assert!(refused > steps / 50 && refused < steps, "both outcomes are seen: {refused} of {steps}");
}

#[actix::test]
async fn the_script_and_the_local_windows_agree_on_every_number() {
    let store = open(&common_redis(), None, PATIENT);
    let exact = RateLimits { per_minute: 20, per_day: 400 };
    let coarse = RateLimits { per_minute: 1_200, per_day: 100_000 };
    agree(&store, &[exact], 1_500, 7_000, 1).await;
    agree(&store, &[RateLimits { per_minute: 50, per_day: 60 }], 1_000, 900_000, 2).await;
    agree(&store, &[coarse], 3_000, 40, 3).await;
    agree(&store, &[exact, coarse], 1_500, 3_000, 4).await;
}

#[actix::test]
async fn the_script_needs_little_memory_whatever_the_limit() {
    let server = RedisServer::start().await;
    let store = open(&server.url(), None, PATIENT);
    let key = Uuid::now_v7();
    for request in 0..5_000 {
        let now = 1_700_000_000_000 + request * 20;
        let args = [1_000_000, 1_000_000, 0, 0, now];
        assert!(run(&store, &CHECK_AT, key, &args).await.expect("an answer").allowed);
    }
    let used = server.command(&["MEMORY", "USAGE", &format!("{{svc:rl:{key}}}:m")]).await.expect("a figure");
    assert!(used.parse::<u32>().is_ok_and(|bytes| bytes < 4_096), "{used} bytes");
    let left = server.command(&["PTTL", &format!("{{svc:rl:{key}}}:m")]).await.expect("a figure");
    assert!(left.parse::<u32>().is_ok_and(|left| left <= 61_000), "it goes by itself: {left}");
}

#[actix::test]
async fn of_64_who_ask_two_replicas_at_once_exactly_the_limit_is_admitted() {
    let (first, second) = (open(&common_redis(), None, PATIENT), open(&common_redis(), None, PATIENT));
    let ((first, _), (second, _)) = (start(Counts::Shared(first)), start(Counts::Shared(second)));
    let key = Uuid::now_v7();
    let (here, there) = futures::join!(crowd(&first, key, LIMITS, 32), crowd(&second, key, LIMITS, 32));
    assert_eq!(here + there, 20);
    let refused = ask(&second, key, LIMITS).await;
    assert_eq!((refused.allowed, refused.minute.remaining, refused.day.remaining), (false, 0, 980));
    assert!((1..=60).contains(&refused.minute.reset_s), "{refused:?}");
    assert!(ask(&first, Uuid::now_v7(), LIMITS).await.allowed, "keys do not share windows");
}

#[actix::test]
async fn over_rest_exactly_the_limit_is_admitted_too() {
    let server = RedisServer::start().await;
    let front = RestFront::start(server.address()).await;
    let (gate, _keeper) = start(Counts::Shared(open(&front.url(), Some(front.token()), PATIENT)));
    assert_eq!(crowd(&gate, Uuid::now_v7(), LIMITS, 64).await, 20);
}

#[actix::test]
async fn while_the_store_is_away_each_replica_gives_its_part_and_the_store_is_told_afterwards() {
    let mut server = RedisServer::start().await;
    let (one, two) = (open(&server.url(), None, PATIENT), open(&server.url(), None, PATIENT));
    while (one.replicas(), two.replicas()) != (2, 2) {
        sleep(Duration::from_millis(20)).await;
    }
    let ((first, _), (second, _)) = (start(Counts::Shared(one.clone())), start(Counts::Shared(two.clone())));
    let key = Uuid::now_v7();
    assert_eq!(crowd(&first, key, LIMITS, 4).await, 4);
    server.kill();
    futures::join!(until_down(&one, true), until_down(&two, true));
    assert_eq!(crowd(&first, key, LIMITS, 40).await, 6, "half the limit, less what was admitted here");
    assert_eq!(crowd(&second, key, LIMITS, 40).await, 10);
    let refused = ask(&second, key, LIMITS).await;
    assert_eq!((refused.minute.limit, refused.day.limit), (10, 500), "the headers say what holds");
    server.restart().await;
    futures::join!(until_down(&one, false), until_down(&two, false));
    // The store has forgotten everything; both tell it what they admitted.
    assert_eq!(crowd(&first, key, LIMITS, 1).await, 1, "the first to ask knows of its own alone");
    assert_eq!(crowd(&second, key, LIMITS, 40).await, 0);
    assert_eq!(crowd(&first, key, LIMITS, 40).await, 0);
    let told = ask(&second, key, LIMITS).await;
    assert_eq!((told.minute.limit, told.day.remaining), (20, 1_000 - 21));
}

#[actix::test]
async fn one_replica_never_admits_more_than_the_limit_whatever_happens_to_the_store() {
    let mut server = RedisServer::start().await;
    let store = open(&server.url(), None, Duration::from_millis(200));
    let (gate, _keeper) = start(Counts::Shared(store.clone()));
    assert_eq!(store.problem().await, None);
    let key = Uuid::now_v7();
    let mut admitted = crowd(&gate, key, LIMITS, 5).await;
    server.freeze();
    admitted += crowd(&gate, key, LIMITS, 5).await;
    server.thaw();
    until_down(&store, false).await;
    admitted += crowd(&gate, key, LIMITS, 3).await;
    server.command(&["FLUSHALL"]).await.expect("forgotten");
    admitted += crowd(&gate, key, LIMITS, 2).await;
    server.kill();
    admitted += crowd(&gate, key, LIMITS, 2).await;
    server.restart().await;
    until_down(&store, false).await;
    assert!(admitted >= 12, "requests went on being admitted: {admitted}");
    admitted += crowd(&gate, key, LIMITS, 64).await;
    assert!(admitted <= 20, "{admitted} admitted");
}

#[actix::test]
async fn a_store_that_hangs_costs_a_request_the_bound_once() {
    let server = RedisServer::start().await;
    let store = open(&server.url(), None, Duration::from_millis(100));
    let (gate, _keeper) = start(Counts::Shared(store.clone()));
    assert_eq!(store.problem().await, None);
    server.freeze();
    let started = Instant::now();
    assert_eq!(crowd(&gate, Uuid::now_v7(), LIMITS, 64).await, 20);
    for _ in 0..200 {
        assert!(ask(&gate, Uuid::now_v7(), LIMITS).await.allowed);
    }
    assert!(started.elapsed() < Duration::from_millis(900), "{:?}", started.elapsed());
    server.thaw();
}
