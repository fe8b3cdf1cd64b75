//! Many at once.

use futures::future::join_all;

use super::*;
use crate::on_both_databases;

on_both_databases!(crate::database::testing::open_migrated:
    of_10_000_holds_of_1_by_64_askers_on_a_balance_of_5_000_exactly_5_000_succeed,
    of_200_holds_of_1_on_a_balance_of_50_exactly_50_succeed,
    of_many_equal_requests_one_has_an_effect,
    random_requests_keep_the_books_right,
);

async fn of_200_holds_of_1_on_a_balance_of_50_exactly_50_succeed(db: DatabaseConnection) {
    let (ledger, user) = (ledger(&db), user(&db, 50).await);
    let answers = join_all((0..200).map(|_| ledger.ask(hold_of(user, 1)))).await;
    let (mut held, mut refused) = (Vec::new(), 0);
    for answer in answers {
        match answer.expect("the ledger answers") {
            Ok(hold) => held.push(hold.id),
            Err(LedgerError::Insufficient { needed: 1, available: 0 }) => refused += 1,
            Err(other) => panic!("{other:?}"),
        }
    }
    assert_eq!((held.len(), refused), (50, 150));
    let balance = ledger.ask(GetBalance { user }).await.expect("answers").expect("a balance");
    assert_eq!(balance, credits(50, 50));
    assert_sound(&db).await;
    let captures = held.iter().map(|hold| ledger.ask(CaptureHold { hold: *hold, amount: 1 }));
    assert!(join_all(captures).await.into_iter().all(|answer| matches!(answer, Ok(Ok(_)))));
    let balance = ledger.ask(GetBalance { user }).await.expect("answers").expect("a balance");
    assert_eq!(balance, credits(0, 0));
    assert_sound(&db).await;
}

async fn of_10_000_holds_of_1_by_64_askers_on_a_balance_of_5_000_exactly_5_000_succeed(db: DatabaseConnection) {
    let (ledger, user) = (ledger(&db), user(&db, 5_000).await);
    let left = std::cell::Cell::new(10_000);
    let asker = async || {
        let mut held = 0;
        while left.get() > 0 {
            left.set(left.get() - 1);
            match ledger.ask(hold_of(user, 1)).await.expect("the ledger answers") {
                Ok(_) => held += 1,
                Err(LedgerError::Insufficient { needed: 1, available: 0 }) => {}
                Err(other) => panic!("{other:?}"),
            }
        }
        held
    };
    let held: i32 = join_all((0..64).map(|_| asker())).await.into_iter().sum();
    assert_eq!(held, 5_000);
    let balance = store::balance_of(&db, user).await.expect("a balance");
    assert_eq!((balance, balance.available()), (credits(5_000, 5_000), 0));
    assert_sound(&db).await;
}

async fn of_many_equal_requests_one_has_an_effect(db: DatabaseConnection) {
    let (ledger, user) = (ledger(&db), user(&db, 100).await);
    let (asked, charge) = (hold_of(user, 40), charge_of(user, 7));
    let holds = join_all((0..20).map(|_| ledger.ask(asked.clone()))).await;
    let holds: Vec<_> = holds.into_iter().map(|hold| hold.expect("answers").expect("a hold").id).collect();
    assert!(holds.iter().all(|hold| *hold == holds[0]));
    join_all((0..20).map(|_| ledger.ask(charge.clone()))).await.into_iter().for_each(|answer| {
        answer.expect("answers").expect("charged");
    });
    let capture = CaptureHold { hold: holds[0], amount: 40 };
    join_all((0..20).map(|_| ledger.ask(capture.clone()))).await.into_iter().for_each(|answer| {
        answer.expect("answers").expect("captured");
    });
    let refund = RefundCredits { reference: charge.reference };
    join_all((0..20).map(|_| ledger.ask(refund.clone()))).await.into_iter().for_each(|answer| {
        answer.expect("answers").expect("refunded");
    });
    let balance = ledger.ask(GetBalance { user }).await.expect("answers").expect("a balance");
    assert_eq!(balance, credits(60, 0));
    assert_sound(&db).await;
}

/// What any request answers, for the crowd below.
#[derive(Debug)]
enum Outcome {
    Held(Uuid),
    Done,
    Refused,
}

async fn random_requests_keep_the_books_right(db: DatabaseConnection) {
    use rand::{Rng, SeedableRng};

    let ledger = ledger(&db);
    let users = [user(&db, 30).await, user(&db, 60).await];
    let references: Vec<_> = (0..25).map(|_| Uuid::now_v7()).collect();
    let mut random = rand::rngs::StdRng::seed_from_u64(7);
    let mut holds = vec![Uuid::now_v7()];
    for _ in 0..25 {
        let round = (0..16).map(|_| {
            let user = users[random.random_range(0..users.len())];
            let reference = references[random.random_range(0..references.len())];
            let hold = holds[random.random_range(0..holds.len())];
            let (ledger, amount, choice) = (ledger.clone(), random.random_range(1..9), random.random_range(0..7));
            async move { one_of_all(&ledger, choice, user, reference, hold, amount).await }
        });
        for outcome in join_all(round.collect::<Vec<_>>()).await {
            if let Outcome::Held(hold) = outcome {
                holds.push(hold);
            }
        }
        assert_sound(&db).await;
    }
    assert!(holds.len() > 5, "the crowd held too little to show anything: {}", holds.len());
}

async fn one_of_all(
    ledger: &Gate<CreditLedgerActor>,
    choice: u32,
    user: Uuid,
    reference: Uuid,
    hold: Uuid,
    amount: i64,
) -> Outcome {
    let ttl = if amount == 8 { Duration::ZERO } else { MINUTE };
    let answer = match choice {
        0 | 1 => {
            let held = ledger.ask(HoldCredits { user, amount, purpose: PURPOSE, reference, ttl }).await;
            return match held.expect("answers") {
                Ok(hold) => Outcome::Held(hold.id),
                Err(error) => expected(error),
            };
        }
        2 => ledger.ask(CaptureHold { hold, amount }).await,
        3 => ledger.ask(VoidHold { hold }).await,
        4 => ledger.ask(ChargeCredits { user, amount, purpose: PURPOSE, reference }).await,
        5 => ledger.ask(RefundCredits { reference }).await,
        _ => {
            let swept = ledger.ask(SweepHolds).await.expect("answers");
            return swept.map_or_else(expected, |_| Outcome::Done);
        }
    };
    answer.expect("answers").map_or_else(expected, |_| Outcome::Done)
}

fn expected(refusal: LedgerError) -> Outcome {
    assert!(!matches!(refusal, LedgerError::Store(_)), "{refusal:?}");
    Outcome::Refused
}
