use futures::future::join_all;
use serde::{Deserialize, Serialize};

use super::super::*;
use crate::credit_ledger::order::{Change, Order, Ticket};
use crate::credit_ledger::writer;
use crate::database::sql;

/// What the script does, by the number of the piece of work; odd ones are the
/// first user's.
#[derive(Debug, Clone, Copy)]
pub(super) enum Action {
    Hold(u128, i64),
    /// Expires at once.
    HoldShortly(u128, i64),
    /// More than there is: refused.
    HoldTooMuch(u128),
    Capture(u128, i64),
    Void(u128),
    Charge(u128, i64),
    Grant(u128, i64),
    Refund(u128),
    Sweep,
}
use Action::*;

/// Those of one round are performed together.
pub(super) const ROUNDS: [&[Action]; 12] = [
    &[Hold(1, 10)],
    &[Capture(1, 7)],
    &[Hold(2, 5)],
    &[Void(2)],
    &[Charge(3, 4)],
    &[Grant(4, 20)],
    &[Refund(3)],
    &[HoldTooMuch(5)],
    &[HoldShortly(6, 2)],
    &[Sweep],
    &[Hold(11, 10), Hold(12, 5), Charge(13, 4), HoldTooMuch(14), Hold(15, 1), Grant(16, 20)],
    &[Capture(11, 7), Void(12), Charge(17, 2), Hold(18, 3), Refund(13), Capture(15, 0)],
];

impl Action {
    pub(super) fn name(self) -> String {
        format!("{self:?}")
    }

    pub(super) fn is_hold(self) -> bool {
        matches!(self, Hold(..) | HoldShortly(..))
    }
}

/// One run of the rounds, for two users of its own with 100 credits each.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Script {
    users: [Uuid; 2],
    first_reference: Uuid,
}

type Answers = Vec<(Action, Result<(), LedgerError>)>;

impl Script {
    pub(super) fn new(users: [Uuid; 2]) -> Self {
        Self { users, first_reference: Uuid::from_u128(Uuid::now_v7().as_u128() & !0xff) }
    }

    fn user(&self, work: u128) -> Uuid {
        self.users[usize::from(work.is_multiple_of(2))]
    }

    fn reference(&self, work: u128) -> Uuid {
        Uuid::from_u128(self.first_reference.as_u128() | work)
    }

    /// Performs a round as the writer does and returns what each asker hears. A
    /// refusal that is due counts as done.
    pub(super) async fn perform(&self, db: &DatabaseConnection, round: &[Action]) -> Answers {
        if let [Sweep] = round {
            return vec![(Sweep, store::sweep(db).await.map(drop))];
        }
        let (mut orders, mut answers) = (Vec::new(), Vec::new());
        for action in round {
            let (order, answer) = self.order(db, *action).await;
            orders.push(order);
            answers.push(async { (*action, answer.await) });
        }
        writer::perform(db, &mut orders).await;
        orders.into_iter().for_each(Order::reply);
        join_all(answers).await
    }

    async fn order(
        &self,
        db: &DatabaseConnection,
        action: Action,
    ) -> (Order, futures::future::LocalBoxFuture<'static, Result<(), LedgerError>>) {
        let hold = |work, amount, ttl| HoldCredits {
            user: self.user(work),
            amount,
            purpose: PURPOSE,
            reference: self.reference(work),
            ttl,
        };
        match action {
            Hold(work, amount) => order(hold(work, amount, MINUTE)),
            HoldShortly(work, amount) => order(hold(work, amount, Duration::ZERO)),
            HoldTooMuch(work) => {
                let (order, answer) = order(hold(work, 1_000, MINUTE));
                let refused = async {
                    match answer.await {
                        Err(LedgerError::Insufficient { needed: 1_000, .. }) => Ok(()),
                        other => panic!("too much was to be refused: {other:?}"),
                    }
                };
                (order, Box::pin(refused))
            }
            Capture(work, amount) => order(CaptureHold { hold: self.hold_id(db, work).await, amount }),
            Void(work) => order(VoidHold { hold: self.hold_id(db, work).await }),
            Charge(work, amount) => {
                order(ChargeCredits { reference: self.reference(work), ..charge_of(self.user(work), amount) })
            }
            Grant(work, amount) => {
                let idempotency_key = self.reference(work).to_string();
                order(GrantCredits { user: self.user(work), amount, purpose: "invoice", idempotency_key })
            }
            Refund(work) => order(RefundCredits { reference: self.reference(work) }),
            Sweep => panic!("a sweep has a round of its own"),
        }
    }

    /// As its asker knows it, who was told or asks again.
    async fn hold_id(&self, db: &DatabaseConnection, work: u128) -> Uuid {
        let select = "SELECT id FROM credit_holds WHERE reference = $1";
        let row = sql::one(db, select, [self.reference(work).into()]).await.expect("reads").expect("the hold");
        row.try_get("", "id").expect("an id")
    }

    /// Asserts that what was told is there.
    pub(super) async fn assert_done(&self, db: &DatabaseConnection, told: &[String]) {
        for action in ROUNDS.concat().into_iter().filter(|action| told.contains(&action.name())) {
            assert!(self.is_done(db, action).await, "{action:?} was confirmed and is lost");
        }
    }

    /// Asserts that a round of which nothing was told is there or is not.
    pub(super) async fn assert_rounds_are_whole(&self, db: &DatabaseConnection, told: &[String]) {
        for round in ROUNDS.into_iter().filter(|round| !round.iter().any(|action| told.contains(&action.name()))) {
            let visible = round.iter().filter(|action| !matches!(action, HoldTooMuch(_) | Sweep));
            let done = join_all(visible.map(|action| self.is_done(db, *action))).await;
            assert!(done.iter().all(|one| *one == done[0]), "{round:?} is half there: {done:?}");
        }
    }

    async fn is_done(&self, db: &DatabaseConnection, action: Action) -> bool {
        match action {
            Hold(work, _) | HoldShortly(work, _) => self.state(db, work).await.is_some(),
            HoldTooMuch(work) => self.state(db, work).await.is_none(),
            Capture(work, 0) => self.state(db, work).await.as_deref() == Some("captured"),
            Void(work) => self.state(db, work).await.as_deref() == Some("voided"),
            Capture(work, _) | Charge(work, _) => self.is_recorded(db, format!("work:{}", self.reference(work))).await,
            Grant(work, _) => self.is_recorded(db, format!("grant:{}", self.reference(work))).await,
            Refund(work) => self.is_recorded(db, format!("refund:{}", self.reference(work))).await,
            Sweep => self.state(db, 6).await.as_deref() == Some("expired"),
        }
    }

    async fn state(&self, db: &DatabaseConnection, work: u128) -> Option<String> {
        let select = "SELECT state FROM credit_holds WHERE reference = $1";
        let row = sql::one(db, select, [self.reference(work).into()]).await.expect("reads");
        row.map(|row| row.try_get("", "state").expect("a state"))
    }

    async fn is_recorded(&self, db: &DatabaseConnection, key: String) -> bool {
        let select = "SELECT 1 FROM credit_txns WHERE idempotency_key = $1";
        sql::one(db, select, [key.into()]).await.expect("reads").is_some()
    }

    /// Asserts that the accounts are as after the whole script.
    pub(super) async fn assert_finished(&self, db: &DatabaseConnection) {
        let [one, other] = self.users;
        assert_eq!(store::balance_of(db, one).await.expect("a balance"), credits(100 - 7 - 7 - 2, 0));
        assert_eq!(store::balance_of(db, other).await.expect("a balance"), credits(100 + 20 + 20, 3));
    }
}

fn order<C: Change>(asked: C) -> (Order, futures::future::LocalBoxFuture<'static, Result<(), LedgerError>>) {
    let (ticket, answered) = Ticket::new(asked);
    (C::order(ticket), Box::pin(async { answered.await.expect("an answer").map(drop) }))
}
