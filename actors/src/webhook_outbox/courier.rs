//! Takes what is due and sends it.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use rand::Rng;
use sea_orm::DbErr;
use serde_json::{Map, Value};
use time::format_description::well_known::Rfc3339;
use tokio::task::JoinSet;
use tokio::time::{Instant, interval, sleep, timeout};

use super::attempt::{self, Failure, Letter, Outcome};
use super::schedule::{self, Next};
use super::store::{self, Claimed, LEASE, Record, millis};
use super::{DeliveryState, Outbox};
use crate::database::moment;

/// How often it is looked for what has become due.
const LOOK_INTERVAL: Duration = Duration::from_secs(1);

/// How often the list is cleared of what is over.
const SWEEP_INTERVAL: Duration = Duration::from_secs(600);

/// How long a message may take to be built.
const BUILDING: Duration = Duration::from_secs(20);

/// What of the lease must be left after the receiver's time, to write down what
/// came of it.
const MARGIN: Duration = Duration::from_secs(10);

/// How long what could not be built waits.
const AFTER_OWN_FAILURE: Duration = Duration::from_secs(10);

/// Sends what is due and sweeps, for ever. What is under way ends with this
/// future.
pub(super) async fn run(outbox: Arc<Outbox>) {
    tokio::join!(send_what_is_due(&outbox), sweep_now_and_then(&outbox));
}

async fn send_what_is_due(outbox: &Arc<Outbox>) {
    let mut under_way = JoinSet::new();
    loop {
        if let Err(error) = start_due(outbox, &mut under_way).await {
            tracing::warn!(%error, "could not look for webhook deliveries");
            sleep(LOOK_INTERVAL).await;
        }
        tokio::select! {
            Some(ended) = under_way.join_next() => if let Err(failure) = ended {
                tracing::error!(%failure, "an attempt at a webhook delivery broke off");
            },
            () = outbox.bell.notified() => {}
            () = sleep(LOOK_INTERVAL) => {}
        }
    }
}

async fn sweep_now_and_then(outbox: &Outbox) {
    let mut due = interval(SWEEP_INTERVAL);
    loop {
        due.tick().await;
        if outbox.permits.is_closed() {
            continue;
        }
        if let Err(error) = outbox.sweep().await {
            tracing::error!(%error, "webhook deliveries could not be swept");
        }
    }
}

/// Begins as many attempts as are due and may be under way.
async fn start_due(outbox: &Arc<Outbox>, under_way: &mut JoinSet<()>) -> Result<(), DbErr> {
    let (db, now, free) = (&outbox.config.db, outbox.config.clock.now(), outbox.permits.available_permits());
    if free == 0 || outbox.permits.is_closed() {
        return Ok(());
    }
    // Taken before the claim, so that nothing is claimed once attempts are to be finished.
    let Ok(mut permits) = outbox.permits.clone().try_acquire_many_owned(free as u32) else { return Ok(()) };
    for claimed in store::claim_due(db, now, free).await? {
        let (outbox, permit) = (outbox.clone(), permits.split(1));
        under_way.spawn(async move {
            outbox.attempt(claimed).await;
            drop(permit);
        });
    }
    Ok(())
}

impl Outbox {
    async fn sweep(&self) -> Result<(), DbErr> {
        let (db, now) = (&self.config.db, self.config.clock.now());
        let buried = store::bury(db, now, Failure::Interrupted.as_str()).await?;
        let purged = store::purge(db, now).await?;
        if buried + purged > 0 {
            tracing::info!(buried, purged, "webhook deliveries swept");
        }
        Ok(())
    }

    async fn attempt(&self, claimed: Claimed) {
        let begun = Instant::now();
        let built = timeout(BUILDING, self.letter(&claimed)).await;
        let late = DbErr::Custom("the message was not built in time".to_owned());
        let outcome = match built.unwrap_or(Err(late)) {
            Ok(Some(letter)) if begun.elapsed() + self.config.patience + MARGIN < LEASE => {
                Ok(attempt::post(&self.config.egress, letter, self.config.patience).await)
            }
            // A machine that stood still: another replica may be at it already.
            Ok(Some(_)) => Err(DbErr::Custom("the lease was about to end".to_owned())),
            Ok(None) => Ok(Outcome::without_answer(Failure::Expired)),
            Err(error) => Err(error),
        };
        match outcome {
            Ok(outcome) => self.write_down(&claimed, begun, outcome).await,
            Err(error) => self.hand_back(&claimed, &error).await,
        }
    }

    /// Builds the message and signs it; `None` when its subject is gone.
    async fn letter(&self, claimed: &Claimed) -> Result<Option<Letter>, DbErr> {
        let Some(fields) = self.config.subjects.body(&claimed.event_type, claimed.subject).await? else {
            return Ok(None);
        };
        let secret = self.root().await?.of(claimed.user);
        let (claimed, timestamp) = (claimed.clone(), self.config.clock.now() / 1000);
        // A result may be many megabytes.
        let building = tokio::task::spawn_blocking(move || {
            let (id, body) = (claimed.id.to_string(), body(fields, &claimed)?);
            let signature = secret.sign(&id, timestamp, &body);
            Ok(Letter { url: claimed.url, id, timestamp, signature, body, secret })
        });
        building.await.unwrap_or_else(|failure| Err(DbErr::Custom(failure.to_string()))).map(Some)
    }

    async fn hand_back(&self, claimed: &Claimed, error: &DbErr) {
        tracing::warn!(%error, delivery = %claimed.id, "a webhook delivery could not be prepared");
        let due_at = self.config.clock.now() + millis(AFTER_OWN_FAILURE);
        if let Err(error) = store::hand_back(&self.config.db, claimed, due_at).await {
            tracing::warn!(%error, delivery = %claimed.id, "it waits until its lease ends");
        }
    }

    /// Writes down what came of an attempt, trying again until the lease ends:
    /// what is not written down is sent once more.
    async fn write_down(&self, claimed: &Claimed, begun: Instant, outcome: Outcome) {
        let next = schedule::next(claimed.attempts, &outcome, rand::rng().random());
        tell(claimed, &outcome, next);
        let record = record(next, outcome, self.config.clock.now());
        loop {
            match store::record(&self.config.db, claimed, &record).await {
                Ok(true) => return,
                Ok(false) => {
                    tracing::warn!(delivery = %claimed.id, "an attempt at a webhook delivery outlived its lease");
                    return;
                }
                Err(error) if begun.elapsed() > LEASE => {
                    tracing::error!(%error, delivery = %claimed.id, "an attempt at a webhook delivery is forgotten");
                    return;
                }
                Err(_) => sleep(LOOK_INTERVAL).await,
            }
        }
    }
}

/// The body, the same bytes in every attempt.
fn body(mut fields: Map<String, Value>, claimed: &Claimed) -> Result<Bytes, DbErr> {
    let unfit = |error: &dyn std::error::Error| DbErr::Custom(format!("no message can be made: {error}"));
    let created_at = moment(claimed.created_at)?.format(&Rfc3339).map_err(|error| unfit(&error))?;
    fields.insert("type".to_owned(), claimed.event_type.clone().into());
    fields.insert("event_id".to_owned(), claimed.id.to_string().into());
    fields.insert("created_at".to_owned(), created_at.into());
    serde_json::to_vec(&fields).map(Bytes::from).map_err(|error| unfit(&error))
}

fn record(next: Next, outcome: Outcome, now: i64) -> Record {
    let (failure, status_code, excerpt) = match outcome {
        Outcome::Accepted { status_code, excerpt } => (None, Some(status_code), excerpt),
        Outcome::Failed { failure, status_code, excerpt, .. } => (Some(failure.as_str()), status_code, excerpt),
    };
    let (state, due_at) = match next {
        Next::Delivered => (DeliveryState::Delivered, now),
        Next::Again(pause) => (DeliveryState::Pending, now + millis(pause)),
        Next::Failed => (DeliveryState::Failed, now),
    };
    let delivered_at = (state == DeliveryState::Delivered).then_some(now);
    Record { state, due_at, status_code, failure, excerpt, delivered_at }
}

/// Counts and logs; never the address, whose path may be a secret.
fn tell(claimed: &Claimed, outcome: &Outcome, next: Next) {
    let word = match outcome {
        Outcome::Accepted { .. } => "accepted",
        Outcome::Failed { failure, .. } => failure.as_str(),
    };
    metrics::counter!("blazon_webhook_attempts_total", "outcome" => word).increment(1);
    let (delivery, attempt) = (claimed.id, claimed.attempts);
    let ended = match next {
        Next::Delivered => DeliveryState::Delivered,
        Next::Failed => DeliveryState::Failed,
        Next::Again(pause) => {
            tracing::info!(%delivery, attempt, outcome = word, pause_s = pause.as_secs(), "a webhook is sent again");
            return;
        }
    };
    tracing::info!(%delivery, attempt, outcome = word, "a webhook is {}", ended.as_str());
    metrics::counter!("blazon_webhook_deliveries_total", "state" => ended.as_str()).increment(1);
}
