use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{ACCEPT, ACCEPT_LANGUAGE, HOST, HeaderMap, HeaderValue};
use reqwest::{Certificate, Client, ClientBuilder, Proxy, Request, Response, StatusCode, redirect};
use url::{Host, Position, Url};

use super::guard::{DIAL_LIMIT, Guard};
use super::upstream::Protocol;
use super::{Egress, EgressError, EgressSetupError, Mapped, Upstream, host_and_port, translate};

/// How long an unused connection is kept.
const IDLE_LIMIT: Duration = Duration::from_secs(30);
const IDLE_PER_HOST: usize = 8;
/// What the head of an answer may be: as much as browsers take (HTTP/1.1 adds
/// hyper's own bound of 400 KB).
const MOST_HEADERS: usize = 512;
const LARGEST_HEAD: u32 = 256 * 1024;

/// Which of the clients a request needs.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Route {
    /// `None` is the direct way.
    upstream: Option<Upstream>,
    /// The port, when some socket of ours has it too.
    beside: Option<u16>,
    /// To a mapped host. HTTP/1.1 only, since HTTP/2 would show the mapped port
    /// in `:authority`, beside a `Host` header that says otherwise.
    mapped: bool,
}

/// The reqwest clients, made once for each route.
pub(super) struct Clients {
    guard: Arc<Guard>,
    user_agent: HeaderValue,
    roots: Vec<Certificate>,
    made: Mutex<HashMap<Route, Client>>,
}

impl Clients {
    /// Returns the clients of a way out; the direct one is made at once, so
    /// that unusable certificates are noticed at the start.
    pub(super) fn new(guard: Arc<Guard>, user_agent: &str, ca_pem: Option<&[u8]>) -> Result<Self, EgressSetupError> {
        let roots = match ca_pem {
            Some(pem) => Certificate::from_pem_bundle(pem).map_err(EgressSetupError::Certificates)?,
            None => Vec::new(),
        };
        let user_agent = HeaderValue::from_str(user_agent).map_err(|_| EgressSetupError::UserAgent)?;
        let clients = Self { guard, user_agent, roots, made: Mutex::default() };
        clients.client(Route { upstream: None, beside: None, mapped: false })?;
        Ok(clients)
    }

    fn client(&self, route: Route) -> Result<Client, EgressSetupError> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = made.get(&route) {
            return Ok(client.clone());
        }
        let client = self.builder(&route)?.build().map_err(EgressSetupError::Client)?;
        // Callers choose the port, and such requests are rare.
        if route.beside.is_none() {
            made.insert(route, client.clone());
        }
        Ok(client)
    }

    fn builder(&self, route: &Route) -> Result<ClientBuilder, EgressSetupError> {
        let builder = base_builder()
            // `fetch` inflates by itself.
            .no_gzip()
            .no_brotli()
            .no_zstd()
            .no_deflate()
            .user_agent(self.user_agent.clone())
            .default_headers(browser_headers())
            .http1_max_headers(MOST_HEADERS)
            .http2_max_header_list_size(LARGEST_HEAD)
            .tls_certs_merge(self.roots.iter().cloned())
            .connect_timeout(DIAL_LIMIT * 2)
            .pool_idle_timeout(IDLE_LIMIT)
            .pool_max_idle_per_host(IDLE_PER_HOST);
        let builder = if route.mapped { builder.http1_only() } else { builder };
        let names = Names {
            guard: self.guard.clone(),
            upstream: route.upstream.as_ref().map(|up| up.host.clone()),
            port: route.beside,
        };
        let builder = builder.dns_resolver(names);
        let Some(upstream) = &route.upstream else { return Ok(builder) };
        let mut proxy = Proxy::all(upstream.to_string()).map_err(EgressSetupError::Client)?;
        if let Some((user, password)) = upstream.credentials() {
            proxy = proxy.basic_auth(user, password);
        }
        // Many a proxy leaves by another address with each connection, and a
        // page that was refused is tried again for that very reason.
        Ok(builder.proxy(proxy).pool_max_idle_per_host(0))
    }
}

impl Egress {
    /// Sends one request and returns its answer, whatever its status;
    /// redirects are not followed. Directly, or through `upstream` when given.
    ///
    /// # Errors
    /// [`EgressError`] when the target may not be reached or does not answer.
    pub async fn send(&self, upstream: Option<&Upstream>, mut request: Request) -> Result<Response, EgressError> {
        let (host, port) = host_and_port(request.url())?;
        let guard = self.guard();
        let mapped = match upstream {
            Some(upstream) => {
                guard.check_for_upstream(&host, port).await?;
                upstream.protocol == Protocol::Socks5 && self.map_request(&mut request, &host, port)?
            }
            None => {
                guard.check(&host, port)?;
                self.map_request(&mut request, &host, port)?
            }
        };
        let beside = (upstream.is_none() && !mapped && guard.own.has_port(port)).then_some(port);
        let route = Route { upstream: upstream.cloned(), beside, mapped };
        let client = self.0.clients.client(route).map_err(|error| {
            tracing::error!(%error, "no http client could be made");
            EgressError::Refused(host.to_string())
        })?;
        let answered_by_proxy = upstream.filter(|up| up.is_http() && request.url().scheme() == "http");
        let response = client.execute(request).await.map_err(|error| translate(error, &host.to_string()))?;
        match (upstream, answered_by_proxy) {
            (None, _) => self.assert_reached(&response, &host)?,
            (_, Some(upstream)) if response.status() == StatusCode::PROXY_AUTHENTICATION_REQUIRED => {
                upstream.warn_of_credentials();
                return Err(EgressError::Refused(host.to_string()));
            }
            _ => {}
        }
        Ok(response)
    }

    /// Points the request at the mapped port of a mapped host, keeping the
    /// `Host` header, and returns whether it is one. The address follows from
    /// the resolver.
    fn map_request(&self, request: &mut Request, host: &Host, port: u16) -> Result<bool, EgressError> {
        let Host::Domain(name) = host else { return Ok(false) };
        let Some(Mapped::To(socket)) = self.guard().hosts.lookup(name, port) else { return Ok(false) };
        let refused = || EgressError::Refused(name.clone());
        let original = HeaderValue::from_str(authority(request.url())).map_err(|_| refused())?;
        request.url_mut().set_port(Some(socket.port())).map_err(|()| refused())?;
        request.headers_mut().insert(HOST, original);
        Ok(true)
    }

    /// The address that answered must be one that may be reached: a second
    /// look, in case the client ever dials by another way than our resolver.
    fn assert_reached(&self, response: &Response, host: &Host) -> Result<(), EgressError> {
        let Some(peer) = response.remote_addr() else { return Err(EgressError::PrivateAddress(host.to_string())) };
        self.guard().judge_socket(peer, host).inspect_err(|_| {
            tracing::error!(%host, "a client connected to an address that was not checked");
        })
    }
}

/// A client for endpoints that the operator configured: our own API server as
/// the command line sees it, a language model, a browser worker. It is not
/// guarded, because such endpoints stand in private networks as a rule and no
/// caller of the API can choose them. It follows no redirect and no proxy
/// variable, so it reaches what was configured or nothing.
///
/// # Errors
/// [`EgressSetupError::Client`] when TLS cannot be set up.
pub fn operator_client(user_agent: &str) -> Result<Client, EgressSetupError> {
    base_builder().user_agent(user_agent).connect_timeout(DIAL_LIMIT).build().map_err(EgressSetupError::Client)
}

#[expect(clippy::disallowed_methods, reason = "the one factory of HTTP clients")]
fn base_builder() -> ClientBuilder {
    Client::builder().no_proxy().redirect(redirect::Policy::none()).referer(false).tcp_nodelay(true)
}

/// What a browser sends with a navigation; some sites answer 406 without.
fn browser_headers() -> HeaderMap {
    const DOCUMENT: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8";
    HeaderMap::from_iter([
        (ACCEPT, HeaderValue::from_static(DOCUMENT)),
        (ACCEPT_LANGUAGE, HeaderValue::from_static("en-US,en;q=0.9")),
    ])
}

/// Host and port of a URL as a `Host` header shows them.
fn authority(url: &Url) -> &str {
    &url[Position::BeforeHost..Position::AfterPort]
}

/// Resolves for a client: only addresses that were checked come out, besides
/// those of the operator's proxy. reqwest does not ask for a host that is an
/// address; [`Egress::send`] looks at those beforehand. Nor does it tell the
/// port, so that a client for a port of ours has it from the start: a look
/// before the request would prove nothing about what the name leads to a moment
/// later. Of the other names behind a proxy it asks for those alone that a
/// `socks5://` proxy is to be given as addresses.
struct Names {
    guard: Arc<Guard>,
    upstream: Option<Host>,
    port: Option<u16>,
}

impl Resolve for Names {
    fn resolve(&self, name: Name) -> Resolving {
        let (guard, port) = (self.guard.clone(), self.port);
        let is_upstream =
            self.upstream.as_ref().is_some_and(|host| matches!(host, Host::Domain(of) if of == name.as_str()));
        Box::pin(async move {
            let addresses: Vec<IpAddr> = match port {
                // Not the site's failure, so not to be found as its own.
                _ if is_upstream => {
                    guard.dns.lookup(name.as_str()).await.map_err(|error| io::Error::other(error.to_string()))?
                }
                Some(port) => {
                    let host = Host::Domain(name.as_str().to_owned());
                    guard.resolve(&host, port).await?.into_iter().map(|socket| socket.ip()).collect()
                }
                None => guard.addresses(name.as_str()).await?,
            };
            Ok(Box::new(addresses.into_iter().map(|ip| SocketAddr::new(ip, 0))) as Addrs)
        })
    }
}
