//! The day's counts in the database, for a service without a shared store: a
//! restart does not give the day's requests back.

use std::collections::BTreeMap;
use std::time::Duration;

use sea_orm::{DatabaseConnection, DbErr};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;
use uuid::Uuid;

use super::reserve::Change;
use super::window::BUCKETS_PER_DAY;
use crate::database::{sql, write};

/// How long a request waits for the database. Then it goes on without: what was
/// counted earlier, or this request after a crash, is not known.
const PATIENCE: Duration = Duration::from_secs(2);

/// Where changes are sent to be written, all that have come together in one
/// transaction. Cheap to clone.
#[derive(Clone)]
pub(super) struct DayBook {
    db: DatabaseConnection,
    orders: mpsc::UnboundedSender<Order>,
}

struct Order {
    key: Uuid,
    change: Change,
    /// Dropped when it is settled, whichever way.
    _settled: oneshot::Sender<()>,
}

/// What was counted of a key in one bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Counted {
    pub bucket: u64,
    pub count: u32,
}

impl DayBook {
    /// Starts the writer in the current arbiter; it ends with the last clone.
    pub(super) fn open(db: DatabaseConnection) -> Self {
        let (orders, incoming) = mpsc::unbounded_channel();
        actix::spawn(keep(db.clone(), incoming));
        Self { db, orders }
    }

    /// Sends a change off; the receiver ends when it is settled.
    pub(super) fn send(&self, key: Uuid, change: Change) -> oneshot::Receiver<()> {
        let (_settled, settled) = oneshot::channel();
        // The writer lives as long as this.
        let _ = self.orders.send(Order { key, change, _settled });
        settled
    }

    /// Waits for a change, but not long.
    pub(super) async fn wait(settled: oneshot::Receiver<()>) {
        let _ = timeout(PATIENCE, settled).await;
    }

    /// What was counted of a key in the last day, oldest first; nothing when
    /// the database does not say.
    pub(super) async fn load(&self, key: Uuid, present: u64) -> Vec<Counted> {
        match timeout(PATIENCE, load(&self.db, key, present)).await {
            Ok(Ok(counted)) => counted,
            Ok(Err(error)) => {
                tracing::error!(%error, "a key's requests of the last day could not be read");
                Vec::new()
            }
            Err(_) => {
                tracing::error!("a key's requests of the last day could not be read in time");
                Vec::new()
            }
        }
    }

    /// Removes what no longer counts.
    pub(super) async fn sweep(self, present: u64) {
        let delete = "DELETE FROM rate_buckets WHERE bucket < $1";
        if let Err(error) = sql::run(&self.db, delete, [oldest(present).into()]).await {
            tracing::error!(%error, "old request counts could not be removed");
        }
    }
}

/// The oldest bucket that counts.
fn oldest(present: u64) -> i64 {
    i64::try_from(present.saturating_sub(BUCKETS_PER_DAY)).unwrap_or(i64::MAX)
}

async fn load(db: &DatabaseConnection, key: Uuid, present: u64) -> Result<Vec<Counted>, DbErr> {
    let select = "SELECT bucket, count FROM rate_buckets WHERE key_id = $1 AND bucket >= $2 ORDER BY bucket";
    let rows = sql::all(db, select, [key.into(), oldest(present).into()]).await?;
    let counted = rows.iter().map(|row| {
        let (bucket, count): (i64, i64) = (row.try_get("", "bucket")?, row.try_get("", "count")?);
        // Both are checked not to be negative; a count beyond the type is as good as its largest.
        Ok(Counted { bucket: bucket.unsigned_abs(), count: u32::try_from(count).unwrap_or(u32::MAX) })
    });
    counted.collect()
}

async fn keep(db: DatabaseConnection, mut incoming: mpsc::UnboundedReceiver<Order>) {
    let mut failing = false;
    while let Some(first) = incoming.recv().await {
        let mut orders = vec![first];
        while let Ok(order) = incoming.try_recv() {
            orders.push(order);
        }
        let outcome = add(&db, &orders).await;
        if let Err(error) = &outcome
            && !failing
        {
            tracing::error!(%error, "request counts are not stored: a restart would forget them");
        }
        failing = outcome.is_err();
        for order in orders {
            order.change.settle(outcome.is_ok());
        }
    }
}

async fn add(db: &DatabaseConnection, orders: &[Order]) -> Result<(), DbErr> {
    // In one order for all, so that two replicas cannot lock each other out.
    let mut deltas = BTreeMap::<(Uuid, u64), i64>::new();
    for Order { key, change, .. } in orders {
        *deltas.entry((*key, change.bucket)).or_default() += change.delta;
    }
    deltas.retain(|_, delta| *delta != 0);
    if deltas.is_empty() {
        return Ok(());
    }
    write(db, async |txn| {
        for ((key, bucket), delta) in deltas {
            let bucket = i64::try_from(bucket).unwrap_or(i64::MAX);
            // What is given back may have been swept away.
            let statement = if delta < 0 {
                "UPDATE rate_buckets SET count = count + $3 WHERE key_id = $1 AND bucket = $2"
            } else {
                "INSERT INTO rate_buckets (key_id, bucket, count) VALUES ($1, $2, $3) \
                 ON CONFLICT (key_id, bucket) DO UPDATE SET count = rate_buckets.count + excluded.count"
            };
            sql::run(txn, statement, [key.into(), bucket.into(), delta.into()]).await?;
        }
        Ok(())
    })
    .await
}
