use crate::browser_pool::RenderError;
use crate::credit_ledger::LedgerError;
use crate::egress::EgressError;
use crate::key_ring::KeyRingError;
use crate::supervise::AskError;
use crate::webhook_outbox::OutboxError;

/// Why a piece of work on the web failed. Cloned to all who waited for it, and
/// never charged.
#[derive(Debug, Clone, thiserror::Error)]
pub enum WorkError {
    #[error(transparent)]
    Egress(#[from] EgressError),
    #[error(transparent)]
    Render(#[from] RenderError),
    /// Somebody else's request for the same page took longer than this one may.
    #[error("the page was not ready in time")]
    Late,
    /// The answer is neither HTML nor text.
    #[error("the answer is {0}, which is neither HTML nor text")]
    ContentType(String),
    #[error(transparent)]
    Ask(#[from] AskError),
    /// A fault of ours: a panic while reading the page, or a record that does
    /// not serialise.
    #[error("reading the page failed: {0}")]
    Internal(String),
}

/// Why a flow has no answer.
#[derive(Debug, thiserror::Error)]
pub enum FlowError {
    #[error(transparent)]
    Work(#[from] WorkError),
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    #[error(transparent)]
    KeyRing(#[from] KeyRingError),
    #[error(transparent)]
    Outbox(#[from] OutboxError),
    #[error(transparent)]
    Ask(#[from] AskError),
}
