mod issuing;
mod resolving;

use std::time::Duration;

use actix::Arbiter;
use sea_orm::DatabaseConnection;
use tokio::sync::mpsc;

use super::*;
use crate::credit_ledger::{Balance, store as ledger, verify};
use crate::database::sql;
use crate::supervise::{Gate, Keeper, RestartPolicy, Room};

/// A kept key ring.
fn ring(db: &DatabaseConnection) -> Gate<KeyRingActor> {
    let (escalations, _) = mpsc::unbounded_channel();
    let (arbiter, policy) = (Arbiter::current(), RestartPolicy::default());
    let room = Room { name: "key ring", arbiter, slots: 100, patience: Duration::from_secs(60), policy };
    let db = db.clone();
    Keeper::start(room, escalations, move |lifeline| KeyRingActor::new(db.clone(), lifeline)).0
}

fn key_for(email: &str) -> CreateKey {
    CreateKey { email: email.to_owned(), plan: None, credits: None, name: "a key".to_owned() }
}

async fn create(ring: &Gate<KeyRingActor>, asked: CreateKey) -> CreatedKey {
    ring.ask(asked).await.expect("the ring answers").expect("a key")
}

async fn resolve(ring: &Gate<KeyRingActor>, presented: &str) -> Option<Arc<Principal>> {
    let asked = ResolveKey { presented: presented.to_owned() };
    ring.ask(asked).await.expect("the ring answers").expect("the database answers")
}

async fn balance(db: &DatabaseConnection, of: &CreatedKey) -> i64 {
    let Balance { balance, held } = ledger::balance_of(db, of.user_id).await.expect("an account");
    assert_eq!(held, 0);
    assert_eq!(verify(db).await.expect("the audit runs"), []);
    balance
}
