//! Each message once, again, and with something else.

use super::*;
use crate::on_both_databases;

on_both_databases!(crate::database::testing::open_migrated:
    an_account_opens_with_its_balance,
    a_hold_is_captured_in_part_and_the_rest_released,
    a_voided_hold_costs_nothing,
    a_capture_of_nothing_costs_nothing,
    a_reference_holds_once_and_serves_no_other_request,
    a_settled_hold_is_not_handed_out_again,
    a_charge_is_made_once,
    a_grant_is_made_once,
    a_refund_gives_back_once_and_leaves_no_usage,
    work_is_paid_by_a_hold_or_by_a_charge_but_not_by_both,
    too_little_is_refused_with_both_numbers,
    what_is_not_there_is_unknown,
    amounts_that_make_no_sense_are_refused,
);

macro_rules! assert_refused {
    ($answer:expr, $refusal:pat) => {
        let answer = $answer.await.expect("the ledger answers");
        assert!(matches!(answer, Err($refusal)), "{answer:?}");
    };
}

macro_rules! granted {
    ($answer:expr) => {
        $answer.await.expect("the ledger answers").expect("the ledger agrees")
    };
}

async fn an_account_opens_with_its_balance(db: DatabaseConnection) {
    let ledger = ledger(&db);
    for opening in [0, 100, 1_000_000] {
        let user = user(&db, opening).await;
        assert_eq!(granted!(ledger.ask(GetBalance { user })), credits(opening, 0));
    }
    assert_sound(&db).await;
}

async fn a_hold_is_captured_in_part_and_the_rest_released(db: DatabaseConnection) {
    let (ledger, user) = (ledger(&db), user(&db, 100).await);
    let hold = granted!(ledger.ask(hold_of(user, 30)));
    assert_eq!((hold.amount, hold.balance), (30, credits(100, 30)));
    assert_eq!(hold.balance.available(), 70);
    assert_sound(&db).await;
    let capture = CaptureHold { hold: hold.id, amount: 12 };
    for _ in 0..2 {
        assert_eq!(granted!(ledger.ask(capture.clone())), credits(88, 0));
    }
    assert_refused!(ledger.ask(CaptureHold { amount: 13, ..capture }), LedgerError::Conflict(_));
    assert_refused!(ledger.ask(VoidHold { hold: hold.id }), LedgerError::Conflict(_));
    assert_eq!(granted!(ledger.ask(GetUsage { user })), Usage { charges: 1, credits: 12 });
    assert_sound(&db).await;
}

async fn a_voided_hold_costs_nothing(db: DatabaseConnection) {
    let (ledger, user) = (ledger(&db), user(&db, 100).await);
    let hold = granted!(ledger.ask(hold_of(user, 30))).id;
    assert_refused!(ledger.ask(CaptureHold { hold, amount: 31 }), LedgerError::Conflict(_));
    for _ in 0..2 {
        assert_eq!(granted!(ledger.ask(VoidHold { hold })), credits(100, 0));
    }
    assert_refused!(ledger.ask(CaptureHold { hold, amount: 30 }), LedgerError::Conflict(_));
    assert_eq!(granted!(ledger.ask(GetUsage { user })), Usage { charges: 0, credits: 0 });
    assert_sound(&db).await;
}

async fn a_capture_of_nothing_costs_nothing(db: DatabaseConnection) {
    let (ledger, user) = (ledger(&db), user(&db, 10).await);
    let asked = hold_of(user, 10);
    let hold = granted!(ledger.ask(asked.clone())).id;
    for _ in 0..2 {
        assert_eq!(granted!(ledger.ask(CaptureHold { hold, amount: 0 })), credits(10, 0));
    }
    assert_refused!(ledger.ask(CaptureHold { hold, amount: 1 }), LedgerError::Conflict(_));
    assert_refused!(ledger.ask(RefundCredits { reference: asked.reference }), LedgerError::Unknown("charge"));
    assert_sound(&db).await;
}

async fn a_reference_holds_once_and_serves_no_other_request(db: DatabaseConnection) {
    let (ledger, one, other) = (ledger(&db), user(&db, 10).await, user(&db, 10).await);
    let asked = hold_of(one, 10);
    let first = granted!(ledger.ask(asked.clone()));
    // Nothing is left to hold, and the same request still gets its hold.
    assert_eq!(granted!(ledger.ask(asked.clone())), first);
    assert_refused!(ledger.ask(HoldCredits { amount: 9, ..asked.clone() }), LedgerError::Conflict(_));
    assert_refused!(ledger.ask(HoldCredits { user: other, ..asked.clone() }), LedgerError::Conflict(_));
    assert_refused!(ledger.ask(HoldCredits { purpose: "brand.retrieve", ..asked }), LedgerError::Conflict(_));
    assert_eq!(granted!(ledger.ask(GetBalance { user: other })), credits(10, 0));
    assert_sound(&db).await;
}

async fn a_settled_hold_is_not_handed_out_again(db: DatabaseConnection) {
    let (ledger, user) = (ledger(&db), user(&db, 100).await);
    let (captured, voided) = (hold_of(user, 1), hold_of(user, 1));
    let hold = granted!(ledger.ask(captured.clone())).id;
    granted!(ledger.ask(CaptureHold { hold, amount: 1 }));
    let hold = granted!(ledger.ask(voided.clone())).id;
    granted!(ledger.ask(VoidHold { hold }));
    assert_refused!(ledger.ask(captured), LedgerError::Conflict(_));
    assert_refused!(ledger.ask(voided), LedgerError::Conflict(_));
    assert_eq!(granted!(ledger.ask(GetBalance { user })), credits(99, 0));
    assert_sound(&db).await;
}

async fn a_charge_is_made_once(db: DatabaseConnection) {
    let (ledger, one, other) = (ledger(&db), user(&db, 10).await, user(&db, 10).await);
    let asked = charge_of(one, 10);
    for _ in 0..2 {
        assert_eq!(granted!(ledger.ask(asked.clone())), credits(0, 0));
    }
    assert_refused!(ledger.ask(ChargeCredits { user: other, ..asked.clone() }), LedgerError::Conflict(_));
    assert_refused!(ledger.ask(ChargeCredits { amount: 9, ..asked }), LedgerError::Conflict(_));
    assert_eq!(granted!(ledger.ask(GetBalance { user: other })), credits(10, 0));
    assert_eq!(granted!(ledger.ask(GetUsage { user: one })), Usage { charges: 1, credits: 10 });
    assert_sound(&db).await;
}

async fn a_grant_is_made_once(db: DatabaseConnection) {
    let (ledger, one, other) = (ledger(&db), user(&db, 0).await, user(&db, 0).await);
    let asked = GrantCredits { user: one, amount: 500, purpose: "invoice", idempotency_key: "invoice:in_1".to_owned() };
    for _ in 0..2 {
        assert_eq!(granted!(ledger.ask(asked.clone())), credits(500, 0));
    }
    assert_refused!(ledger.ask(GrantCredits { amount: 501, ..asked.clone() }), LedgerError::Conflict(_));
    assert_refused!(ledger.ask(GrantCredits { user: other, ..asked }), LedgerError::Conflict(_));
    assert_eq!(granted!(ledger.ask(GetBalance { user: other })), credits(0, 0));
    assert_sound(&db).await;
}

async fn a_refund_gives_back_once_and_leaves_no_usage(db: DatabaseConnection) {
    let (ledger, user) = (ledger(&db), user(&db, 100).await);
    let (charged, held) = (charge_of(user, 20), hold_of(user, 30));
    granted!(ledger.ask(charged.clone()));
    let hold = granted!(ledger.ask(held.clone())).id;
    assert_refused!(ledger.ask(RefundCredits { reference: held.reference }), LedgerError::Unknown("charge"));
    granted!(ledger.ask(CaptureHold { hold, amount: 30 }));
    assert_eq!(granted!(ledger.ask(GetUsage { user })), Usage { charges: 2, credits: 50 });
    for _ in 0..2 {
        assert_eq!(granted!(ledger.ask(RefundCredits { reference: charged.reference })), credits(70, 0));
    }
    assert_eq!(granted!(ledger.ask(GetUsage { user })), Usage { charges: 1, credits: 30 });
    assert_eq!(granted!(ledger.ask(RefundCredits { reference: held.reference })), credits(100, 0));
    assert_eq!(granted!(ledger.ask(GetUsage { user })), Usage { charges: 0, credits: 0 });
    // The charge stays made: asked for again it is confirmed, not repeated.
    assert_eq!(granted!(ledger.ask(charged)), credits(100, 0));
    assert_sound(&db).await;
}

async fn work_is_paid_by_a_hold_or_by_a_charge_but_not_by_both(db: DatabaseConnection) {
    let (ledger, user) = (ledger(&db), user(&db, 100).await);
    let (held, charged) = (hold_of(user, 10), charge_of(user, 10));
    granted!(ledger.ask(held.clone()));
    granted!(ledger.ask(charged.clone()));
    let reference = held.reference;
    assert_refused!(ledger.ask(ChargeCredits { reference, ..charged.clone() }), LedgerError::Conflict(_));
    let reference = charged.reference;
    assert_refused!(ledger.ask(HoldCredits { reference, ..held }), LedgerError::Conflict(_));
    assert_eq!(granted!(ledger.ask(GetBalance { user })), credits(90, 10));
    assert_sound(&db).await;
}

async fn too_little_is_refused_with_both_numbers(db: DatabaseConnection) {
    let (ledger, user) = (ledger(&db), user(&db, 25).await);
    granted!(ledger.ask(hold_of(user, 10)));
    assert_refused!(ledger.ask(hold_of(user, 16)), LedgerError::Insufficient { needed: 16, available: 15 });
    assert_refused!(ledger.ask(charge_of(user, 20)), LedgerError::Insufficient { needed: 20, available: 15 });
    assert_eq!(granted!(ledger.ask(charge_of(user, 15))), credits(10, 10));
    assert_refused!(ledger.ask(charge_of(user, 1)), LedgerError::Insufficient { needed: 1, available: 0 });
    assert_sound(&db).await;
}

async fn what_is_not_there_is_unknown(db: DatabaseConnection) {
    let (ledger, nobody) = (ledger(&db), Uuid::now_v7());
    let grant = GrantCredits { user: nobody, amount: 1, purpose: "cli", idempotency_key: "x".to_owned() };
    assert_refused!(ledger.ask(hold_of(nobody, 1)), LedgerError::Unknown("account"));
    assert_refused!(ledger.ask(charge_of(nobody, 1)), LedgerError::Unknown("account"));
    assert_refused!(ledger.ask(grant), LedgerError::Unknown("account"));
    assert_refused!(ledger.ask(GetBalance { user: nobody }), LedgerError::Unknown("account"));
    assert_refused!(ledger.ask(GetUsage { user: nobody }), LedgerError::Unknown("account"));
    assert_refused!(ledger.ask(CaptureHold { hold: nobody, amount: 1 }), LedgerError::Unknown("hold"));
    assert_refused!(ledger.ask(VoidHold { hold: nobody }), LedgerError::Unknown("hold"));
    assert_refused!(ledger.ask(RefundCredits { reference: nobody }), LedgerError::Unknown("charge"));
}

async fn amounts_that_make_no_sense_are_refused(db: DatabaseConnection) {
    let (ledger, user) = (ledger(&db), user(&db, 100).await);
    let hold = granted!(ledger.ask(hold_of(user, 1))).id;
    for amount in [0, -1, i64::MIN, i64::MAX] {
        let grant = GrantCredits { user, amount, purpose: "cli", idempotency_key: format!("grant {amount}") };
        assert_refused!(ledger.ask(hold_of(user, amount)), LedgerError::BadAmount(_));
        assert_refused!(ledger.ask(charge_of(user, amount)), LedgerError::BadAmount(_));
        assert_refused!(ledger.ask(grant), LedgerError::BadAmount(_));
    }
    assert_refused!(ledger.ask(CaptureHold { hold, amount: -1 }), LedgerError::BadAmount(-1));
    assert_eq!(granted!(ledger.ask(GetBalance { user })), credits(100, 1));
    assert_sound(&db).await;
}
