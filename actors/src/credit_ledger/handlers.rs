use actix::{Context, Handler, ResponseFuture};
use tokio::sync::mpsc::error::TrySendError;

use super::order::{Change, Ticket};
use super::{
    Balance, CaptureHold, ChargeCredits, CreditLedgerActor, GetBalance, GetUsage, GrantCredits, Hold, HoldCredits,
    LedgerError, RefundCredits, SweepHolds, Usage, VoidHold, store,
};

type Answer<T> = ResponseFuture<Result<T, LedgerError>>;

impl CreditLedgerActor {
    /// Queues a change for the writer and waits until it is committed.
    fn order<C: Change + 'static>(&self, asked: C) -> Answer<C::Done> {
        let (ticket, answered) = Ticket::new(asked);
        let queued = self.orders.try_send(C::order(ticket)).map_err(|error| match error {
            TrySendError::Full(_) => LedgerError::Busy,
            TrySendError::Closed(_) => LedgerError::Interrupted,
        });
        Box::pin(async move {
            queued?;
            answered.await.unwrap_or(Err(LedgerError::Interrupted))
        })
    }
}

macro_rules! queue {
    ($($message:ty => $done:ty),+ $(,)?) => {
        $(impl Handler<$message> for CreditLedgerActor {
            type Result = Answer<$done>;

            fn handle(&mut self, asked: $message, _: &mut Context<Self>) -> Self::Result {
                self.order(asked)
            }
        })+
    };
}

queue! {
    HoldCredits => Hold,
    CaptureHold => Balance,
    VoidHold => Balance,
    ChargeCredits => Balance,
    GrantCredits => Balance,
    RefundCredits => Balance,
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
