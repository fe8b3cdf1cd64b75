//! The ledger's SQL. A function takes an open transaction and the request, and
//! either does all of it or refuses and leaves the transaction as it found it:
//! the caller may commit after a refusal, so several requests can share one
//! commit. After [`LedgerError::Store`] only a rollback is left.
//!
//! The first statement is always a write. So that no two requests lock each
//! other out, locks are taken in one order: the hold of the reference (which
//! PostgreSQL makes an insert of the same reference wait for), the account, the
//! charge's key. Keys of grants and refunds are locked by their like alone.

mod account;
mod holding;
mod sweeping;
mod together;
mod transfer;
mod usage;

pub(crate) use account::{balance_of, open_account};
pub(crate) use holding::{capture, hold, void};
pub(crate) use sweeping::sweep;
pub(super) use together::together;
pub(crate) use transfer::{charge, grant, refund};
pub(crate) use usage::usage_today;

use uuid::Uuid;

use super::LedgerError;

/// Where credits come from: the sum of its entries is minus all ever granted.
pub(super) const ISSUANCE: Uuid = Uuid::from_u128(0x0000_0000_0000_7000_8000_0000_0000_0001);
/// Where spent credits go: the sum of its entries is all charged less refunds.
pub(super) const REVENUE: Uuid = Uuid::from_u128(0x0000_0000_0000_7000_8000_0000_0000_0002);

/// The most credits that one request may move. Far above any use, and low
/// enough that no sum overflows.
const MAX_AMOUNT: i64 = 1_000_000_000_000;

fn positive(amount: i64) -> Result<(), LedgerError> {
    if (1..=MAX_AMOUNT).contains(&amount) { Ok(()) } else { Err(LedgerError::BadAmount(amount)) }
}

/// The key of what was charged for one piece of work, by capture or at once,
/// so that no work is paid twice.
fn work_key(reference: Uuid) -> String {
    format!("work:{reference}")
}
