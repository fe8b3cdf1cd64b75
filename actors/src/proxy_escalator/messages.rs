use actix::Message;
use bytes::Bytes;
use tokio::time::Instant;
use url::Url;

use crate::egress::EgressError;

/// Request: fetch `url` without a browser, following redirects, through the
/// cheapest tier that is not refused.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<FetchedPage, EgressError>")]
pub struct FetchPage {
    pub url: Url,
    /// Bounds the work as well as the wait.
    pub deadline: Instant,
    /// Bytes of the inflated body; one more is [`EgressError::TooLarge`].
    pub max_bytes: usize,
}

/// What came back, whatever its status: a 404 is an answer.
#[derive(Debug, Clone)]
pub struct FetchedPage {
    /// Where the redirects ended.
    pub final_url: Url,
    pub status: u16,
    /// Names in lower case, in the order received; repeated ones stay repeated.
    pub headers: Vec<(String, String)>,
    /// Inflated.
    pub body: Bytes,
    pub tier: Tier,
}

/// Request: the tier to begin with for `host`, as the memory of what worked has
/// it; `None` for the cheapest. Asked by those who load a page by other means
/// than [`FetchPage`].
#[derive(Debug, Clone, Message)]
#[rtype(result = "Option<Tier>")]
pub struct ChooseTier {
    pub host: String,
}

/// Notice: `tier` got `host` to answer.
#[derive(Debug, Clone, Message)]
#[rtype(result = "()")]
pub struct TierWorked {
    pub host: String,
    pub tier: Tier,
}

/// A way out, cheapest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tier {
    Direct,
    Datacenter,
    Residential,
    Isp,
}
