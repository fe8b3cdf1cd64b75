use std::time::Duration;

use actors::flows::PageOrder;
use url::Url;
use utoipa::IntoParams;

use crate::error::{ApiError, ApiResult};
use crate::params::{FromParams, Params};

/// Milliseconds a client may give a page.
const TIMEOUT_MS: std::ops::RangeInclusive<u64> = 1..=120_000;

/// Characters of a CSS selector; more than any sensible one.
const MAX_SELECTOR_CHARS: usize = 1_000;

/// How a page is loaded.
#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PageParams {
    /// The page: an absolute `http` or `https` URL.
    pub url: Url,
    /// A CSS selector to wait for before the page is read. Needs `javascript`.
    #[param(value_type = Option<String>, max_length = 1000)]
    pub wait_for: Option<String>,
    /// Milliseconds for the whole page.
    #[param(value_type = Option<u64>, default = 30_000, minimum = 1, maximum = 120_000)]
    pub timeout: u64,
    /// Whether scripts run, in a browser. `false` cuts latency for static pages.
    #[param(value_type = Option<bool>, default = true)]
    pub javascript: bool,
    /// `false`: do not read the cache; the fresh result is still kept.
    #[param(value_type = Option<bool>, default = true)]
    pub cache: bool,
}

impl FromParams for PageParams {
    fn from_params(params: &Params) -> ApiResult<Self> {
        let parsed = Self {
            url: params.url("url")?,
            wait_for: params.bounded_text("wait_for", MAX_SELECTOR_CHARS)?.map(str::to_owned),
            timeout: params.integer("timeout", 30_000, TIMEOUT_MS)?,
            javascript: params.boolean("javascript", true)?,
            cache: params.boolean("cache", true)?,
        };
        if parsed.wait_for.is_some() && !parsed.javascript {
            return Err(ApiError::invalid("wait_for", "needs javascript=true: without scripts nothing appears later"));
        }
        Ok(parsed)
    }
}

impl PageParams {
    /// The order for the flow.
    pub fn order(self) -> PageOrder {
        PageOrder {
            url: self.url,
            javascript: self.javascript,
            wait_for: self.wait_for,
            measure: false,
            timeout: Duration::from_millis(self.timeout),
        }
    }
}
