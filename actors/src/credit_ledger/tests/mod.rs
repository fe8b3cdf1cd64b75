mod crash;
mod crowd;
mod known_bugs;
mod lifecycle;
mod model;
mod processes;
mod schema;
mod sweep;
mod waiting;

use std::time::Duration;

use actix::Arbiter;
use sea_orm::DatabaseConnection;
use tokio::sync::mpsc;
use uuid::Uuid;

use super::*;
use crate::database::write;
use crate::supervise::{Gate, Keeper, RestartPolicy, Room};

const PURPOSE: &str = "web.scrape.html";
const MINUTE: Duration = Duration::from_secs(60);

/// A kept ledger with room for many questions at once.
fn ledger(db: &DatabaseConnection) -> Gate<CreditLedgerActor> {
    let (escalations, _) = mpsc::unbounded_channel();
    let (arbiter, policy) = (Arbiter::current(), RestartPolicy::default());
    let room = Room { name: "credit ledger", arbiter, slots: 500, patience: MINUTE, policy };
    let db = db.clone();
    Keeper::start(room, escalations, move |lifeline| CreditLedgerActor::new(db.clone(), lifeline)).0
}

/// A new user with an account.
async fn user(db: &DatabaseConnection, opening_balance: i64) -> Uuid {
    testing::new_user(db, opening_balance).await.expect("a user")
}

fn hold_of(user: Uuid, amount: i64) -> HoldCredits {
    HoldCredits { user, amount, purpose: PURPOSE, reference: Uuid::now_v7(), ttl: MINUTE }
}

fn charge_of(user: Uuid, amount: i64) -> ChargeCredits {
    ChargeCredits { user, amount, purpose: PURPOSE, reference: Uuid::now_v7() }
}

fn credits(balance: i64, held: i64) -> Balance {
    Balance { balance, held }
}

async fn assert_sound(db: &DatabaseConnection) {
    assert_eq!(verify(db).await.expect("the audit runs"), []);
}
