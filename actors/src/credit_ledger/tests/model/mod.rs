//! Random requests against a model of the ledger in a few lines. Requests that
//! share a transaction must answer as if they had come one after another, in
//! some order.

mod books;

use std::collections::HashMap;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestError, TestRng, TestRunner};

use self::books::{Books, Heard, REFERENCES, USERS};
use super::*;
use crate::credit_ledger::order::{Change, Order, Ticket};
use crate::credit_ledger::writer;
use crate::database::testing::{TestDatabase, open_migrated};

/// A request, by the numbers of the user and of the piece of work.
#[derive(Debug, Clone, Copy)]
pub(super) enum Step {
    Hold { user: usize, amount: i64, work: usize, expires: bool },
    Capture { work: usize, amount: i64 },
    Void { work: usize },
    Charge { user: usize, amount: i64, work: usize },
    Grant { user: usize, amount: i64, work: usize },
    Refund { work: usize },
    Expire,
}

fn step() -> impl Strategy<Value = Step> {
    let (user, work, amount) = (0..USERS, 0..REFERENCES, 1..30_i64);
    prop_oneof![
        5 => (user.clone(), amount.clone(), work.clone(), prop::bool::weighted(0.2))
            .prop_map(|(user, amount, work, expires)| Step::Hold { user, amount, work, expires }),
        4 => (work.clone(), 0..30_i64).prop_map(|(work, amount)| Step::Capture { work, amount }),
        2 => work.clone().prop_map(|work| Step::Void { work }),
        3 => (user.clone(), amount.clone(), work.clone())
            .prop_map(|(user, amount, work)| Step::Charge { user, amount, work }),
        1 => (user, amount, work.clone()).prop_map(|(user, amount, work)| Step::Grant { user, amount, work }),
        2 => work.prop_map(|work| Step::Refund { work }),
        1 => Just(Step::Expire),
    ]
}

/// Groups of requests that share a transaction, some of them said twice.
fn steps() -> impl Strategy<Value = Vec<Vec<Step>>> {
    let group = prop_oneof![
        3 => vec(step(), 1..=1),
        4 => vec(step(), 2..=4),
        1 => step().prop_map(|step| vec![step, step]),
    ];
    vec(group, GROUPS)
}

const GROUPS: usize = 25;
/// With 25 groups of 2 requests in the mean: 2,000.
const RUNS: u32 = 40;

/// One run's users and keys.
struct World<'a> {
    db: &'a DatabaseConnection,
    users: Vec<Uuid>,
    references: Vec<Uuid>,
    holds: HashMap<usize, Uuid>,
}

impl World<'_> {
    async fn new(db: &DatabaseConnection) -> World<'_> {
        let mut users = Vec::new();
        for _ in 0..USERS {
            users.push(user(db, books::OPENING).await);
        }
        let references = (0..REFERENCES).map(|_| Uuid::now_v7()).collect();
        World { db, users, references, holds: HashMap::new() }
    }

    /// Performs the requests together, if they are several, and returns what
    /// each asker heard.
    async fn perform(&mut self, group: &[Step]) -> Vec<Heard> {
        let (mut orders, mut heard) = (Vec::new(), Vec::new());
        for step in group {
            let (order, hears) = self.order(*step);
            orders.push(order);
            heard.push(hears);
        }
        if orders.len() > 1 {
            // Not through the writer, which would hide a failure behind its second try.
            let shared = write(self.db, async |txn| store::together(txn, &mut orders).await).await;
            shared.expect("the requests share a transaction");
        } else {
            writer::perform(self.db, &mut orders).await;
        }
        orders.into_iter().for_each(Order::reply);
        let heard = futures::future::join_all(heard).await;
        for (step, heard) in group.iter().zip(&heard) {
            if let (Step::Hold { work, .. }, Heard::Held(hold)) = (step, heard) {
                let known = *self.holds.entry(*work).or_insert(hold.id);
                assert_eq!(known, hold.id, "one reference, two holds");
            }
        }
        heard
    }

    fn order(&self, step: Step) -> (Order, futures::future::LocalBoxFuture<'static, Heard>) {
        let hold = |work| self.holds.get(&work).copied().unwrap_or_default();
        let moved = |answer: Result<Balance, _>| answer.map_or_else(Heard::refused, Heard::Moved);
        match step {
            Step::Hold { user, amount, work, expires } => {
                let ttl = if expires { Duration::ZERO } else { MINUTE };
                let (user, reference) = (self.users[user], self.references[work]);
                let asked = HoldCredits { user, amount, purpose: PURPOSE, reference, ttl };
                order(asked, |answer| answer.map_or_else(Heard::refused, Heard::Held))
            }
            Step::Capture { work, amount } => order(CaptureHold { hold: hold(work), amount }, moved),
            Step::Void { work } => order(VoidHold { hold: hold(work) }, moved),
            Step::Charge { user, amount, work } => {
                let (user, reference) = (self.users[user], self.references[work]);
                order(ChargeCredits { user, amount, purpose: PURPOSE, reference }, moved)
            }
            Step::Grant { user, amount, work } => {
                let (user, idempotency_key) = (self.users[user], self.references[work].to_string());
                order(GrantCredits { user, amount, purpose: "invoice", idempotency_key }, moved)
            }
            Step::Refund { work } => order(RefundCredits { reference: self.references[work] }, moved),
            Step::Expire => panic!("expiry is not asked for"),
        }
    }

    async fn balances(&self) -> Vec<Balance> {
        let mut balances = Vec::new();
        for user in &self.users {
            balances.push(store::balance_of(self.db, *user).await.expect("a balance"));
        }
        balances
    }
}

fn order<C: Change>(
    asked: C,
    heard: impl FnOnce(C::Result) -> Heard + 'static,
) -> (Order, futures::future::LocalBoxFuture<'static, Heard>) {
    let (ticket, answered) = Ticket::new(asked);
    (C::order(ticket), Box::pin(async { heard(answered.await.expect("an answer")) }))
}

async fn agree(db: &DatabaseConnection, groups: Vec<Vec<Step>>) {
    let (mut world, mut books) = (World::new(db).await, Books::default());
    for group in groups {
        let (expiries, asked): (Vec<_>, Vec<_>) = group.into_iter().partition(|step| matches!(step, Step::Expire));
        if !asked.is_empty() {
            let heard = world.perform(&asked).await;
            let balances = world.balances().await;
            let next = books.explain(&asked, &heard, &balances);
            books = next.unwrap_or_else(|| panic!("no order of {asked:?} explains {heard:?}, after {books:?}"));
        }
        if !expiries.is_empty() {
            store::sweep(db).await.expect("sweeps");
            books.expire();
            assert_eq!(world.balances().await, books.balances());
        }
    }
    assert_sound(db).await;
}

/// A seed of one's own choice, and more runs than are good for every day.
#[expect(clippy::disallowed_methods, reason = "a test is told by who looks for a failure")]
fn chosen(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

#[test]
fn requests_answer_as_the_model_does() {
    let seed = chosen("BLAZON_LEDGER_SEED").unwrap_or_else(rand::random);
    let runs = chosen("BLAZON_LEDGER_RUNS").map_or(RUNS, |runs| u32::try_from(runs).expect("a number of runs"));
    eprintln!("BLAZON_LEDGER_SEED={seed}");
    let config = Config { cases: runs, failure_persistence: None, max_shrink_iters: 500, ..Config::default() };
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &bytes));
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(TestDatabase::sqlite().run(|url| async move {
        let db = open_migrated(&url).await;
        let agrees = |groups| {
            tokio::task::block_in_place(|| tokio::runtime::Handle::current().block_on(agree(&db, groups)));
            Ok(())
        };
        if let Err(TestError::Fail(reason, groups)) = runner.run(&steps(), agrees) {
            panic!("{reason}; shrunk to {groups:#?}; BLAZON_LEDGER_SEED={seed}");
        }
    }));
}
