//! Decides, without I/O, which addresses and ports may be reached.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::{IpNet, Ipv4Net, Ipv6Net};

/// Whether an address may be reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Allowed,
    /// Private, reserved, or otherwise not a public host.
    Denied,
}

/// What the operator permits beyond the public internet.
#[derive(Debug, Clone, Default)]
pub struct AddressPolicy {
    /// Networks that may be reached although the tables deny them.
    pub allow_cidrs: Vec<IpNet>,
}

/// IANA's special-purpose registry (RFC 6890 and its successors), multicast,
/// class E, and one public address: 168.63.129.16 answers inside every Azure
/// machine with that machine's own configuration.
const DENIED_V4: [Ipv4Net; 19] = [
    v4(0, 0, 0, 0, 8),
    v4(10, 0, 0, 0, 8),
    v4(100, 64, 0, 0, 10),
    v4(127, 0, 0, 0, 8),
    v4(168, 63, 129, 16, 32),
    v4(169, 254, 0, 0, 16),
    v4(172, 16, 0, 0, 12),
    v4(192, 0, 0, 0, 24),
    v4(192, 0, 2, 0, 24),
    v4(192, 31, 196, 0, 24),
    v4(192, 52, 193, 0, 24),
    v4(192, 88, 99, 0, 24),
    v4(192, 168, 0, 0, 16),
    v4(192, 175, 48, 0, 24),
    v4(198, 18, 0, 0, 15),
    v4(198, 51, 100, 0, 24),
    v4(203, 0, 113, 0, 24),
    v4(224, 0, 0, 0, 4),
    v4(240, 0, 0, 0, 4),
];

/// The only IPv6 space that is public: global unicast. Everything outside it
/// (loopback, link-local, unique-local, NAT64, multicast …) needs no entry.
const GLOBAL_V6: Ipv6Net = v6([0x2000, 0, 0, 0], 3);

/// What is not public within [`GLOBAL_V6`]. Protocol assignments come first,
/// Teredo among them; 6to4 is third, since both carry an IPv4 address that
/// may be private.
const DENIED_V6: [Ipv6Net; 5] = [
    v6([0x2001, 0, 0, 0], 23),
    v6([0x2001, 0xdb8, 0, 0], 32),
    v6([0x2002, 0, 0, 0], 16),
    v6([0x3fff, 0, 0, 0], 20),
    v6([0x2620, 0x4f, 0x8000, 0], 48),
];

/// Ports from 1024 up that no web server has any business on: the bad ports of
/// the Fetch standard, then databases, caches, queues, remote desktops and
/// cluster control planes. All are below Linux's ephemeral range.
const DENIED_PORTS: [u16; 54] = [
    1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
    1433, 1521, 2181, 2375, 2376, 2377, 2379, 2380, 3306, 3389, 4369, 5432, 5433, 5671, 5672, 5900, 5984, 5985, 5986,
    6379, 6380, 6443, 7000, 7001, 9042, 9092, 9200, 9300, 10250, 10255, 11211, 26379, 27017, 27018, 27019,
];

const fn v4(a: u8, b: u8, c: u8, d: u8, prefix: u8) -> Ipv4Net {
    Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, d), prefix)
}

const fn v6(head: [u16; 4], prefix: u8) -> Ipv6Net {
    Ipv6Net::new_assert(Ipv6Addr::new(head[0], head[1], head[2], head[3], 0, 0, 0, 0), prefix)
}

/// Decides whether `ip` may be reached. An IPv4 address in IPv6 clothes
/// (`::ffff:a.b.c.d`) is judged as the IPv4 address it is.
pub fn verdict(ip: IpAddr, policy: &AddressPolicy) -> Verdict {
    let ip = ip.to_canonical();
    let public = match ip {
        IpAddr::V4(ip) => !DENIED_V4.iter().any(|network| network.contains(&ip)),
        IpAddr::V6(ip) => GLOBAL_V6.contains(&ip) && !DENIED_V6.iter().any(|network| network.contains(&ip)),
    };
    if public || policy.allow_cidrs.iter().any(|network| network.contains(&ip)) {
        Verdict::Allowed
    } else {
        Verdict::Denied
    }
}

/// Whether a URL may name this port: 80, 443, and from 1024 up whatever is not
/// on the deny list. [`AddressPolicy::allow_cidrs`] does not widen this, so
/// opening a private range to fetches does not open its databases; only an
/// `EGRESS_HOSTS` entry, which names one socket, leads to any other port.
pub fn port_allowed(port: u16) -> bool {
    matches!(port, 80 | 443) || (port >= 1024 && !DENIED_PORTS.contains(&port))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(address: &str, allow: &[&str]) -> Verdict {
        let policy = AddressPolicy { allow_cidrs: allow.iter().map(|network| network.parse().unwrap()).collect() };
        verdict(address.parse().unwrap(), &policy)
    }

    #[test]
    fn private_and_reserved_ipv4_addresses_are_denied_to_the_edges() {
        for address in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.0",
            "10.255.255.255",
            "100.64.0.1",
            "100.100.100.200",
            "100.127.255.254",
            "127.0.0.1",
            "127.255.255.254",
            "168.63.129.16",
            "169.254.169.254",
            "172.16.0.0",
            "172.31.255.255",
            "192.0.0.192",
            "192.0.2.1",
            "192.31.196.1",
            "192.52.193.1",
            "192.88.99.1",
            "192.168.0.1",
            "192.168.255.255",
            "192.175.48.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.7",
            "203.0.113.9",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.255",
        ] {
            assert_eq!(judge(address, &[]), Verdict::Denied, "{address}");
        }
    }

    #[test]
    fn ipv6_addresses_outside_public_unicast_are_denied() {
        for address in [
            "::",
            "::1",
            "::127.0.0.1",
            "::ffff:127.0.0.1",
            "::ffff:7f00:1",
            "::ffff:169.254.169.254",
            "::ffff:0:127.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b::808:808",
            "64:ff9b:1::1",
            "100::1",
            "2001::1",
            "2001:0:7f00:1::",
            "2001:1ff:ffff::1",
            "2001:db8::1",
            "2002:7f00:1::",
            "2620:4f:8000::1",
            "3fff::1",
            "3fff:fff::1",
            "5f00::1",
            "fc00::1",
            "fd00:ec2::254",
            "fd20:ce::254",
            "fe80::1",
            "fec0::1",
            "ff02::1",
        ] {
            assert_eq!(judge(address, &[]), Verdict::Denied, "{address}");
        }
    }

    #[test]
    fn public_addresses_next_to_the_denied_ranges_are_allowed() {
        for address in [
            "1.1.1.1",
            "8.8.8.8",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "126.255.255.255",
            "128.0.0.0",
            "168.63.129.15",
            "168.63.129.17",
            "169.253.255.255",
            "169.255.0.0",
            "172.15.255.255",
            "172.32.0.0",
            "192.0.1.0",
            "192.167.255.255",
            "192.169.0.0",
            "198.17.255.255",
            "198.20.0.0",
            "223.255.255.255",
            "::ffff:8.8.8.8",
            "2001:200::1",
            "2001:4860:4860::8888",
            "2606:4700::1111",
            "2a00:1450:4001::1",
        ] {
            assert_eq!(judge(address, &[]), Verdict::Allowed, "{address}");
        }
    }

    #[test]
    fn an_allowed_network_opens_itself_and_nothing_beside_it() {
        assert_eq!(judge("127.0.0.2", &["127.0.0.2/32"]), Verdict::Allowed);
        assert_eq!(judge("127.0.0.1", &["127.0.0.2/32"]), Verdict::Denied);
        assert_eq!(judge("::ffff:10.1.2.3", &["10.0.0.0/8"]), Verdict::Allowed, "judged as IPv4");
        assert_eq!(judge("fd12::1", &["fd00::/8"]), Verdict::Allowed);
        assert_eq!(judge("8.8.8.8", &["10.0.0.0/8"]), Verdict::Allowed, "the list adds, it does not restrict");
    }

    #[test]
    fn web_ports_are_allowed_and_ports_of_other_services_are_not() {
        for port in [80, 443, 1024, 3000, 8000, 8080, 8443, 34567, 65535] {
            assert!(port_allowed(port), "{port}");
        }
        for port in [0, 1, 22, 25, 53, 81, 445, 1023, 2375, 2379, 3306, 5432, 6000, 6379, 6667, 9200, 11211, 27017] {
            assert!(!port_allowed(port), "{port}");
        }
    }
}
