//! Decides, without I/O, which tier is tried next.

use std::time::Duration;

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
    /// After this an attempt counts as failed.
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
    Failed(&'a EgressError),
}

/// Where one fetch stands among the tiers.
#[derive(Debug)]
pub struct Ladder<'a> {
    config: &'a ProxyConfig,
    tiers: Vec<Tier>,
    rung: usize,
    retries: u32,
}

impl<'a> Ladder<'a> {
    /// Returns a ladder at its first tier.
    pub fn new(config: &'a ProxyConfig) -> Self {
        Self { config, tiers: config.tiers(), rung: 0, retries: 0 }
    }

    /// The tier to try now.
    pub fn tier(&self) -> Tier {
        self.tiers[self.rung]
    }

    /// Moves to the attempt after `outcome`; `None` when that outcome stands.
    ///
    /// A retry must be able to end otherwise. A proxy leaves by another address
    /// each time, so all that its tier refuses is tried again. The direct way
    /// has one address: only a broken connection is worth one more attempt. A
    /// time-out has cost too much to be waited for again on the same tier.
    pub fn next(&mut self, outcome: Outcome<'_>) -> Option<Tier> {
        let retries = match (outcome, self.tier()) {
            (Outcome::Answered(status), _) if !self.config.escalation_status_codes.contains(&status) => return None,
            (Outcome::Answered(_), Tier::Direct) | (Outcome::Failed(EgressError::Timeout(_)), _) => 0,
            (Outcome::Failed(EgressError::Refused(_)), Tier::Direct) => self.config.max_retries_per_tier.min(1),
            (Outcome::Answered(_) | Outcome::Failed(EgressError::Refused(_)), _) => self.config.max_retries_per_tier,
            (Outcome::Failed(_), _) => return None,
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
        let mut ladder = Ladder::new(config);
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
