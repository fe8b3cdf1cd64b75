use actix::{Context, Handler, ResponseFuture};

use super::{
    Balance, CaptureHold, ChargeCredits, CreditLedgerActor, GetBalance, GetUsage, GrantCredits, Hold, HoldCredits,
    LedgerError, RefundCredits, SweepHolds, Usage, VoidHold, store,
};
use crate::database::write;

type Answer<T> = ResponseFuture<Result<T, LedgerError>>;

impl Handler<HoldCredits> for CreditLedgerActor {
    type Result = Answer<Hold>;

    fn handle(&mut self, asked: HoldCredits, _: &mut Context<Self>) -> Self::Result {
        let db = self.db.clone();
        Box::pin(async move { write(&db, async |txn| store::hold(txn, &asked).await).await })
    }
}

impl Handler<CaptureHold> for CreditLedgerActor {
    type Result = Answer<Balance>;

    fn handle(&mut self, asked: CaptureHold, _: &mut Context<Self>) -> Self::Result {
        let db = self.db.clone();
        Box::pin(async move { write(&db, async |txn| store::capture(txn, &asked).await).await })
    }
}

impl Handler<VoidHold> for CreditLedgerActor {
    type Result = Answer<Balance>;

    fn handle(&mut self, asked: VoidHold, _: &mut Context<Self>) -> Self::Result {
        let db = self.db.clone();
        Box::pin(async move { write(&db, async |txn| store::void(txn, &asked).await).await })
    }
}

impl Handler<ChargeCredits> for CreditLedgerActor {
    type Result = Answer<Balance>;

    fn handle(&mut self, asked: ChargeCredits, _: &mut Context<Self>) -> Self::Result {
        let db = self.db.clone();
        Box::pin(async move { write(&db, async |txn| store::charge(txn, &asked).await).await })
    }
}

impl Handler<GrantCredits> for CreditLedgerActor {
    type Result = Answer<Balance>;

    fn handle(&mut self, asked: GrantCredits, _: &mut Context<Self>) -> Self::Result {
        let db = self.db.clone();
        Box::pin(async move { write(&db, async |txn| store::grant(txn, &asked).await).await })
    }
}

impl Handler<RefundCredits> for CreditLedgerActor {
    type Result = Answer<Balance>;

    fn handle(&mut self, asked: RefundCredits, _: &mut Context<Self>) -> Self::Result {
        let db = self.db.clone();
        Box::pin(async move { write(&db, async |txn| store::refund(txn, &asked).await).await })
    }
}

impl Handler<GetBalance> for CreditLedgerActor {
    type Result = Answer<Balance>;

    fn handle(&mut self, asked: GetBalance, _: &mut Context<Self>) -> Self::Result {
        let db = self.db.clone();
        Box::pin(async move { store::balance_of(&db, asked.user).await })
    }
}

impl Handler<GetUsage> for CreditLedgerActor {
    type Result = Answer<Usage>;

    fn handle(&mut self, asked: GetUsage, _: &mut Context<Self>) -> Self::Result {
        let db = self.db.clone();
        Box::pin(async move { store::usage_today(&db, asked.user).await })
    }
}

impl Handler<SweepHolds> for CreditLedgerActor {
    type Result = Answer<u64>;

    fn handle(&mut self, _: SweepHolds, _: &mut Context<Self>) -> Self::Result {
        let db = self.db.clone();
        Box::pin(async move { store::sweep(&db).await })
    }
}
