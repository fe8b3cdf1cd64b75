use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;

use super::Script;

/// A value and what is left of its time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Kept {
    pub body: Bytes,
    pub ttl_remaining: Duration,
}

/// Why there is no answer. No message shows an address or a credential.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum StoreError {
    /// Known from an earlier question; this one was not put.
    #[error("the shared store is down")]
    Down,
    #[error("no answer within {} ms", .0.as_millis())]
    Timeout(Duration),
    /// The question was not sent.
    #[error("no connection: {0}")]
    Unconnected(String),
    /// The connection ended with the question on its way.
    #[error("the connection was lost: {0}")]
    Cut(String),
    /// The store answered with an error of its own.
    #[error("refused: {0}")]
    Refused(String),
    /// The answer is not what the protocol has.
    #[error("an answer that makes no sense: {0}")]
    Nonsense(String),
}

impl StoreError {
    /// Whether the store cannot have done what it was asked.
    pub(crate) fn is_unsent(&self) -> bool {
        matches!(self, Self::Down | Self::Unconnected(_))
    }
}

/// How a store is spoken to. Nothing here bounds its own time.
#[async_trait]
pub(super) trait Backend: Send + Sync {
    /// Begins to connect if that is not under way, and waits until there is a
    /// connection.
    async fn connect(&self) -> Result<(), StoreError>;

    async fn fetch(&self, key: &str) -> Result<Option<Kept>, StoreError>;

    async fn keep(&self, key: &str, body: Bytes, ttl: Duration) -> Result<(), StoreError>;

    async fn run(&self, script: &Script, keys: &[&str], args: Vec<String>) -> Result<Vec<i64>, StoreError>;

    async fn close(&self);
}
