use sea_orm::DatabaseTransaction;
use std::time::Duration;
use uuid::Uuid;

use super::KIND;
use crate::credit_ledger::{CaptureHold, HoldCredits, LedgerError, RefundCredits, store as ledger};

/// Credits that one hold sets aside: pages are paid from it without a statement
/// of their own.
const CHUNK: i64 = 100;
/// Pages paid ahead below which the next hold is taken: as many as are fetched
/// at once, and as many again.
const LOW: i64 = 32;
/// Longer than any crawl lives, so that no hold ends before its crawl.
const HOLD_TTL: Duration = Duration::from_secs(26 * 3600);

/// What a crawl has paid: its first page when it was accepted, the others from
/// one hold at a time.
#[derive(Debug, Clone, Copy)]
pub(in crate::crawl_job) struct Money {
    pub user: Uuid,
    /// Whether credits are counted at all.
    pub counted: bool,
    /// Credits charged from holds that are settled.
    pub captured: i64,
    pub hold: Option<Uuid>,
    pub hold_amount: i64,
    /// The account has nothing more to set aside.
    pub exhausted: bool,
}

impl Money {
    /// Pages that are paid or can be paid from the present hold.
    pub(in crate::crawl_job) fn pages(&self) -> i64 {
        if self.counted { 1 + self.captured + self.hold_amount } else { i64::MAX }
    }

    /// Sets more aside when the pages paid ahead are few and more are to come.
    /// An account with too little gives what it has.
    pub(in crate::crawl_job) async fn extend(
        &mut self,
        txn: &DatabaseTransaction,
        fetched: i64,
        max_pages: i64,
    ) -> Result<(), LedgerError> {
        if !self.counted || self.exhausted || self.pages() >= max_pages || self.pages() - fetched >= LOW {
            return Ok(());
        }
        self.settle(txn, fetched).await?;
        let wanted = CHUNK.min(max_pages - 1 - self.captured);
        let amount = match self.set_aside(txn, wanted).await {
            Err(LedgerError::Insufficient { available, .. }) if available > 0 => {
                self.exhausted = true;
                self.set_aside(txn, available).await
            }
            other => other,
        };
        match amount {
            Ok(()) => Ok(()),
            Err(LedgerError::Insufficient { .. }) => {
                self.exhausted = true;
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    async fn set_aside(&mut self, txn: &DatabaseTransaction, amount: i64) -> Result<(), LedgerError> {
        let asked = HoldCredits { user: self.user, amount, purpose: KIND, reference: Uuid::now_v7(), ttl: HOLD_TTL };
        let hold = ledger::hold(txn, &asked).await?;
        (self.hold, self.hold_amount) = (Some(hold.id), amount);
        Ok(())
    }

    /// Charges what was used of the present hold and releases the rest.
    pub(in crate::crawl_job) async fn settle(
        &mut self,
        txn: &DatabaseTransaction,
        fetched: i64,
    ) -> Result<(), LedgerError> {
        let Some(hold) = self.hold.take() else { return Ok(()) };
        let amount = (fetched - 1 - self.captured).clamp(0, self.hold_amount);
        ledger::capture(txn, &CaptureHold { hold, amount }).await?;
        self.captured += amount;
        self.hold_amount = 0;
        Ok(())
    }

    /// Gives the credit of the first page back: there was none.
    pub(in crate::crawl_job) async fn refund(&self, txn: &DatabaseTransaction, crawl: Uuid) -> Result<(), LedgerError> {
        if self.counted {
            ledger::refund(txn, &RefundCredits { reference: crawl }).await?;
        }
        Ok(())
    }
}
