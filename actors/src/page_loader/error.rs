use crate::browser_pool::RenderError;
use crate::egress::EgressError;
use crate::supervise::AskError;

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

impl WorkError {
    /// The word for this failure in lists of failures.
    pub fn reason(&self) -> &'static str {
        match self {
            Self::Egress(error) => error.reason(),
            Self::Render(error) => error.reason(),
            Self::Late | Self::Ask(_) => "timeout",
            Self::ContentType(_) => "content_type",
            Self::Internal(_) => "internal",
        }
    }
}
