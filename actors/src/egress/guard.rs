use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use futures::stream::FuturesUnordered;
use tokio::net::TcpStream;
use tokio::time::timeout;
use url::Host;

use super::dns::Dns;
use super::own_sockets::OwnSockets;
use super::socks::Destination;
use super::upstream::Protocol;
use super::{AddressPolicy, EgressError, HostMap, Mapped, Upstream, Verdict, port_allowed, verdict};

/// How long one address has to accept a connection.
pub(super) const DIAL_LIMIT: Duration = Duration::from_secs(5);
/// How long an address is tried alone, when there are more.
const HEAD_START: Duration = Duration::from_millis(250);
/// Addresses of one name that are dialled at all; a name may have thousands.
const MOST_DIALLED: usize = 16;

/// Judges targets, resolves names and dials: the core under every client.
pub(super) struct Guard {
    pub policy: AddressPolicy,
    pub hosts: HostMap,
    pub own: Arc<OwnSockets>,
    pub dns: Dns,
}

/// Parses a host as browsers do, so that `0x7f.1` is 127.0.0.1 and IPv6 may
/// stand in brackets. A zone (`fe80::1%eth0`) is not part of a URL's address.
pub(super) fn parse_host(host: &str) -> Result<Host, EgressError> {
    Host::parse(host).map_err(|_| EgressError::BadUrl("the host is not a name or an address".to_owned()))
}

impl Guard {
    /// As [`super::Egress::check_url`], for a host and port.
    pub(super) fn check(&self, host: &Host, port: u16) -> Result<(), EgressError> {
        match self.known_socket(host, port)? {
            Some(socket) => self.judge_socket(socket, host),
            None => Ok(()),
        }
    }

    /// As [`super::Egress::resolve`].
    pub(super) async fn resolve(&self, host: &Host, port: u16) -> Result<Vec<SocketAddr>, EgressError> {
        let sockets = match (self.known_socket(host, port)?, host) {
            (Some(socket), _) => vec![socket],
            (None, Host::Domain(name)) => {
                self.dns.lookup(name).await?.into_iter().map(|ip| SocketAddr::new(ip, port)).collect()
            }
            (None, _) => Vec::new(),
        };
        for socket in &sockets {
            self.judge_socket(*socket, host)?;
        }
        Ok(sockets)
    }

    /// The checked addresses of a name or address, for a client that knows the port
    /// itself and cannot tell it.
    pub(super) async fn addresses(&self, name: &str) -> Result<Vec<IpAddr>, EgressError> {
        let addresses = match parse_host(name)? {
            Host::Ipv4(ip) => vec![IpAddr::V4(ip)],
            Host::Ipv6(ip) => vec![IpAddr::V6(ip)],
            Host::Domain(_) => {
                refuse_localhost(name)?;
                match self.hosts.address(name) {
                    Some(address) => vec![address],
                    None => self.dns.lookup(name).await?,
                }
            }
        };
        for address in &addresses {
            self.judge_address(*address, name)?;
        }
        Ok(addresses)
    }

    /// As [`super::Egress::connect`].
    pub(super) async fn connect(&self, host: &Host, port: u16) -> Result<TcpStream, EgressError> {
        dial(&self.resolve(host, port).await?, &host.to_string()).await
    }

    /// A connection to the operator's own proxy, on behalf of `target`, which
    /// errors name. The proxy is not judged: the operator named it, and it often
    /// stands in a private network.
    pub(super) async fn connect_upstream(&self, upstream: &Upstream, target: &str) -> Result<TcpStream, EgressError> {
        let connecting = async {
            let sockets: Vec<_> = self.upstream_addresses(upstream).await?;
            dial(&sockets, target).await
        };
        connecting.await.map_err(|error| {
            tracing::warn!(%upstream, reason = error.reason(), "a proxy cannot be reached");
            match error {
                EgressError::Timeout(_) => EgressError::Timeout(target.to_owned()),
                _ => EgressError::Refused(target.to_owned()),
            }
        })
    }

    async fn upstream_addresses(&self, upstream: &Upstream) -> Result<Vec<SocketAddr>, EgressError> {
        let addresses = match &upstream.host {
            Host::Domain(name) => self.dns.lookup(name).await?,
            Host::Ipv4(ip) => vec![IpAddr::V4(*ip)],
            Host::Ipv6(ip) => vec![IpAddr::V6(*ip)],
        };
        Ok(addresses.into_iter().map(|ip| SocketAddr::new(ip, upstream.port)).collect())
    }

    /// What a SOCKS proxy is to connect to, judged as far as it can be here.
    pub(super) async fn destination(
        &self,
        upstream: &Upstream,
        host: &Host,
        port: u16,
    ) -> Result<Destination, EgressError> {
        match host {
            Host::Domain(name) if upstream.protocol == Protocol::Socks5h => {
                self.check_for_upstream(host, port).await?;
                Ok(Destination::Name(name.clone(), port))
            }
            _ => {
                let sockets = self.resolve(host, port).await?;
                // More proxies lack IPv6 than IPv4.
                let socket = sockets.into_iter().min_by_key(SocketAddr::is_ipv6);
                socket.map(Destination::Socket).ok_or_else(|| EgressError::Dns(host.to_string()))
            }
        }
    }

    /// Refuses what must not be asked of an upstream proxy either: it may stand
    /// in our network. A name that does not resolve here is left to it, for it
    /// may know more names than we do.
    pub(super) async fn check_for_upstream(&self, host: &Host, port: u16) -> Result<(), EgressError> {
        match self.resolve(host, port).await {
            Ok(_) | Err(EgressError::Dns(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// The socket that is known without DNS: of a mapped name or an address.
    fn known_socket(&self, host: &Host, port: u16) -> Result<Option<SocketAddr>, EgressError> {
        let literal = match host {
            Host::Domain(name) => {
                refuse_localhost(name)?;
                match self.hosts.lookup(name, port) {
                    Some(Mapped::To(socket)) => return Ok(Some(socket)),
                    Some(Mapped::PortClosed) => return Err(EgressError::Refused(name.clone())),
                    None => None,
                }
            }
            Host::Ipv4(ip) => Some(SocketAddr::new(IpAddr::V4(*ip), port)),
            Host::Ipv6(ip) => Some(SocketAddr::new(IpAddr::V6(*ip), port)),
        };
        if !port_allowed(port) {
            return Err(EgressError::BadUrl(format!("port {port} cannot be fetched")));
        }
        Ok(literal)
    }

    pub(super) fn judge_socket(&self, socket: SocketAddr, host: &Host) -> Result<(), EgressError> {
        let name = host.to_string();
        if self.own.contains(socket) {
            return Err(EgressError::PrivateAddress(name));
        }
        self.judge_address(socket.ip(), &name)
    }

    fn judge_address(&self, ip: IpAddr, name: &str) -> Result<(), EgressError> {
        match verdict(ip, &self.policy) {
            Verdict::Allowed => Ok(()),
            Verdict::Denied => Err(EgressError::PrivateAddress(name.to_owned())),
        }
    }
}

/// RFC 6761: these names are this machine, whatever a resolver says.
fn refuse_localhost(name: &str) -> Result<(), EgressError> {
    let bare = name.strip_suffix('.').unwrap_or(name);
    if bare == "localhost" || bare.ends_with(".localhost") {
        return Err(EgressError::PrivateAddress(name.to_owned()));
    }
    Ok(())
}

/// Tries the sockets in order, each with a head start over the next (RFC 8305):
/// one that is silent costs little, one that refuses costs nothing.
async fn dial(sockets: &[SocketAddr], name: &str) -> Result<TcpStream, EgressError> {
    let mut failure = EgressError::Refused(name.to_owned());
    let mut waiting = sockets.iter().take(MOST_DIALLED);
    let mut dialling = FuturesUnordered::new();
    loop {
        dialling.extend(waiting.next().map(|socket| dial_one(*socket, name)));
        match timeout(HEAD_START, dialling.next()).await {
            Ok(Some(Ok(stream))) => return Ok(stream),
            Ok(Some(Err(error))) => failure = error,
            Ok(None) => return Err(failure),
            Err(_) => {}
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "the one place that dials: its addresses have been judged")]
async fn dial_one(socket: SocketAddr, name: &str) -> Result<TcpStream, EgressError> {
    let refused = |_| EgressError::Refused(name.to_owned());
    let dialled = timeout(DIAL_LIMIT, TcpStream::connect(socket)).await;
    let stream = dialled.map_err(|_| EgressError::Timeout(name.to_owned()))?.map_err(refused)?;
    stream.set_nodelay(true).map_err(refused)?;
    Ok(stream)
}

#[cfg(test)]
mod tests {
    use crate::egress::testing::{NameServer, Site, config, egress};
    use crate::egress::{Egress, EgressError};

    fn private(host: &str) -> EgressError {
        EgressError::PrivateAddress(host.to_owned())
    }

    #[tokio::test]
    async fn one_private_answer_refuses_all_of_them() {
        let canary = Site::canary().await;
        let records: &[(&str, &[&str])] = &[
            ("mixed.test", &["1.1.1.1", "8.8.8.8", "127.0.0.1"]),
            ("six.test", &["1.1.1.1", "::1"]),
            ("mapped.test", &["::ffff:10.0.0.1"]),
            ("public.test", &["1.1.1.1", "2606:4700::1111"]),
        ];
        let server = NameServer::start(records).await;
        let config = crate::egress::EgressConfig { nameservers: vec![server.address], ..Default::default() };
        let egress = Egress::new(config).unwrap();
        let port = canary.address.port();
        for name in ["mixed.test", "six.test", "mapped.test"] {
            assert_eq!(egress.connect(name, port).await.err(), Some(private(name)));
        }
        let sockets = egress.resolve("public.test", 443).await.unwrap();
        assert_eq!(sockets, ["1.1.1.1:443".parse().unwrap(), "[2606:4700::1111]:443".parse().unwrap()]);
        assert_eq!(canary.connections(), 0);
    }

    #[tokio::test]
    async fn every_spelling_of_a_private_address_is_seen_through() {
        let egress = egress("127.0.0.2/32", "");
        for url in [
            "http://127.1/",
            "http://2130706433/",
            "http://0x7f000001/",
            "http://0x7f.1/",
            "http://0177.0.0.1/",
            "http://017700000001/",
            "http://0/",
            "http://127.0.0.1./",
            "http://%31%32%37.0.0.1/",
            "http://\u{ff11}\u{ff12}\u{ff17}.0.0.1/",
            "http://\u{2460}\u{2461}\u{2466}.0.0.1/",
            "http://[::ffff:7f00:1]/",
            "http://[::127.0.0.1]/",
            "http://localhost/",
            "http://LOCALHOST./",
            "http://foo.localhost/",
            "http://127.0.0.1:6666\\@1.1.1.1/",
            "http://2852039166/",
        ] {
            let refused = egress.check_url(&url.parse().unwrap());
            let expected = if url.contains("6666") { "bad_url" } else { "private_address" };
            assert_eq!(refused.map_err(|error| error.reason()), Err(expected), "{url}");
        }
        assert!("http://[fe80::1%25eth0]/".parse::<url::Url>().is_err());
        assert!(matches!(egress.resolve("[fe80::1%eth0]", 80).await, Err(EgressError::BadUrl(_))));
    }

    #[test]
    fn urls_that_are_not_plain_web_addresses_are_refused() {
        let egress = egress("127.0.0.2/32", "shop.test=127.0.0.2:8080,wrong.test=127.0.0.1:8080");
        let reason = |url: &str| egress.check_url(&url.parse().unwrap()).map_err(|error| error.reason());
        for url in
            ["ftp://example.com/", "file:///etc/passwd", "data:,x", "http://a@example.com/", "http://:b@example.com/"]
        {
            assert_eq!(reason(url), Err("bad_url"), "{url}");
        }
        assert_eq!(reason("http://example.com:22/"), Err("bad_url"));
        assert_eq!(reason("http://127.0.0.2:6379/"), Err("bad_url"), "an allowed network does not open every port");
        assert_eq!(reason("https://example.com/"), Ok(()));
        assert_eq!(reason("http://shop.test/"), Ok(()));
        assert_eq!(reason("https://shop.test/"), Err("refused"));
        assert_eq!(reason("http://wrong.test/"), Err("private_address"), "a map does not open a network");
    }

    #[tokio::test]
    async fn own_sockets_stay_closed_inside_an_allowed_network_and_behind_a_name() {
        let site = Site::serve("127.0.0.2", |_| crate::egress::testing::text(200, "")).await;
        let mut config = config("127.0.0.0/8", &format!("api.test={}", site.address));
        config.own_sockets = vec![site.address];
        let egress = Egress::new(config).unwrap();
        assert_eq!(egress.connect("127.0.0.2", site.address.port()).await.err(), Some(private("127.0.0.2")));
        assert_eq!(egress.connect("api.test", 80).await.err(), Some(private("api.test")));
        assert_eq!(site.connections(), 0);
    }
}
