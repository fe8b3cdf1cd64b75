//! Holds whose time is over.

use tokio::time::{Instant, sleep};

use super::*;
use crate::on_both_databases;

on_both_databases!(crate::database::testing::open_migrated:
    a_swept_hold_is_given_back_and_cannot_be_captured,
    work_done_in_time_is_paid_until_the_sweep,
    a_hold_in_its_time_is_not_swept,
    one_sweep_ends_more_than_one_batch,
    a_ledger_sweeps_when_it_starts,
);

/// Holds without an actor, whose own sweep would be in the way.
async fn hold(db: &DatabaseConnection, asked: &HoldCredits) -> Uuid {
    write(db, async |txn| store::hold(txn, asked).await).await.expect("a hold").id
}

fn expired_hold_of(user: Uuid, amount: i64) -> HoldCredits {
    HoldCredits { ttl: Duration::ZERO, ..hold_of(user, amount) }
}

async fn a_swept_hold_is_given_back_and_cannot_be_captured(db: DatabaseConnection) {
    let user = user(&db, 10).await;
    let asked = expired_hold_of(user, 10);
    let hold = hold(&db, &asked).await;
    // Before the actor starts: its own first sweep could be half-way through.
    assert_eq!(store::sweep(&db).await.expect("sweeps"), 1);
    let ledger = ledger(&db);
    ledger.ask(SweepHolds).await.expect("answers").expect("sweeps");
    let balance = ledger.ask(GetBalance { user }).await.expect("answers").expect("a balance");
    assert_eq!(balance, credits(10, 0));
    let captured = ledger.ask(CaptureHold { hold, amount: 10 }).await.expect("answers");
    assert!(matches!(captured, Err(LedgerError::Conflict(_))), "{captured:?}");
    let again = ledger.ask(HoldCredits { ttl: MINUTE, ..asked }).await.expect("answers");
    assert!(matches!(again, Err(LedgerError::Conflict(_))), "{again:?}");
    let voided = ledger.ask(VoidHold { hold }).await.expect("answers");
    assert_eq!(voided.expect("a released hold is void"), credits(10, 0));
    assert_sound(&db).await;
}

async fn work_done_in_time_is_paid_until_the_sweep(db: DatabaseConnection) {
    let user = user(&db, 10).await;
    let hold = hold(&db, &expired_hold_of(user, 10)).await;
    let capture = CaptureHold { hold, amount: 10 };
    let captured = write(&db, async |txn| store::capture(txn, &capture).await).await;
    assert_eq!(captured.expect("captured"), credits(0, 0));
    assert_eq!(store::sweep(&db).await.expect("sweeps"), 0);
    assert_sound(&db).await;
}

async fn a_hold_in_its_time_is_not_swept(db: DatabaseConnection) {
    let user = user(&db, 10).await;
    hold(&db, &hold_of(user, 3)).await;
    hold(&db, &expired_hold_of(user, 4)).await;
    assert_eq!(store::sweep(&db).await.expect("sweeps"), 1);
    assert_eq!(store::balance_of(&db, user).await.expect("a balance"), credits(10, 3));
    assert_sound(&db).await;
}

async fn one_sweep_ends_more_than_one_batch(db: DatabaseConnection) {
    let users = [user(&db, 700).await, user(&db, 700).await];
    write::<_, LedgerError, _>(&db, async |txn| {
        for turn in 0..1_100 {
            store::hold(txn, &expired_hold_of(users[turn % 2], 1)).await?;
        }
        Ok(())
    })
    .await
    .expect("many holds in one transaction");
    let (one, other) = futures::join!(store::sweep(&db), store::sweep(&db));
    assert_eq!(one.expect("sweeps") + other.expect("sweeps"), 1_100);
    for user in users {
        assert_eq!(store::balance_of(&db, user).await.expect("a balance"), credits(700, 0));
    }
    assert_sound(&db).await;
}

async fn a_ledger_sweeps_when_it_starts(db: DatabaseConnection) {
    let user = user(&db, 10).await;
    hold(&db, &expired_hold_of(user, 10)).await;
    let _ledger = ledger(&db);
    let patience = Instant::now() + Duration::from_secs(8);
    while store::balance_of(&db, user).await.expect("a balance").held != 0 {
        assert!(Instant::now() < patience, "nothing was swept before the first interval was over");
        sleep(Duration::from_millis(20)).await;
    }
    assert_sound(&db).await;
}
