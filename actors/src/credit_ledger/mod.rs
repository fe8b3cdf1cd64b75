//! Who has how many credits: double entry with holds, in the database alone.

mod messages;

pub use messages::{
    Balance, CaptureHold, ChargeCredits, GetBalance, GetUsage, GrantCredits, Hold, HoldCredits, LedgerError,
    RefundCredits, SweepHolds, Usage, VoidHold,
};
