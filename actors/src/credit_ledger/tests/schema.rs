//! What the database itself refuses, and what the audit finds.

use sea_orm::{ConnectionTrait, DbBackend};

use super::*;
use crate::database::sql;
use crate::on_both_databases;

on_both_databases!(crate::database::testing::open_migrated:
    migrating_again_or_together_changes_nothing,
    history_cannot_be_rewritten,
    an_account_cannot_be_overdrawn,
    the_audit_finds_what_is_wrong,
    a_refusal_leaves_the_transaction_usable,
);

async fn migrating_again_or_together_changes_nothing(db: DatabaseConnection) {
    let user = user(&db, 100).await;
    let (one, other) = futures::join!(migration::migrate(&db), migration::migrate(&db));
    one.expect("migrates");
    other.expect("migrates");
    assert_eq!(store::balance_of(&db, user).await.expect("a balance"), credits(100, 0));
    let systems = sql::all(&db, "SELECT id FROM credit_accounts WHERE kind = 'system'", []).await.expect("rows");
    let ids: Vec<Uuid> = systems.iter().map(|row| row.try_get("", "id").expect("an id")).collect();
    assert_eq!(ids.len(), 2);
    assert!(ids.contains(&store::ISSUANCE) && ids.contains(&store::REVENUE));
}

async fn history_cannot_be_rewritten(db: DatabaseConnection) {
    user(&db, 100).await;
    let mut changes = vec![
        "UPDATE credit_entries SET amount = amount + 1",
        "UPDATE credit_txns SET purpose = 'another'",
        "DELETE FROM credit_entries",
        "DELETE FROM credit_txns",
    ];
    if db.get_database_backend() == DbBackend::Postgres {
        changes.push("TRUNCATE credit_entries");
    }
    for change in changes {
        let refused = db.execute_unprepared(change).await.expect_err(change);
        assert!(refused.to_string().contains("immutable"), "{change}: {refused}");
    }
    assert_sound(&db).await;
}

async fn an_account_cannot_be_overdrawn(db: DatabaseConnection) {
    user(&db, 100).await;
    for change in [
        "balance = balance - 101",
        "held = held + 101",
        "held = held - 1",
        "balance = 9007199254740992",
        "kind = 'system'",
    ] {
        let update = format!("UPDATE credit_accounts SET {change} WHERE kind = 'user'");
        db.execute_unprepared(&update).await.expect_err(change);
    }
    let update = "UPDATE credit_accounts SET balance = 1 WHERE kind = 'system'";
    db.execute_unprepared(update).await.expect_err(update);
    assert_sound(&db).await;
}

async fn the_audit_finds_what_is_wrong(db: DatabaseConnection) {
    let user = user(&db, 100).await;
    let held = write(&db, async |txn| store::hold(txn, &hold_of(user, 10)).await).await.expect("a hold").id;
    let mut expected = Vec::new();
    let account = sql::one(&db, "SELECT id FROM credit_accounts WHERE kind = 'user'", []).await;
    let account: Uuid = account.expect("reads").expect("a row").try_get("", "id").expect("an id");

    db.execute_unprepared("UPDATE credit_accounts SET balance = 99 WHERE kind = 'user'").await.expect("tampers");
    expected.push(Violation::Balance { account, balance: 99, entries: 100 });
    assert_eq!(verify(&db).await.expect("audits"), expected);

    db.execute_unprepared("UPDATE credit_accounts SET held = 9 WHERE kind = 'user'").await.expect("tampers");
    expected.push(Violation::Held { account, held: 9, open: 10 });
    assert_eq!(verify(&db).await.expect("audits"), expected);

    let txn = Uuid::now_v7();
    let insert = "INSERT INTO credit_txns (id, idempotency_key, fingerprint, kind, purpose, account_id, created_at) \
                  VALUES ($1, 'k', 'f', 'grant', 'p', $2, 0)";
    sql::run(&db, insert, [txn.into(), account.into()]).await.expect("tampers");
    let insert = "INSERT INTO credit_entries (txn_id, account_id, amount) VALUES ($1, $2, -5)";
    sql::run(&db, insert, [txn.into(), store::ISSUANCE.into()]).await.expect("tampers");
    expected.push(Violation::Unbalanced { txn, sum: -5 });
    expected.push(Violation::Entries { txn, entries: 1 });
    expected.push(Violation::LedgerUnbalanced { sum: -5 });
    assert_eq!(verify(&db).await.expect("audits"), expected);

    let update = "UPDATE credit_holds SET state = 'captured', captured = 10";
    db.execute_unprepared(update).await.expect("tampers");
    expected[1] = Violation::Held { account, held: 9, open: 0 };
    expected.push(Violation::Captured { hold: held, captured: 10, charged: 0 });
    assert_eq!(verify(&db).await.expect("audits"), expected);
}

async fn a_refusal_leaves_the_transaction_usable(db: DatabaseConnection) {
    let user = user(&db, 10).await;
    let (held, charged) = (hold_of(user, 2), charge_of(user, 3));
    write::<_, LedgerError, _>(&db, async |txn| {
        let hold = store::hold(txn, &held).await?.id;
        store::charge(txn, &charged).await?;
        assert!(store::hold(txn, &hold_of(user, 6)).await.is_err());
        assert!(store::charge(txn, &ChargeCredits { reference: held.reference, ..charged.clone() }).await.is_err());
        assert!(store::hold(txn, &HoldCredits { reference: charged.reference, ..held.clone() }).await.is_err());
        assert!(store::charge(txn, &ChargeCredits { amount: 1, ..charged.clone() }).await.is_err());
        assert!(store::capture(txn, &CaptureHold { hold, amount: 3 }).await.is_err());
        assert!(store::refund(txn, &RefundCredits { reference: held.reference }).await.is_err());
        store::capture(txn, &CaptureHold { hold, amount: 1 }).await
    })
    .await
    .expect("commits");
    assert_eq!(store::balance_of(&db, user).await.expect("a balance"), credits(6, 0));
    assert_sound(&db).await;
}
