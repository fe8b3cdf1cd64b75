//! What went wrong in other ledgers, as their trackers tell it.

use futures::future::join_all;
use sea_orm::{ConnectionTrait, DbBackend};

use super::*;
use crate::database::sql;
use crate::database::testing::{on_both_urls, open_migrated};
use crate::on_both_databases;

on_both_databases!(crate::database::testing::open_migrated:
    a_hold_settled_twice_within_milliseconds_is_settled_once,
    a_balance_below_zero_is_refused_by_the_database_itself,
    a_failure_after_the_transaction_row_leaves_neither_row_nor_balance,
);

/// Lago #3618: a pending transaction was settled twice by requests some
/// milliseconds apart.
async fn a_hold_settled_twice_within_milliseconds_is_settled_once(db: DatabaseConnection) {
    let (one, other, user) = (ledger(&db), ledger(&db), user(&db, 100).await);
    for _ in 0..10 {
        let before = store::balance_of(&db, user).await.expect("a balance").balance;
        let hold = one.ask(hold_of(user, 5)).await.expect("answers").expect("a hold").id;
        let settle = async |number: i64| {
            let ledger = if number % 2 == 0 { &one } else { &other };
            match number % 3 {
                0 => ledger.ask(VoidHold { hold }).await.expect("answers").map(|_| 0),
                charge => ledger.ask(CaptureHold { hold, amount: charge }).await.expect("answers").map(|_| charge),
            }
        };
        let outcomes = join_all((0..12).map(settle)).await;
        let mut charges: Vec<_> = outcomes.into_iter().filter_map(Result::ok).collect();
        charges.dedup();
        charges.sort_unstable();
        charges.dedup();
        assert_eq!(charges.len(), 1, "confirmed in more than one way");
        let after = store::balance_of(&db, user).await.expect("a balance");
        assert_eq!(after, credits(before - charges[0], 0));
    }
    assert_sound(&db).await;
}

/// Lago #4985: nothing in the schema refused a negative balance.
async fn a_balance_below_zero_is_refused_by_the_database_itself(db: DatabaseConnection) {
    let user = user(&db, 3).await;
    for change in ["balance = -1", "balance = 2, held = 3", "held = -1"] {
        let update = format!("UPDATE credit_accounts SET {change} WHERE user_id = $1");
        sql::run(&db, &update, [user.into()]).await.expect_err(change);
    }
    assert_sound(&db).await;
}

/// Lago #3895: a transaction's row was saved and the balance was not. Here the
/// entries of one user cannot be written: nothing of that charge stays, and of
/// those that shared its transaction, everything.
async fn a_failure_after_the_transaction_row_leaves_neither_row_nor_balance(db: DatabaseConnection) {
    let (fine, poisoned) = (user(&db, 100).await, user(&db, 100).await);
    refuse_entries_of(&db, 77).await;
    let ledger = ledger(&db);
    let charge = |number: i64| if number == 5 { charge_of(poisoned, 77) } else { charge_of(fine, 2) };
    let charges: Vec<_> = (0..10).map(charge).collect();
    let answers = join_all(charges.iter().map(|charge| ledger.ask(charge.clone()))).await;
    for (asked, answer) in charges.iter().zip(answers) {
        let answer = answer.expect("answers");
        assert_eq!(asked.user == poisoned, matches!(answer, Err(LedgerError::Store(_))), "{answer:?}");
        let select = "SELECT 1 FROM credit_txns WHERE idempotency_key = $1";
        let recorded = sql::one(&db, select, [format!("work:{}", asked.reference).into()]).await.expect("reads");
        assert_eq!(recorded.is_some(), asked.user == fine);
    }
    assert_eq!(store::balance_of(&db, fine).await.expect("a balance"), credits(82, 0));
    assert_eq!(store::balance_of(&db, poisoned).await.expect("a balance"), credits(100, 0));
    assert_sound(&db).await;
}

async fn refuse_entries_of(db: &DatabaseConnection, amount: i64) {
    let statements = match db.get_database_backend() {
        DbBackend::Postgres => vec![
            format!(
                "CREATE FUNCTION fail_entry() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
                 IF NEW.amount = -{amount} THEN RAISE EXCEPTION 'no'; END IF; RETURN NEW; END $$"
            ),
            "CREATE TRIGGER fail BEFORE INSERT ON credit_entries FOR EACH ROW EXECUTE FUNCTION fail_entry()".to_owned(),
        ],
        _ => vec![format!(
            "CREATE TRIGGER fail BEFORE INSERT ON credit_entries WHEN NEW.amount = -{amount} \
             BEGIN SELECT RAISE(ABORT, 'no'); END"
        )],
    };
    for statement in statements {
        db.execute_unprepared(&statement).await.expect("a trigger");
    }
}

/// Lago #2664 and #3720: of updates at the same time some were lost, and one
/// further try was not enough. Two pools stand for two replicas.
async fn updates_at_the_same_time_are_all_counted(url: String) {
    let (db, other) = (open_migrated(&url).await, open_migrated(&url).await);
    let user = user(&db, 1_000).await;
    let ledgers = [ledger(&db), ledger(&other)];
    let changes = (0..200_usize).map(|number| {
        let ledger = &ledgers[number % 2];
        async move {
            let idempotency_key = format!("{user} {number}");
            let grant = GrantCredits { user, amount: 3, purpose: "invoice", idempotency_key };
            match number % 4 {
                0 | 1 => ledger.ask(grant).await.expect("answers").expect("granted"),
                _ => ledger.ask(charge_of(user, 5)).await.expect("answers").expect("charged"),
            }
        }
    });
    join_all(changes).await;
    assert_eq!(store::balance_of(&db, user).await.expect("a balance"), credits(1_000 + 100 * 3 - 100 * 5, 0));
    assert_sound(&db).await;
}

/// laravel-credits #20: the lock was on the latest row of the history, which is
/// another one for who comes later, or none at first. A row that is always
/// there is locked here.
async fn two_who_spend_the_last_credit_of_a_new_account_are_not_both_served(url: String) {
    let (db, other) = (open_migrated(&url).await, open_migrated(&url).await);
    let ledgers = [ledger(&db), ledger(&other)];
    for _ in 0..10 {
        let user = user(&db, 1).await;
        let spend = (0..8_usize).map(|number| {
            let ledger = &ledgers[number % 2];
            async move {
                match number % 4 {
                    0 | 1 => ledger.ask(hold_of(user, 1)).await.expect("answers").is_ok(),
                    _ => ledger.ask(charge_of(user, 1)).await.expect("answers").is_ok(),
                }
            }
        });
        assert_eq!(join_all(spend).await.into_iter().filter(|served| *served).count(), 1);
    }
    assert_sound(&db).await;
}

on_both_urls!(two_pools_on_sqlite, two_pools_on_postgres:
    updates_at_the_same_time_are_all_counted,
    two_who_spend_the_last_credit_of_a_new_account_are_not_both_served,
);
