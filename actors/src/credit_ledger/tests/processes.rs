//! Several processes on one database.

use futures::future::join_all;
use rand::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};

use super::*;
use crate::child::{orders, start, tell, told};
use crate::database::Database;
use crate::database::testing::{on_both_urls, open_migrated};

#[derive(Serialize, Deserialize)]
struct Work {
    url: String,
    users: Vec<Uuid>,
    /// Of all tasks of this process together.
    requests: u64,
    tasks: u64,
    seed: u64,
}

/// Asks for holds of 1 credit and tells how many it got.
#[test]
#[ignore = "a child of the process tests"]
fn spender() {
    let Some(work) = orders::<Work>() else { return };
    actix::System::new().block_on(async {
        let ledger = ledger(&Database::open(&work.url).await.expect("opens"));
        let task = async |_| {
            let mut held = 0_u64;
            for _ in 0..work.requests / work.tasks {
                match ledger.ask(hold_of(work.users[0], 1)).await.expect("answers") {
                    Ok(_) => held += 1,
                    Err(LedgerError::Insufficient { needed: 1, available: 0 }) => {}
                    Err(other) => panic!("{other:?}"),
                }
            }
            held
        };
        let held: u64 = join_all((0..work.tasks).map(task)).await.into_iter().sum();
        tell(&held.to_string());
    });
}

/// As `jack_hammer` of the gem `double_entry`: moves credits at random between
/// accounts that are fought for, and tells what each of them has gained.
#[test]
#[ignore = "a child of the process tests"]
fn hammer() {
    let Some(work) = orders::<Work>() else { return };
    actix::System::new().block_on(async {
        let ledger = ledger(&Database::open(&work.url).await.expect("opens"));
        let task = async |number| {
            let mut random = rand::rngs::StdRng::seed_from_u64(work.seed * 1_000 + number);
            let mut gained = vec![0_i64; work.users.len()];
            for _ in 0..work.requests / work.tasks {
                let account = random.random_range(0..work.users.len());
                gained[account] += blow(&ledger, work.users[account], &mut random).await;
            }
            gained
        };
        for gained in join_all((0..work.tasks).map(task)).await {
            tell(&serde_json::to_string(&gained).expect("json"));
        }
    });
}

/// One piece of work, and what the account gained by it.
async fn blow(ledger: &Gate<CreditLedgerActor>, user: Uuid, random: &mut rand::rngs::StdRng) -> i64 {
    let (amount, choice) = (random.random_range(1..20), random.random_range(0..5));
    if choice == 0 {
        let idempotency_key = Uuid::now_v7().to_string();
        let grant = GrantCredits { user, amount, purpose: "invoice", idempotency_key };
        ledger.ask(grant).await.expect("answers").expect("granted");
        return amount;
    }
    if choice == 1 {
        let charge = charge_of(user, amount);
        let charged = ledger.ask(charge.clone()).await.expect("answers");
        if random.random_bool(0.3) && charged.is_ok() {
            ledger.ask(RefundCredits { reference: charge.reference }).await.expect("answers").expect("refunded");
            return 0;
        }
        return paid(charged.map(|_| amount));
    }
    let hold = match ledger.ask(hold_of(user, amount)).await.expect("answers") {
        Ok(hold) => hold.id,
        Err(refused) => return paid(Err(refused)),
    };
    if choice == 2 {
        ledger.ask(VoidHold { hold }).await.expect("answers").expect("voided");
        return 0;
    }
    let charge = random.random_range(0..=amount);
    paid(ledger.ask(CaptureHold { hold, amount: charge }).await.expect("answers").map(|_| charge))
}

fn paid(answer: Result<i64, LedgerError>) -> i64 {
    match answer {
        Ok(charged) => -charged,
        Err(LedgerError::Insufficient { .. }) => 0,
        Err(other) => panic!("{other:?}"),
    }
}

/// Runs two processes to their end and returns what they told.
fn two(role: &str, work: impl Fn(u64) -> Work) -> Vec<String> {
    let children = [1, 2].map(|seed| start(role, &work(seed)));
    let told = children.map(|child| {
        let (told, well) = told(child);
        assert!(well, "a process failed: {told:?}");
        told
    });
    told.concat()
}

async fn two_processes_do_not_overspend(url: String) {
    let db = open_migrated(&url).await;
    let user = user(&db, 1_000).await;
    let told = two("credit_ledger::tests::processes::spender", |seed| Work {
        url: url.clone(),
        users: vec![user],
        requests: 1_024,
        tasks: 32,
        seed,
    });
    let held: u64 = told.iter().map(|held| held.parse::<u64>().expect("a number")).sum();
    assert_eq!(held, 1_000);
    assert_eq!(store::balance_of(&db, user).await.expect("a balance"), credits(1_000, 1_000));
    assert_sound(&db).await;
}

async fn two_processes_hammer_accounts_and_the_books_agree_with_both(url: String) {
    let db = open_migrated(&url).await;
    let mut users = Vec::new();
    for _ in 0..3 {
        users.push(user(&db, 200).await);
    }
    let told = two("credit_ledger::tests::processes::hammer", |seed| Work {
        url: url.clone(),
        users: users.clone(),
        requests: 400,
        tasks: 8,
        seed,
    });
    let mut expected = vec![200_i64; users.len()];
    for gained in &told {
        let gained: Vec<i64> = serde_json::from_str(gained).expect("json");
        expected.iter_mut().zip(gained).for_each(|(balance, gained)| *balance += gained);
    }
    for (user, balance) in users.into_iter().zip(expected) {
        assert_eq!(store::balance_of(&db, user).await.expect("a balance"), credits(balance, 0));
    }
    assert_sound(&db).await;
}

on_both_urls!(on_sqlite, on_postgres:
    two_processes_do_not_overspend,
    two_processes_hammer_accounts_and_the_books_agree_with_both,
);
