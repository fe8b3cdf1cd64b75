use std::time::Duration;

use super::parse;
use super::reader::{Read, Reader};
use super::secret::Secret;
use super::variable::Variable;

const PROXY_DATACENTER_URL: Variable = Variable::optional(
    "PROXY_DATACENTER_URL",
    "no such tier",
    "http://user:password@proxy.example.com:8080",
    "Proxy of the datacenter tier, with credentials when it asks for them: `http://`, `socks5h://`, or `socks5://`, \
     which is given addresses that are resolved here instead of names.",
)
.secret();
const PROXY_RESIDENTIAL_URL: Variable = Variable::optional(
    "PROXY_RESIDENTIAL_URL",
    "no such tier",
    "http://user:password@proxy.example.com:8081",
    "Proxy of the residential tier, tried after the datacenter tier; the same schemes.",
)
.secret();
const PROXY_ISP_URL: Variable = Variable::optional(
    "PROXY_ISP_URL",
    "no such tier",
    "http://user:password@proxy.example.com:8082",
    "Proxy of the ISP tier, the last one; the same schemes.",
)
.secret();
const PROXY_ESCALATION_ENABLED: Variable = Variable::defaulting(
    "PROXY_ESCALATION_ENABLED",
    "true",
    "Whether a page that is refused is asked for again through the next tier, and which tier a host needed is \
     remembered: for ten minutes it begins there, then one tier lower.",
);
const PROXY_SKIP_DIRECT: Variable = Variable::defaulting(
    "PROXY_SKIP_DIRECT",
    "false",
    "Whether to begin with the first proxy instead of a direct request.",
);
const PROXY_MAX_RETRIES_PER_TIER: Variable =
    Variable::defaulting("PROXY_MAX_RETRIES_PER_TIER", "2", "Retries on a tier before the next one, 0 to 10.");
const PROXY_REQUEST_TIMEOUT: Variable = Variable::defaulting(
    "PROXY_REQUEST_TIMEOUT",
    "15000",
    "Milliseconds before an attempt counts as failed and the next tier is tried, 100 to 600000. The last tier, and a \
     direct request where there is no proxy, has all that is left of the client's `timeout`.",
);
const PROXY_ESCALATION_STATUS_CODES: Variable = Variable::defaulting(
    "PROXY_ESCALATION_STATUS_CODES",
    "403,429,503,520,521,522,523,524",
    "Comma-separated statuses, 400 to 599, that count as a refusal.",
);

pub(super) const VARIABLES: &[Variable] = &[
    PROXY_DATACENTER_URL,
    PROXY_RESIDENTIAL_URL,
    PROXY_ISP_URL,
    PROXY_ESCALATION_ENABLED,
    PROXY_SKIP_DIRECT,
    PROXY_MAX_RETRIES_PER_TIER,
    PROXY_REQUEST_TIMEOUT,
    PROXY_ESCALATION_STATUS_CODES,
];

/// The ways out besides the direct one, and when to change between them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProxySettings {
    /// `PROXY_DATACENTER_URL`, with its credentials.
    pub datacenter: Option<Secret>,
    /// `PROXY_RESIDENTIAL_URL`, with its credentials.
    pub residential: Option<Secret>,
    /// `PROXY_ISP_URL`, with its credentials.
    pub isp: Option<Secret>,
    /// `PROXY_ESCALATION_ENABLED`
    pub escalation_enabled: bool,
    /// `PROXY_SKIP_DIRECT`; without any proxy requests are direct all the same.
    pub skip_direct: bool,
    /// `PROXY_MAX_RETRIES_PER_TIER`, on top of the first attempt.
    pub max_retries_per_tier: u32,
    /// `PROXY_REQUEST_TIMEOUT`, of every attempt that another tier can follow.
    pub request_timeout: Duration,
    /// `PROXY_ESCALATION_STATUS_CODES`
    pub escalation_status_codes: Vec<u16>,
}

impl ProxySettings {
    pub(super) fn read(reader: &mut Reader<'_>) -> Read<Self> {
        let datacenter = read_proxy(reader, &PROXY_DATACENTER_URL);
        let residential = read_proxy(reader, &PROXY_RESIDENTIAL_URL);
        let isp = read_proxy(reader, &PROXY_ISP_URL);
        let escalation_enabled = reader.value(&PROXY_ESCALATION_ENABLED, parse::flag);
        let skip_direct = reader.value(&PROXY_SKIP_DIRECT, parse::flag);
        let max_retries_per_tier = reader.value(&PROXY_MAX_RETRIES_PER_TIER, parse::within(0..=10));
        let request_timeout = reader.value(&PROXY_REQUEST_TIMEOUT, parse::timeout);
        let statuses = reader.value(&PROXY_ESCALATION_STATUS_CODES, parse::list(parse::within(400..=599)));
        let settings = Self {
            datacenter: datacenter?,
            residential: residential?,
            isp: isp?,
            escalation_enabled: escalation_enabled?,
            skip_direct: skip_direct?,
            max_retries_per_tier: max_retries_per_tier?,
            request_timeout: request_timeout?,
            escalation_status_codes: statuses?,
        };
        if settings.skip_direct && !settings.has_proxy() {
            reader.warn("PROXY_SKIP_DIRECT is on, but no proxy is set: requests are direct");
        }
        Ok(settings)
    }

    /// Whether any tier besides the direct one exists.
    pub fn has_proxy(&self) -> bool {
        [&self.datacenter, &self.residential, &self.isp].into_iter().any(Option::is_some)
    }
}

fn read_proxy(reader: &mut Reader<'_>, variable: &Variable) -> Read<Option<Secret>> {
    let proxy = reader.optional(variable, parse::address(&["http", "socks5", "socks5h"]))?;
    Ok(proxy.map(Secret::new))
}
