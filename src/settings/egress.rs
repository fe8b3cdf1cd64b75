use std::net::IpAddr;
use std::path::PathBuf;

use ipnet::IpNet;

use super::parse;
use super::reader::{Read, Reader};
use super::variable::Variable;

const EGRESS_ALLOW_CIDRS: Variable = Variable::optional(
    "EGRESS_ALLOW_CIDRS",
    "only public addresses are fetched",
    "10.20.0.0/16,fd00::/8",
    "Comma-separated ranges of private addresses that may be fetched all the same.",
);
const EGRESS_HOSTS: Variable = Variable::optional(
    "EGRESS_HOSTS",
    "names are looked up in DNS",
    "intranet.example=10.20.0.7:8080,intranet.example:443=10.20.0.7:8443",
    "Comma-separated `host=addr:port`: where a name leads, for tests, air-gapped use and split DNS. Without a port on \
     the left it maps port 80 and leaves 443 refused. A mapped address must still be allowed.",
);
const EGRESS_CA_CERT: Variable = Variable::optional(
    "EGRESS_CA_CERT",
    "the usual certificate authorities",
    "/etc/blazon/ca.pem",
    "PEM file of certificate authorities that are trusted besides the usual ones, by everything but browsers: Chromium \
     takes authorities from its own list and its user's NSS database alone, so it refuses such a site with \
     `reason: \"tls\"`.",
);

pub(super) const VARIABLES: &[Variable] = &[EGRESS_ALLOW_CIDRS, EGRESS_HOSTS, EGRESS_CA_CERT];

/// Which addresses the service may reach, and how names lead to them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EgressSettings {
    /// `EGRESS_ALLOW_CIDRS`, host bits cleared.
    pub allow_cidrs: Vec<IpNet>,
    /// `EGRESS_HOSTS` as written, empty when unset.
    pub hosts: String,
    /// `EGRESS_CA_CERT`: a PEM file that could be read at start.
    pub ca_cert: Option<PathBuf>,
}

impl EgressSettings {
    pub(super) fn read(reader: &mut Reader<'_>) -> Read<Self> {
        let allow_cidrs = reader.optional(&EGRESS_ALLOW_CIDRS, parse::list(network));
        let hosts = reader.optional(&EGRESS_HOSTS, |text| Ok(text.to_owned()));
        let ca_cert = reader.optional(&EGRESS_CA_CERT, pem_file);
        let allow_cidrs = allow_cidrs?.unwrap_or_default();
        if allow_cidrs.iter().any(|network| network.prefix_len() == 0) {
            reader.warn("EGRESS_ALLOW_CIDRS allows every address: a client can have any internal service fetched");
        }
        Ok(Self { allow_cidrs, hosts: hosts?.unwrap_or_default(), ca_cert: ca_cert? })
    }
}

fn network(text: &str) -> Result<IpNet, String> {
    let network = text.parse::<IpNet>().or_else(|_| text.parse::<IpAddr>().map(IpNet::from));
    network.map(|network| network.trunc()).map_err(|_| "is not an address range".to_owned())
}

fn pem_file(text: &str) -> Result<PathBuf, String> {
    let path = parse::readable_file(text)?;
    let pem = std::fs::read(&path).map_err(|error| format!("cannot be read ({error})"))?;
    let begin = b"-----BEGIN CERTIFICATE-----";
    if pem.windows(begin.len()).any(|window| window == begin) {
        return Ok(path);
    }
    Err("holds no PEM certificate".to_owned())
}
