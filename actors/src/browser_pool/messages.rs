use std::time::Duration;

use actix::Message;
use tokio::time::Instant;
use url::Url;

use crate::egress::{EgressError, Upstream};

/// Request: load `url` in a fresh browser context, let its scripts run, and
/// return the document as it then stands.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<RenderedPage, RenderError>")]
pub struct RenderPage {
    pub url: Url,
    /// A CSS selector that must match before the document is read.
    pub wait_for: Option<String>,
    /// Whether each `<img>` is to tell its place: `data-layout="x y width height"`
    /// in CSS pixels of the document.
    pub measure: bool,
    /// The proxy that all of the page's requests go through; `None` goes directly.
    pub upstream: Option<Upstream>,
    /// Bounds the work as well as the wait.
    pub deadline: Instant,
    /// How long the page may take once it has its place in a browser, within
    /// the deadline; `None` for all that is left.
    pub limit: Option<Duration>,
}

impl RenderPage {
    /// When a page that begins now has to be done.
    pub(super) fn due(&self) -> Instant {
        self.limit.map_or(self.deadline, |limit| self.deadline.min(Instant::now() + limit))
    }
}

/// A rendered document, whatever its status.
#[derive(Debug, Clone)]
pub struct RenderedPage {
    /// The document's address at the end, after redirects and script.
    pub final_url: Url,
    pub status: u16,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    /// The serialised document, doctype included.
    pub html: String,
}

/// Why there is no rendered document.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RenderError {
    /// There is no browser, or none with room before the deadline.
    #[error("no browser is available: {0}")]
    Unavailable(String),
    /// `wait_for` is not a CSS selector.
    #[error("not a CSS selector: {0}")]
    BadSelector(String),
    /// `wait_for` matched nothing before the deadline.
    #[error("nothing matched {0} in time")]
    SelectorNotFound(String),
    /// The answer is not an HTML document; the browser did not show it.
    #[error("the answer is {content_type}, not HTML")]
    NotHtml { content_type: String },
    /// The page killed its renderer, twice.
    #[error("the page crashed the browser")]
    Crashed,
    /// The document could not be reached.
    #[error(transparent)]
    Egress(#[from] EgressError),
}

impl RenderError {
    /// The word for this failure in lists of failures.
    pub fn reason(&self) -> &'static str {
        match self {
            Self::Egress(error) => error.reason(),
            Self::SelectorNotFound(_) => "timeout",
            Self::NotHtml { .. } => "content_type",
            Self::BadSelector(_) | Self::Unavailable(_) | Self::Crashed => "browser",
        }
    }
}

/// Request: what the pool has now.
#[derive(Debug, Clone, Copy, Message)]
#[rtype(result = "BrowserHealth")]
pub struct GetBrowserHealth;

/// The pool's state, as `/readyz` and `/health` of a worker show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrowserHealth {
    /// Why no page can be rendered; `None` when one can.
    pub problem: Option<String>,
    /// Browser processes that answer.
    pub browsers: usize,
    /// Pages open now.
    pub pages: usize,
}

/// Request: take no more pages, let the open ones finish until `pages_until`,
/// then close every browser. Answered when nothing is left of them.
#[derive(Debug, Clone, Copy, Message)]
#[rtype(result = "()")]
pub struct Drain {
    pub pages_until: Instant,
}
