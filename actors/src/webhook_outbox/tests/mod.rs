mod delivering;
mod killed;
mod library;
mod listing;
mod receiver;
mod replicas;
mod retrying;

use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};

use actix::Arbiter;
use async_trait::async_trait;
use serde_json::{Map, Value, json};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep};
use url::Url;
use uuid::Uuid;

use self::receiver::{Receiver, Reply};
use super::*;
use crate::database::write;
use crate::egress::testing::egress;
use crate::supervise::{Gate, Keeper, KeeperHandle, RestartPolicy, Room};

/// How long an outbox waits for a receiver that does not answer.
const SHORT: Duration = Duration::from_secs(1);

/// Results to send, as a crawl's would be.
#[derive(Default)]
struct Results {
    gone: Mutex<Vec<Uuid>>,
    /// So many of the next questions fail.
    failing: AtomicUsize,
    asked: AtomicUsize,
}

#[async_trait]
impl Subjects for Results {
    async fn body(&self, _: &str, subject: Uuid) -> Result<Option<Map<String, Value>>, DbErr> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        if self.failing.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok() {
            return Err(DbErr::Custom("as the test asked".to_owned()));
        }
        if self.gone.lock().expect("nobody panics with it").contains(&subject) {
            return Ok(None);
        }
        let pages = json!([{ "url": "https://example.com/", "title": "Café ☕ \u{1f600}" }]);
        let Value::Object(fields) = json!({ "status": "completed", "jobId": subject, "pages": pages }) else {
            panic!("an object was written");
        };
        Ok(Some(fields))
    }
}

/// An outbox whose clock is set by hand, beside what it stands on.
struct Desk {
    gate: Gate<WebhookOutboxActor>,
    keeper: KeeperHandle,
    config: OutboxConfig,
    results: Arc<Results>,
    /// Milliseconds that the clock is ahead.
    ahead: Arc<AtomicI64>,
    user: Uuid,
}

impl Desk {
    /// An outbox that knows the receiver as `hook.test`.
    fn new(db: &DatabaseConnection, receiver: &Receiver) -> Self {
        Self::with_way_out(db, way_to(receiver), PATIENCE)
    }

    /// The same, of one that waits for a short while only.
    fn hasty(db: &DatabaseConnection, receiver: &Receiver) -> Self {
        Self::with_way_out(db, way_to(receiver), SHORT)
    }

    fn with_way_out(db: &DatabaseConnection, egress: Egress, patience: Duration) -> Self {
        let (results, ahead) = (Arc::new(Results::default()), Arc::new(AtomicI64::new(0)));
        let mut config = OutboxConfig::new(db.clone(), egress, results.clone(), None);
        let offset = ahead.clone();
        config.clock = Clock::new(move || crate::database::now() + offset.load(Ordering::SeqCst));
        config.patience = patience;
        let (gate, keeper) = start(&config);
        Self { gate, keeper, config, results, ahead, user: Uuid::now_v7() }
    }

    /// Ends the outbox as an orderly shutdown does.
    async fn close(&self) -> usize {
        let until = Instant::now() + Duration::from_secs(5);
        let unfinished = self.gate.ask(FinishAttempts { until }).await.expect("answers");
        self.keeper.retire().await;
        unfinished
    }

    /// Starts another outbox on the same database, as after a restart.
    fn reopen(&mut self) {
        (self.gate, self.keeper) = start(&self.config);
    }

    fn let_pass(&self, time: Duration) {
        self.ahead.fetch_add(store::millis(time), Ordering::SeqCst);
    }

    async fn owe(&self) -> Uuid {
        self.owe_to("http://hook.test/in/token?of=user").await
    }

    async fn owe_to(&self, url: &str) -> Uuid {
        let delivery = NewDelivery {
            user: self.user,
            url: Url::parse(url).expect("a URL"),
            event_type: "crawl.completed",
            subject: Uuid::now_v7(),
        };
        enqueued(&self.config.db, &delivery).await
    }

    async fn delivery(&self, id: Uuid) -> Delivery {
        let page = self.gate.ask(ListDeliveries { user: self.user, limit: 100, after: None }).await.expect("answers");
        let found = page.expect("a page").deliveries.into_iter().find(|delivery| delivery.id == id);
        found.expect("it is in the list")
    }

    /// Waits until the delivery is as `wanted` says.
    async fn until(&self, id: Uuid, wanted: impl Fn(&Delivery) -> bool) -> Delivery {
        let begun = Instant::now();
        loop {
            let delivery = self.delivery(id).await;
            if wanted(&delivery) {
                return delivery;
            }
            assert!(begun.elapsed() < Duration::from_secs(20), "{delivery:?}");
            sleep(Duration::from_millis(10)).await;
        }
    }

    /// Waits until `attempts` have been made and what came of them is written
    /// down.
    async fn after(&self, id: Uuid, attempts: u32) -> Delivery {
        let settled =
            |delivery: &Delivery| delivery.state != DeliveryState::Pending || delivery.next_attempt_at.is_some();
        self.until(id, |delivery| delivery.attempts == attempts && settled(delivery)).await
    }
}

fn way_to(receiver: &Receiver) -> Egress {
    egress("127.0.0.1/32", &format!("hook.test={}", receiver.address))
}

fn start(config: &OutboxConfig) -> (Gate<WebhookOutboxActor>, KeeperHandle) {
    let (escalations, _) = mpsc::unbounded_channel();
    let (arbiter, policy) = (Arbiter::current(), RestartPolicy::default());
    let room = Room { name: "webhook outbox", arbiter, slots: 100, patience: Duration::from_secs(30), policy };
    let config = config.clone();
    Keeper::start(room, escalations, move |lifeline| WebhookOutboxActor::new(config.clone(), lifeline))
}

async fn enqueued(db: &DatabaseConnection, delivery: &NewDelivery) -> Uuid {
    write::<_, DbErr, _>(db, async |txn| enqueue(txn, delivery).await).await.expect("enqueued")
}
