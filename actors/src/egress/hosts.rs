//! The operator's own answers to "where does this name lead".

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

use url::Host;

/// Names that lead to one given socket each, in place of DNS. Parsed from
/// `EGRESS_HOSTS`: comma-separated `host=addr:port` (for port 80) and
/// `host:443=addr:port`.
///
/// A mapped address must still pass the verdict. The port on the right is the
/// operator's word and may be any; a port of a mapped host that has no entry
/// is refused.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HostMap {
    hosts: BTreeMap<String, Entry>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    address: IpAddr,
    /// Requested port to port at `address`.
    ports: BTreeMap<u16, u16>,
}

/// Where a name leads according to a [`HostMap`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mapped {
    /// To this socket.
    To(SocketAddr),
    /// The name is mapped, this port of it is not.
    PortClosed,
}

/// Why a text is not a [`HostMap`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{entry}`: {problem}; write for example `shop.test=127.0.0.2:8080,shop.test:443=127.0.0.2:8443`")]
pub struct HostMapError {
    entry: String,
    problem: &'static str,
}

impl HostMap {
    /// Where `host` leads at `port`; `None` when the name is not mapped. The
    /// name is expected as [`Host::parse`] gives it; a final dot is ignored.
    pub fn lookup(&self, host: &str, port: u16) -> Option<Mapped> {
        let entry = self.entry(host)?;
        Some(match entry.ports.get(&port) {
            Some(mapped) => Mapped::To(SocketAddr::new(entry.address, *mapped)),
            None => Mapped::PortClosed,
        })
    }

    /// The one address of a mapped name, whatever the port.
    pub fn address(&self, host: &str) -> Option<IpAddr> {
        self.entry(host).map(|entry| entry.address)
    }

    fn entry(&self, host: &str) -> Option<&Entry> {
        self.hosts.get(host.strip_suffix('.').unwrap_or(host))
    }

    fn insert(&mut self, text: &str) -> Result<(), &'static str> {
        let (left, right) = text.split_once('=').ok_or("there is no `=`")?;
        let (name, port) = match left.trim().rsplit_once(':') {
            Some((name, port)) => (name, port.parse().map_err(|_| "the port on the left is not a number up to 65535")?),
            None => (left.trim(), 80),
        };
        let Ok(Host::Domain(name)) = Host::parse(name) else {
            return Err("the left side is not a host name");
        };
        let target: SocketAddr = right.trim().parse().map_err(|_| "the right side is not `address:port`")?;
        if port == 0 || target.port() == 0 {
            return Err("a port cannot be 0");
        }
        let name = name.strip_suffix('.').unwrap_or(&name).to_owned();
        let entry = self.hosts.entry(name).or_insert_with(|| Entry { address: target.ip(), ports: BTreeMap::new() });
        if entry.address != target.ip() {
            return Err("all entries of one host must share one address");
        }
        match entry.ports.insert(port, target.port()) {
            Some(_) => Err("this host and port are mapped twice"),
            None => Ok(()),
        }
    }
}

impl FromStr for HostMap {
    type Err = HostMapError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut map = Self::default();
        for entry in text.split(',').map(str::trim).filter(|entry| !entry.is_empty()) {
            map.insert(entry).map_err(|problem| HostMapError { entry: entry.to_owned(), problem })?;
        }
        Ok(map)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn to(socket: &str) -> Option<Mapped> {
        Some(Mapped::To(socket.parse().unwrap()))
    }

    #[test]
    fn an_entry_without_a_port_maps_80_and_leaves_443_closed() {
        let map: HostMap = "Shop.Test=127.0.0.2:8080".parse().unwrap();
        assert_eq!(map.lookup("shop.test", 80), to("127.0.0.2:8080"));
        assert_eq!(map.lookup("shop.test.", 80), to("127.0.0.2:8080"));
        assert_eq!(map.lookup("shop.test", 443), Some(Mapped::PortClosed));
        assert_eq!(map.lookup("www.shop.test", 80), None);
    }

    #[test]
    fn ports_unicode_names_and_ipv6_addresses_are_understood() {
        let map: HostMap = " a.test=[::1]:81 , a.test:443=[::1]:444,bücher.test=10.0.0.1:80, ".parse().unwrap();
        assert_eq!(map.lookup("a.test", 443), to("[::1]:444"));
        assert_eq!(map.lookup("xn--bcher-kva.test", 80), to("10.0.0.1:80"));
        assert_eq!(map.address("a.test"), Some("::1".parse().unwrap()));
    }

    #[test]
    fn what_cannot_be_meant_is_refused_with_the_entry_and_an_example() {
        for (text, problem) in [
            ("shop.test", "no `=`"),
            ("shop.test=10.0.0.1", "not `address:port`"),
            ("shop.test=other.test:80", "not `address:port`"),
            ("shop.test:http=10.0.0.1:80", "port on the left"),
            ("10.0.0.2=10.0.0.1:80", "not a host name"),
            ("shop.test=10.0.0.1:0", "cannot be 0"),
            ("shop.test=10.0.0.1:80,shop.test:443=10.0.0.2:443", "share one address"),
            ("shop.test=10.0.0.1:80,SHOP.test:80=10.0.0.1:81", "mapped twice"),
        ] {
            let error = text.parse::<HostMap>().unwrap_err().to_string();
            assert!(error.contains(problem) && error.contains("for example"), "{text}: {error}");
        }
        assert_eq!("".parse(), Ok(HostMap::default()));
    }
}
