use crate::crawl_job::CrawlError;
use crate::credit_ledger::LedgerError;
use crate::key_ring::KeyRingError;
use crate::page_loader::WorkError;
use crate::supervise::AskError;
use crate::webhook_outbox::OutboxError;

/// Why a flow has no answer.
#[derive(Debug, thiserror::Error)]
pub enum FlowError {
    #[error(transparent)]
    Work(#[from] WorkError),
    #[error(transparent)]
    Crawl(#[from] CrawlError),
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    #[error(transparent)]
    KeyRing(#[from] KeyRingError),
    #[error(transparent)]
    Outbox(#[from] OutboxError),
    #[error(transparent)]
    Ask(#[from] AskError),
}
