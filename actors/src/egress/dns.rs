use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use hickory_resolver::TokioResolver;
use hickory_resolver::config::{LookupIpStrategy, NameServerConfig, ResolverConfig, ResolverOpts};
use hickory_resolver::net::NetError;
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use hickory_resolver::proto::rr::Name;
use tokio::time::timeout;

use super::{EgressError, EgressSetupError};

/// How long one look-up may take, all attempts at all servers included.
const LOOKUP_LIMIT: Duration = Duration::from_secs(5);
const ATTEMPT_LIMIT: Duration = Duration::from_secs(2);
/// A change of a site's addresses is noticed within this time, whatever TTL
/// its records claim.
const LONGEST_TTL: Duration = Duration::from_secs(300);
const LONGEST_NEGATIVE_TTL: Duration = Duration::from_secs(10);

/// Asks the name servers for all addresses of a name, both families.
pub(super) struct Dns {
    resolver: TokioResolver,
}

impl Dns {
    /// Returns a resolver that asks `servers`, or the system's when empty.
    pub(super) fn new(servers: &[SocketAddr]) -> Result<Self, EgressSetupError> {
        let mut builder = if servers.is_empty() {
            TokioResolver::builder_tokio().unwrap_or_else(|error| {
                tracing::warn!(%error, "no name servers are configured, only mapped names will resolve");
                builder_for(&[])
            })
        } else {
            builder_for(servers)
        };
        limit(builder.options_mut());
        let resolver = builder.build().map_err(|error| EgressSetupError::Resolver(error.to_string()))?;
        Ok(Self { resolver })
    }

    /// All addresses of `name`, IPv4 first; never empty.
    ///
    /// # Errors
    /// [`EgressError::Dns`] when there is none, or no server that answers.
    pub(super) async fn lookup(&self, name: &str) -> Result<Vec<IpAddr>, EgressError> {
        let failed = || EgressError::Dns(name.to_owned());
        if never_resolves(name) {
            return Err(failed());
        }
        let mut absolute = Name::from_ascii(name).map_err(|_| failed())?;
        // An absolute name is not tried again under the search list, which
        // would turn `intranet` into `intranet.corp.example`.
        absolute.set_fqdn(true);
        let answer = timeout(LOOKUP_LIMIT, self.resolver.lookup_ip(absolute)).await;
        let found = answer.unwrap_or(Err(NetError::Timeout)).map_err(|error| {
            if !error.is_no_records_found() {
                tracing::debug!(name, %error, "the name servers fail");
            }
            failed()
        })?;
        let mut addresses: Vec<IpAddr> = found.iter().collect();
        addresses.sort_by_key(IpAddr::is_ipv6);
        if addresses.is_empty() { Err(failed()) } else { Ok(addresses) }
    }
}

/// RFC 6761 and RFC 7686: names under these do not exist in DNS, and asking
/// for the latter would tell the name server who is looked for.
fn never_resolves(name: &str) -> bool {
    let bare = name.strip_suffix('.').unwrap_or(name);
    matches!(bare.rsplit('.').next(), Some("invalid" | "onion"))
}

fn builder_for(servers: &[SocketAddr]) -> hickory_resolver::ResolverBuilder<TokioRuntimeProvider> {
    let servers = servers.iter().map(|server| {
        let mut config = NameServerConfig::udp_and_tcp(server.ip());
        for connection in &mut config.connections {
            connection.port = server.port();
        }
        config
    });
    let config = ResolverConfig::from_name_servers(servers.collect());
    TokioResolver::builder_with_config(config, TokioRuntimeProvider::default())
}

fn limit(options: &mut ResolverOpts) {
    options.timeout = ATTEMPT_LIMIT;
    options.attempts = 2;
    options.ip_strategy = LookupIpStrategy::Ipv4AndIpv6;
    options.cache_size = 4096;
    options.positive_max_ttl = Some(LONGEST_TTL);
    options.negative_max_ttl = Some(LONGEST_NEGATIVE_TTL);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::egress::testing::NameServer;

    #[tokio::test]
    async fn both_families_come_back_ipv4_first_and_the_rest_does_not_resolve() {
        let server = NameServer::start(&[("two.test", &["2606:4700::1111", "1.1.1.1"])]).await;
        let dns = Dns::new(&[server.address]).unwrap();
        let found = dns.lookup("two.test").await.unwrap();
        assert_eq!(found, ["1.1.1.1".parse::<IpAddr>().unwrap(), "2606:4700::1111".parse().unwrap()]);
        for name in ["absent.test", "shop.invalid", "abc.onion."] {
            assert_eq!(dns.lookup(name).await, Err(EgressError::Dns(name.to_owned())));
        }
    }
}
