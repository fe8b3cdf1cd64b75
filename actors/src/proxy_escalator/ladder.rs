//! Decides, without I/O, which tier is tried next.

use std::time::Duration;

use url::Url;

use super::Tier;
use crate::egress::{EgressError, Upstream};

/// The ways out that the operator pays for, and when to change between them.
#[derive(Debug, Clone)]
pub struct ProxyConfig {
    pub datacenter: Option<Upstream>,
    pub residential: Option<Upstream>,
    pub isp: Option<Upstream>,
    /// Off: only the first tier is used.
    pub enabled: bool,
    /// Begin with the first proxy, when there is one.
    pub skip_direct: bool,
    pub max_retries_per_tier: u32,
    /// After this an attempt counts as failed, unless there is no tier left to
    /// try: the last one has all the time that the caller has.
    pub request_timeout: Duration,
    /// Answers that mean "not to you".
    pub escalation_status_codes: Vec<u16>,
}

impl Default for ProxyConfig {
    fn default() -> Self {
        Self {
            datacenter: None,
            residential: None,
            isp: None,
            enabled: true,
            skip_direct: false,
            max_retries_per_tier: 2,
            request_timeout: Duration::from_secs(15),
            escalation_status_codes: vec![403, 429, 503, 520, 521, 522, 523, 524],
        }
    }
}

impl ProxyConfig {
    /// The proxy of a tier; `None` for the direct way and for a tier without one.
    pub fn upstream_for(&self, tier: Tier) -> Option<&Upstream> {
        match tier {
            Tier::Direct => None,
            Tier::Datacenter => self.datacenter.as_ref(),
            Tier::Residential => self.residential.as_ref(),
            Tier::Isp => self.isp.as_ref(),
        }
    }

    /// The tiers that may be tried, in order; never empty.
    pub fn tiers(&self) -> Vec<Tier> {
        let proxied = [Tier::Datacenter, Tier::Residential, Tier::Isp];
        let mut tiers: Vec<Tier> = proxied.into_iter().filter(|tier| self.upstream_for(*tier).is_some()).collect();
        if !self.skip_direct || tiers.is_empty() {
            tiers.insert(0, Tier::Direct);
        }
        if !self.enabled {
            tiers.truncate(1);
        }
        tiers
    }
}

/// How an attempt ended.
#[derive(Debug, Clone, Copy)]
pub enum Outcome<'a> {
    Answered(u16),
    /// A 401 to a plain HTTP request. It may be the site's own, or that of an
    /// HTTP proxy: tinyproxy gives it, instead of 407, to a wrong password.
    Unauthorized,
    Failed(&'a EgressError),
    /// It took too long, whatever it was that did.
    Late,
    /// It failed for reasons that no tier changes and that say nothing of one.
    Unrelated,
}

impl Outcome<'_> {
    /// The outcome of an answer from `url`.
    pub fn answered(status: u16, url: &Url) -> Self {
        if status == 401 && url.scheme() == "http" { Self::Unauthorized } else { Self::Answered(status) }
    }
}

/// Where one page stands among the tiers.
#[derive(Debug)]
pub struct Ladder<'a> {
    config: &'a ProxyConfig,
    tiers: Vec<Tier>,
    rung: usize,
    retries: u32,
}

impl<'a> Ladder<'a> {
    /// Returns a ladder at `start`, or at the cheapest tier. The tiers below
    /// `start` come last: a proxy that has died since must not cost the page.
    pub fn new(config: &'a ProxyConfig, start: Option<Tier>) -> Self {
        let mut tiers = config.tiers();
        let first = start.and_then(|start| tiers.iter().position(|tier| *tier == start));
        tiers.rotate_left(first.unwrap_or_default());
        Self { config, tiers, rung: 0, retries: 0 }
    }

    /// The tier to try now.
    pub fn tier(&self) -> Tier {
        self.tiers[self.rung]
    }

    /// How long the attempt may take; `None` on the last tier, where giving up
    /// early would win nothing.
    pub fn limit(&self) -> Option<Duration> {
        (self.rung + 1 < self.tiers.len()).then_some(self.config.request_timeout)
    }

    /// Whether the tier got the site to answer, be it that there is no such page.
    pub fn is_served(&self, outcome: Outcome<'_>) -> bool {
        match outcome {
            Outcome::Answered(status) => !self.config.escalation_status_codes.contains(&status),
            Outcome::Unauthorized => !self.may_be_proxys_own(),
            Outcome::Failed(_) | Outcome::Late | Outcome::Unrelated => false,
        }
    }

    /// Moves to the attempt after `outcome`; `None` when that outcome stands.
    ///
    /// A retry must be able to end otherwise. A proxy leaves by another address
    /// each time, so all that its tier refuses is tried again. The direct way
    /// has one address: only a broken connection is worth one more attempt. A
    /// time-out has cost too much to be waited for again on the same tier, and
    /// credentials stay wrong. What fails in TLS behind a proxy may be its doing.
    pub fn next(&mut self, outcome: Outcome<'_>) -> Option<Tier> {
        let direct = self.tier() == Tier::Direct;
        let retries = match outcome {
            served if self.is_served(served) => return None,
            Outcome::Answered(_) if direct => 0,
            Outcome::Unauthorized | Outcome::Late | Outcome::Failed(EgressError::Timeout(_)) => 0,
            Outcome::Failed(EgressError::Tls(_)) if !direct => 0,
            Outcome::Failed(EgressError::Refused(_)) if direct => self.config.max_retries_per_tier.min(1),
            Outcome::Answered(_) | Outcome::Failed(EgressError::Refused(_)) => self.config.max_retries_per_tier,
            Outcome::Failed(_) | Outcome::Unrelated => return None,
        };
        if self.retries < retries {
            self.retries += 1;
        } else if self.rung + 1 < self.tiers.len() {
            self.rung += 1;
            self.retries = 0;
        } else {
            return None;
        }
        Some(self.tier())
    }

    fn may_be_proxys_own(&self) -> bool {
        self.config.upstream_for(self.tier()).is_some_and(Upstream::is_http)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_proxies() -> ProxyConfig {
        let upstream = |name: &str| Some(format!("http://{name}.example:8080").parse().unwrap());
        ProxyConfig { datacenter: upstream("dc"), isp: upstream("isp"), ..ProxyConfig::default() }
    }

    /// The tiers tried when every attempt ends the same way.
    fn tried(config: &ProxyConfig, outcome: Outcome<'_>) -> Vec<Tier> {
        let mut ladder = Ladder::new(config, None);
        let mut tried = vec![ladder.tier()];
        while let Some(tier) = ladder.next(outcome) {
            tried.push(tier);
        }
        tried
    }

    #[test]
    fn a_refusing_answer_climbs_at_once_from_direct_and_after_retries_from_proxies() {
        use Tier::{Datacenter, Direct, Isp};
        let all = [Direct, Datacenter, Datacenter, Datacenter, Isp, Isp, Isp];
        assert_eq!(tried(&with_proxies(), Outcome::Answered(403)), all);
        assert_eq!(tried(&with_proxies(), Outcome::Answered(404)), [Direct]);
    }

    #[test]
    fn a_time_out_climbs_and_a_broken_connection_is_tried_again() {
        use Tier::{Datacenter, Direct, Isp};
        let timeout = EgressError::Timeout("shop.test".to_owned());
        assert_eq!(tried(&with_proxies(), Outcome::Failed(&timeout)), [Direct, Datacenter, Isp]);
        let refused = EgressError::Refused("shop.test".to_owned());
        assert_eq!(tried(&ProxyConfig::default(), Outcome::Failed(&refused)), [Direct, Direct]);
        let none = ProxyConfig { max_retries_per_tier: 0, ..ProxyConfig::default() };
        assert_eq!(tried(&none, Outcome::Failed(&refused)), [Direct]);
    }

    #[test]
    fn a_remembered_tier_comes_first_and_those_below_it_last() {
        use Tier::{Datacenter, Direct, Isp};
        let config = ProxyConfig { max_retries_per_tier: 0, ..with_proxies() };
        let order = |start| {
            let mut ladder = Ladder::new(&config, start);
            let mut order = vec![ladder.tier()];
            order.extend(std::iter::from_fn(|| ladder.next(Outcome::Late)));
            order
        };
        assert_eq!(order(None), [Direct, Datacenter, Isp]);
        assert_eq!(order(Some(Datacenter)), [Datacenter, Isp, Direct]);
        assert_eq!(order(Some(Isp)), [Isp, Direct, Datacenter]);
        assert_eq!(order(Some(Tier::Residential)), [Direct, Datacenter, Isp], "there is no such tier any more");
    }

    #[test]
    fn only_an_attempt_that_can_be_followed_by_another_tier_has_a_limit() {
        let limited = with_proxies();
        let mut ladder = Ladder::new(&limited, None);
        let mut limits = vec![ladder.limit().is_some()];
        while ladder.next(Outcome::Late).is_some() {
            limits.push(ladder.limit().is_some());
        }
        assert_eq!(limits, [true, true, false]);
        assert_eq!(Ladder::new(&ProxyConfig::default(), None).limit(), None);
    }

    #[test]
    fn a_401_is_doubted_only_where_an_http_proxy_may_have_given_it() {
        use Tier::{Datacenter, Direct, Isp};
        let outcome = |url: &str| Outcome::answered(401, &url.parse().unwrap());
        let skipping = ProxyConfig { skip_direct: true, ..with_proxies() };
        assert_eq!(tried(&skipping, outcome("http://shop.test/")), [Datacenter, Isp], "without retries");
        assert_eq!(tried(&skipping, outcome("https://shop.test/")), [Datacenter], "it came through a tunnel");
        assert_eq!(tried(&with_proxies(), outcome("http://shop.test/")), [Direct]);
        let socks = ProxyConfig { datacenter: "socks5://dc.example".parse().ok(), ..skipping };
        assert_eq!(tried(&socks, outcome("http://shop.test/")), [Datacenter]);
        assert!(!Ladder::new(&with_proxies(), Some(Isp)).is_served(outcome("http://shop.test/")));
    }

    #[test]
    fn tls_that_fails_behind_a_proxy_may_be_the_proxys_doing() {
        use Tier::{Datacenter, Direct, Isp};
        let tls = EgressError::Tls("shop.test".to_owned());
        assert_eq!(tried(&with_proxies(), Outcome::Failed(&tls)), [Direct]);
        let skipping = ProxyConfig { skip_direct: true, ..with_proxies() };
        assert_eq!(tried(&skipping, Outcome::Failed(&tls)), [Datacenter, Isp]);
    }

    #[test]
    fn what_no_proxy_can_change_stands() {
        for error in [
            EgressError::PrivateAddress(String::new()),
            EgressError::Dns(String::new()),
            EgressError::Tls(String::new()),
            EgressError::TooLarge(String::new()),
            EgressError::Redirects(String::new()),
            EgressError::BadUrl(String::new()),
        ] {
            assert_eq!(tried(&with_proxies(), Outcome::Failed(&error)), [Tier::Direct], "{error:?}");
        }
    }

    #[test]
    fn the_switches_choose_the_tiers() {
        use Tier::{Datacenter, Direct, Isp};
        assert_eq!(with_proxies().tiers(), [Direct, Datacenter, Isp]);
        assert_eq!(ProxyConfig { skip_direct: true, ..with_proxies() }.tiers(), [Datacenter, Isp]);
        assert_eq!(ProxyConfig { enabled: false, ..with_proxies() }.tiers(), [Direct]);
        assert_eq!(ProxyConfig { enabled: false, skip_direct: true, ..with_proxies() }.tiers(), [Datacenter]);
        assert_eq!(ProxyConfig { skip_direct: true, ..ProxyConfig::default() }.tiers(), [Direct]);
    }
}
