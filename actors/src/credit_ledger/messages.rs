use std::time::Duration;

use actix::Message;
use uuid::Uuid;

/// Request: set `amount` aside for one piece of work. Asking twice with the
/// same `reference` holds it once.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<Hold, LedgerError>")]
pub struct HoldCredits {
    pub user: Uuid,
    pub amount: i64,
    /// What the work is, e.g. `web.scrape.html`; kept with the charge.
    pub purpose: &'static str,
    /// Unique per piece of work: the idempotency key.
    pub reference: Uuid,
    /// After this the sweeper gives the credits back.
    pub ttl: Duration,
}

/// Credits set aside. Not money: it becomes a charge by [`CaptureHold`] or
/// nothing by [`VoidHold`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hold {
    pub id: Uuid,
    pub amount: i64,
    pub balance: Balance,
}

/// An account's credits as of the answer, also when a request is repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Balance {
    /// Credits owned, those on hold included.
    pub balance: i64,
    /// Credits on hold.
    pub held: i64,
}

impl Balance {
    /// Credits that can be spent now.
    pub fn available(self) -> i64 {
        self.balance - self.held
    }
}

/// Request: charge `amount` of a hold and release the rest. Capturing the same
/// hold again with the same amount changes nothing.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<Balance, LedgerError>")]
pub struct CaptureHold {
    pub hold: Uuid,
    /// At most the hold's amount.
    pub amount: i64,
}

/// Request: release a hold. Voiding it again changes nothing.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<Balance, LedgerError>")]
pub struct VoidHold {
    pub hold: Uuid,
}

/// Request: charge at once, for work that is done already (a cached answer).
/// Charging twice with the same `reference` charges once.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<Balance, LedgerError>")]
pub struct ChargeCredits {
    pub user: Uuid,
    pub amount: i64,
    pub purpose: &'static str,
    pub reference: Uuid,
}

/// Request: add credits. Granting twice with the same `idempotency_key` grants
/// once.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<Balance, LedgerError>")]
pub struct GrantCredits {
    pub user: Uuid,
    pub amount: i64,
    /// Why, e.g. `sign_up`, `cli`; kept with the entry.
    pub purpose: &'static str,
    pub idempotency_key: String,
}

/// Request: give a charge back, whole. `reference` is that of the hold or the
/// charge. Refunding twice refunds once.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<Balance, LedgerError>")]
pub struct RefundCredits {
    pub reference: Uuid,
}

/// Request: an account's credits now.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<Balance, LedgerError>")]
pub struct GetBalance {
    pub user: Uuid,
}

/// Request: what was charged since the start of the UTC day.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<Usage, LedgerError>")]
pub struct GetUsage {
    pub user: Uuid,
}

/// Charges less refunds of one UTC day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    /// Charged requests.
    pub charges: i64,
    pub credits: i64,
}

/// Request: void the holds whose time is over. Returns how many there were.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<u64, LedgerError>")]
pub struct SweepHolds;

/// Why the ledger refused.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// Not positive, or more than an account may own.
    #[error("{0} is not an amount of credits that can be moved")]
    BadAmount(i64),
    #[error("{needed} credits are needed, {available} are available")]
    Insufficient { needed: i64, available: i64 },
    /// There is no such account, hold or charge.
    #[error("no such {0}")]
    Unknown(&'static str),
    /// The hold was voided, has expired, or was captured with another amount;
    /// or an idempotency key was used for something else.
    #[error("{0}")]
    Conflict(&'static str),
    /// Too much waits for the database; nothing was done.
    #[error("the ledger is busy")]
    Busy,
    /// The ledger ended before it answered. Whether it acted is open: ask again
    /// with the same key.
    #[error("the ledger was interrupted")]
    Interrupted,
    #[error("the ledger's database failed")]
    Store(#[from] sea_orm::DbErr),
}
