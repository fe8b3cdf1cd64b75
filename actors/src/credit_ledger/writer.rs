//! Group commit: what is asked for while one transaction is under way shares
//! the next, so that a crowd of small changes costs one commit and a lone one
//! waits for nobody.

use std::time::Duration;

use sea_orm::{DatabaseConnection, DbErr, RuntimeErr};
use tokio::sync::mpsc;

use super::order::Order;
use super::{LedgerError, store};
use crate::database::write;

/// Changes that may wait at once; one more is refused.
pub(super) const QUEUE: usize = 4096;
/// The most changes in one transaction.
const BATCH: usize = 256;
/// Who waited this long has given up: when a database comes back from a long
/// stall, users are not to pay for what nobody is waiting for.
const PATIENCE: Duration = Duration::from_secs(10);

/// Performs what comes through the queue until all its senders are gone.
pub(super) async fn run(db: DatabaseConnection, mut queue: mpsc::Receiver<Order>) {
    let mut orders = Vec::with_capacity(BATCH);
    while queue.recv_many(&mut orders, BATCH).await > 0 {
        perform(&db, &mut orders).await;
        orders.drain(..).for_each(Order::reply);
    }
}

/// Performs and commits all orders, together if it can be done, and leaves the
/// answer in each. An order's refusal is its own. An error of the database
/// rolls all back; then each is tried by itself, which is harmless even when
/// the commit had been made and only its confirmation was lost.
pub(super) async fn perform(db: &DatabaseConnection, orders: &mut [Order]) {
    for order in orders.iter_mut().filter(|order| order.since().elapsed() > PATIENCE) {
        order.refuse(LedgerError::Busy);
    }
    if orders.iter().filter(|order| order.is_open()).count() > 1 {
        let Err(error) = together(db, orders).await else { return };
        tracing::warn!(%error, orders = orders.len(), "a shared transaction failed, its orders are tried one by one");
    }
    let mut lost: Option<String> = None;
    for order in orders.iter_mut().filter(|order| order.is_open()) {
        match &lost {
            Some(reason) => order.refuse(LedgerError::Store(unreachable_because(reason))),
            None => order.perform_alone(db).await,
        }
        // Each would wait as long for a connection, and those behind it longer.
        if let Some(DbErr::ConnectionAcquire(_) | DbErr::Conn(_)) = order.failure() {
            lost = order.failure().map(ToString::to_string);
        }
    }
}

async fn together(db: &DatabaseConnection, orders: &mut [Order]) -> Result<(), DbErr> {
    let late: Vec<bool> = orders.iter().map(|order| !order.is_open()).collect();
    let outcome = write(db, async |txn| store::together(txn, orders).await).await;
    if outcome.is_err() {
        orders.iter_mut().zip(late).filter(|(_, late)| !late).for_each(|(order, _)| order.reopen());
    }
    outcome
}

fn unreachable_because(reason: &str) -> DbErr {
    DbErr::Conn(RuntimeErr::Internal(reason.to_owned()))
}
