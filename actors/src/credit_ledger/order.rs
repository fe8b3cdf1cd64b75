//! What waits for the writer: a message, and where its answer goes once it is
//! committed.

use actix::Message;
use sea_orm::{DatabaseConnection, DatabaseTransaction};
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::{CaptureHold, ChargeCredits, GrantCredits, HoldCredits, LedgerError, RefundCredits, VoidHold, store};
use crate::database::write;

/// A message that changes the ledger.
pub(super) trait Change: Message<Result = Result<Self::Done, LedgerError>> + Sized {
    type Done: Send + 'static;

    fn order(ticket: Ticket<Self>) -> Order;

    /// Does it, or refuses and leaves the transaction as it was.
    async fn perform(&self, txn: &DatabaseTransaction) -> Result<Self::Done, LedgerError>;
}

/// One change that is asked for.
pub(super) struct Ticket<C: Change> {
    pub asked: C,
    /// When it was asked for.
    pub(super) since: Instant,
    answer: Option<Result<C::Done, LedgerError>>,
    reply: oneshot::Sender<Result<C::Done, LedgerError>>,
}

impl<C: Change> Ticket<C> {
    pub(super) fn new(asked: C) -> (Self, oneshot::Receiver<Result<C::Done, LedgerError>>) {
        let (reply, answered) = oneshot::channel();
        (Self { asked, since: Instant::now(), answer: None, reply }, answered)
    }

    pub(super) fn answer(&mut self, answer: Result<C::Done, LedgerError>) {
        self.answer = Some(answer);
    }

    async fn perform(&mut self, txn: &DatabaseTransaction) -> Result<(), sea_orm::DbErr> {
        match self.asked.perform(txn).await {
            Err(LedgerError::Store(error)) => Err(error),
            answer => {
                self.answer = Some(answer);
                Ok(())
            }
        }
    }

    async fn perform_alone(&mut self, db: &DatabaseConnection) {
        self.answer = Some(write(db, async |txn| self.asked.perform(txn).await).await);
    }

    fn reply(self) {
        // Who stopped waiting may ask again: every change has a key of its own.
        let _ = self.reply.send(self.answer.unwrap_or(Err(LedgerError::Interrupted)));
    }
}

macro_rules! orders {
    ($($kind:ident($message:ty) -> $done:ty = $perform:path;)+) => {
        /// A ticket of any kind.
        pub(super) enum Order {
            $($kind(Ticket<$message>),)+
        }

        impl Order {
            /// When it was asked for.
            pub(super) fn since(&self) -> Instant {
                match self { $(Self::$kind(ticket) => ticket.since,)+ }
            }

            pub(super) fn is_open(&self) -> bool {
                match self { $(Self::$kind(ticket) => ticket.answer.is_none(),)+ }
            }

            /// Takes back an answer whose transaction was rolled back.
            pub(super) fn reopen(&mut self) {
                match self { $(Self::$kind(ticket) => ticket.answer = None,)+ }
            }

            pub(super) fn refuse(&mut self, error: LedgerError) {
                match self { $(Self::$kind(ticket) => ticket.answer = Some(Err(error)),)+ }
            }

            /// The database's error that the order met, if that is its answer.
            pub(super) fn failure(&self) -> Option<&sea_orm::DbErr> {
                match self {
                    $(Self::$kind(Ticket { answer: Some(Err(LedgerError::Store(error))), .. }) => Some(error),)+
                    _ => None,
                }
            }

            /// Does it in a transaction that others share. A refusal is an
            /// answer like another; only the database's error is an error.
            pub(super) async fn perform(&mut self, txn: &DatabaseTransaction) -> Result<(), sea_orm::DbErr> {
                match self { $(Self::$kind(ticket) => ticket.perform(txn).await,)+ }
            }

            /// Does it in a transaction of its own, and commits that.
            pub(super) async fn perform_alone(&mut self, db: &DatabaseConnection) {
                match self { $(Self::$kind(ticket) => ticket.perform_alone(db).await,)+ }
            }

            /// Tells who asked. Called when the answer is committed.
            pub(super) fn reply(self) {
                match self { $(Self::$kind(ticket) => ticket.reply(),)+ }
            }
        }

        $(impl Change for $message {
            type Done = $done;

            fn order(ticket: Ticket<Self>) -> Order {
                Order::$kind(ticket)
            }

            async fn perform(&self, txn: &DatabaseTransaction) -> Result<$done, LedgerError> {
                $perform(txn, self).await
            }
        })+
    };
}

orders! {
    Hold(HoldCredits) -> super::Hold = store::hold;
    Capture(CaptureHold) -> super::Balance = store::capture;
    Void(VoidHold) -> super::Balance = store::void;
    Charge(ChargeCredits) -> super::Balance = store::charge;
    Grant(GrantCredits) -> super::Balance = store::grant;
    Refund(RefundCredits) -> super::Balance = store::refund;
}
