//! The one way out of the process: which addresses may be reached, and the
//! only places that dial them.
//!
//! ```text
//! fetch ──→ client (reqwest) ─┐
//!                             ├→ guard: parse → map or DNS → verdict → dial what was checked
//! browser ─→ proxy (loopback) ┘
//! ```
//!
//! A host is parsed once, by [`url::Host`], and a name is resolved once: the
//! address that was judged is the address that is dialled.

mod client;
mod cookies;
mod dns;
mod error;
mod fetch;
mod guard;
mod hosts;
mod inflate;
mod own_sockets;
mod proxy;
mod socks;
#[cfg(test)]
pub(crate) mod testing;
mod translate;
mod upstream;
mod verdict;

use std::net::SocketAddr;
use std::sync::Arc;

use tokio::net::TcpStream;
use url::{Host, Url};

use client::Clients;
pub use client::operator_client;
pub use error::EgressError;
pub use fetch::{Fetch, Fetched, fetch};
use guard::Guard;
pub use hosts::{HostMap, HostMapError, Mapped};
use own_sockets::OwnSockets;
pub use own_sockets::ReservedSocket;
pub use proxy::FilteringProxy;
use translate::translate;
pub use upstream::{Upstream, UpstreamError};
pub use verdict::{AddressPolicy, Verdict, port_allowed, verdict};

/// What the operator decides about the way out.
#[derive(Debug, Clone, Default)]
pub struct EgressConfig {
    /// Private networks that may be reached.
    pub allow_cidrs: Vec<ipnet::IpNet>,
    pub hosts: HostMap,
    /// Certificate authorities trusted besides the system's, PEM.
    pub ca_cert_pem: Option<Vec<u8>>,
    /// Empty: the system's.
    pub nameservers: Vec<SocketAddr>,
    /// Sockets of ours nobody may be sent to (API port, database, cache); an
    /// unspecified address means the port on every address of this machine.
    pub own_sockets: Vec<SocketAddr>,
    /// Sent with every request that names no other.
    pub user_agent: String,
}

/// The guarded way out; cheap to clone.
#[derive(Clone)]
pub struct Egress(Arc<Shared>);

struct Shared {
    // The clients' resolvers hold the guard too, which must not hold them.
    guard: Arc<Guard>,
    clients: Clients,
}

/// Why the way out cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum EgressSetupError {
    #[error("the DNS resolver cannot be built: {0}")]
    Resolver(String),
    #[error("the certificates are not PEM: {0}")]
    Certificates(#[source] reqwest::Error),
    #[error("the user agent is not a header value; write for example `BlazonBot/1.0 (+https://blazon.example)`")]
    UserAgent,
    /// Most often a machine without root certificates.
    #[error("no HTTP client can be made (are the system's root certificates installed?): {0}")]
    Client(#[source] reqwest::Error),
}

impl Egress {
    /// Returns the way out that `config` describes.
    ///
    /// # Errors
    /// [`EgressSetupError`] when the certificates or the resolver cannot be set up.
    pub fn new(config: EgressConfig) -> Result<Self, EgressSetupError> {
        let guard = Guard {
            policy: AddressPolicy { allow_cidrs: config.allow_cidrs },
            hosts: config.hosts,
            own: Arc::new(OwnSockets::new(config.own_sockets)),
            dns: dns::Dns::new(&config.nameservers)?,
        };
        let guard = Arc::new(guard);
        let clients = Clients::new(guard.clone(), &config.user_agent, config.ca_cert_pem.as_deref())?;
        Ok(Self(Arc::new(Shared { guard, clients })))
    }

    /// Checks what can be checked without DNS: scheme, user name, port, and the
    /// address when the host is one.
    ///
    /// # Errors
    /// [`EgressError::BadUrl`], [`EgressError::PrivateAddress`], or
    /// [`EgressError::Refused`] for a port that the host map leaves closed.
    pub fn check_url(&self, url: &Url) -> Result<(), EgressError> {
        let (host, port) = host_and_port(url)?;
        self.0.guard.check(&host, port)
    }

    /// The sockets that `host` leads to, from the host map or DNS. One denied
    /// address among them refuses them all.
    ///
    /// # Errors
    /// As [`Egress::check_url`], and [`EgressError::Dns`] or
    /// [`EgressError::Timeout`] when there is no answer.
    pub async fn resolve(&self, host: &str, port: u16) -> Result<Vec<SocketAddr>, EgressError> {
        self.0.guard.resolve(&guard::parse_host(host)?, port).await
    }

    /// A connection to `host`, made to an address that was checked.
    ///
    /// # Errors
    /// As [`Egress::resolve`], and [`EgressError::Refused`] when nobody accepts.
    pub async fn connect(&self, host: &str, port: u16) -> Result<TcpStream, EgressError> {
        self.0.guard.connect(&guard::parse_host(host)?, port).await
    }

    fn guard(&self) -> &Guard {
        &self.0.guard
    }

    /// Keeps everybody from being sent to a socket of ours until the returned
    /// guard is dropped.
    pub fn reserve(&self, socket: SocketAddr) -> ReservedSocket {
        self.0.guard.own.reserve(socket)
    }
}

/// The host and port of an `http` or `https` URL without a user name.
fn host_and_port(url: &Url) -> Result<(Host, u16), EgressError> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err(EgressError::BadUrl("only http and https URLs can be fetched".to_owned()));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(EgressError::BadUrl("a URL with a user name cannot be fetched".to_owned()));
    }
    let host = url.host().map(|host| host.to_owned());
    host.zip(url.port_or_known_default()).ok_or_else(|| EgressError::BadUrl("the URL has no host".to_owned()))
}

#[cfg(test)]
mod tests;
