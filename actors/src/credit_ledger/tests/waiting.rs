//! Who waits, who stops waiting, and who waits for nothing.

use futures::future::join_all;
use tokio::time::Instant;

use super::*;
use crate::credit_ledger::order::{Change, Order, Ticket};
use crate::credit_ledger::writer;
use crate::on_both_databases;
use crate::supervise::AskError;

on_both_databases!(crate::database::testing::open_migrated:
    who_stops_waiting_and_asks_again_is_charged_once,
    who_has_waited_too_long_is_not_charged,
    refusals_leave_those_who_share_the_transaction_alone,
    a_database_that_is_gone_is_an_answer_for_everybody,
);

async fn who_stops_waiting_and_asks_again_is_charged_once(db: DatabaseConnection) {
    let (ledger, user) = (ledger(&db), user(&db, 100).await);
    let charges: Vec<_> = (0..20).map(|_| charge_of(user, 3)).collect();
    // Queued, and given up when the actor has it.
    let soon = Instant::now() + Duration::from_millis(1);
    let given_up = join_all(charges.iter().map(|charge| ledger.ask_until(soon, charge.clone()))).await;
    assert!(given_up.iter().all(|answer| matches!(answer, Ok(Ok(_)) | Err(AskError::Timeout(_)))), "{given_up:?}");
    for charge in charges {
        ledger.ask(charge).await.expect("answers").expect("charged");
    }
    assert_eq!(store::balance_of(&db, user).await.expect("a balance"), credits(40, 0));
    assert_sound(&db).await;
}

async fn who_has_waited_too_long_is_not_charged(db: DatabaseConnection) {
    let user = user(&db, 100).await;
    let ((mut late, told_late), (prompt, told)) = (Ticket::new(charge_of(user, 3)), Ticket::new(charge_of(user, 5)));
    late.since = Instant::now().checked_sub(MINUTE).expect("a minute ago");
    let mut orders = vec![Change::order(late), Change::order(prompt)];
    writer::perform(&db, &mut orders).await;
    orders.into_iter().for_each(Order::reply);
    assert!(matches!(told_late.await.expect("an answer"), Err(LedgerError::Busy)));
    assert_eq!(told.await.expect("an answer").expect("charged"), credits(95, 0));
    assert_eq!(store::balance_of(&db, user).await.expect("a balance"), credits(95, 0));
}

async fn refusals_leave_those_who_share_the_transaction_alone(db: DatabaseConnection) {
    let (ledger, user) = (ledger(&db), user(&db, 30).await);
    let taken = hold_of(user, 10);
    ledger.ask(taken.clone()).await.expect("answers").expect("a hold");
    let (fine, nobody) = (charge_of(user, 20), Uuid::now_v7());
    let (answer, conflict, unknown, bad, short) = futures::join!(
        ledger.ask(fine),
        ledger.ask(HoldCredits { amount: 1, ..taken }),
        ledger.ask(hold_of(nobody, 1)),
        ledger.ask(hold_of(user, 0)),
        ledger.ask(charge_of(user, 21)),
    );
    assert_eq!(answer.expect("answers").expect("charged"), credits(10, 10));
    assert!(matches!(conflict, Ok(Err(LedgerError::Conflict(_)))), "{conflict:?}");
    assert!(matches!(unknown, Ok(Err(LedgerError::Unknown("account")))), "{unknown:?}");
    assert!(matches!(bad, Ok(Err(LedgerError::BadAmount(0)))), "{bad:?}");
    assert!(matches!(short, Ok(Err(LedgerError::Insufficient { needed: 21, available: 0 }))), "{short:?}");
    assert_sound(&db).await;
}

async fn a_database_that_is_gone_is_an_answer_for_everybody(db: DatabaseConnection) {
    let (ledger, user) = (ledger(&db), user(&db, 100).await);
    ledger.ask(charge_of(user, 1)).await.expect("answers").expect("charged");
    db.close_by_ref().await.expect("closes");
    let answers = join_all((0..40).map(|_| ledger.ask(charge_of(user, 1)))).await;
    for answer in answers {
        assert!(matches!(answer, Ok(Err(LedgerError::Store(_)))), "{answer:?}");
    }
}
