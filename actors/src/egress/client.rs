use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{ACCEPT, ACCEPT_LANGUAGE, HOST, HeaderMap, HeaderValue};
use reqwest::{Certificate, Client, ClientBuilder, Proxy, Request, Response, redirect};
use url::{Host, Position, Url};

use super::guard::{DIAL_LIMIT, Guard};
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
enum Route {
    Direct,
    /// To a name, at a port that some socket of ours has too.
    Beside(u16),
    /// To a mapped host. HTTP/1.1 only, since HTTP/2 would show the mapped port
    /// in `:authority`, beside a `Host` header that says otherwise.
    Mapped,
    Through(Upstream),
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
        clients.client(Route::Direct)?;
        Ok(clients)
    }

    fn client(&self, route: Route) -> Result<Client, EgressSetupError> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = made.get(&route) {
            return Ok(client.clone());
        }
        let client = self.builder(&route)?.build().map_err(EgressSetupError::Client)?;
        // Callers choose the port, and such requests are rare.
        if !matches!(route, Route::Beside(_)) {
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
        Ok(match route {
            Route::Direct => builder.dns_resolver(self.checked_names(None)),
            Route::Beside(port) => builder.dns_resolver(self.checked_names(Some(*port))),
            Route::Mapped => builder.dns_resolver(self.checked_names(None)).http1_only(),
            Route::Through(upstream) => {
                let mut proxy = Proxy::all(upstream.to_string()).map_err(EgressSetupError::Client)?;
                if let Some((user, password)) = upstream.credentials() {
                    proxy = proxy.basic_auth(user, password);
                }
                builder.proxy(proxy).dns_resolver(UpstreamName(self.guard.clone()))
            }
        })
    }

    fn checked_names(&self, port: Option<u16>) -> CheckedNames {
        CheckedNames { guard: self.guard.clone(), port }
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
        let route = match (upstream, &host) {
            (Some(upstream), _) => {
                guard.check_for_upstream(&host, port).await?;
                Route::Through(upstream.clone())
            }
            (None, host) => {
                guard.check(host, port)?;
                match self.map_request(&mut request, host, port)? {
                    Route::Direct if guard.own.has_port(port) => Route::Beside(port),
                    route => route,
                }
            }
        };
        let direct = upstream.is_none();
        let client = self.0.clients.client(route).map_err(|error| {
            tracing::error!(%error, "no http client could be made");
            EgressError::Refused(host.to_string())
        })?;
        let response = client.execute(request).await.map_err(|error| translate(error, &host.to_string()))?;
        if direct {
            self.assert_reached(&response, &host)?;
        }
        Ok(response)
    }

    /// Points the request at the mapped port of a mapped host, keeping the
    /// `Host` header. The address follows from the resolver.
    fn map_request(&self, request: &mut Request, host: &Host, port: u16) -> Result<Route, EgressError> {
        let Host::Domain(name) = host else { return Ok(Route::Direct) };
        let Some(Mapped::To(socket)) = self.guard().hosts.lookup(name, port) else { return Ok(Route::Direct) };
        let refused = || EgressError::Refused(name.clone());
        let original = HeaderValue::from_str(authority(request.url())).map_err(|_| refused())?;
        request.url_mut().set_port(Some(socket.port())).map_err(|()| refused())?;
        request.headers_mut().insert(HOST, original);
        Ok(Route::Mapped)
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

/// Resolves for a direct client: only addresses that were checked come out.
/// reqwest does not ask for a host that is an address; [`Egress::send`] looks
/// at those beforehand. Nor does it tell the port, so that a client for a port
/// of ours has it from the start: a look before the request would prove nothing
/// about what the name leads to a moment later.
struct CheckedNames {
    guard: Arc<Guard>,
    port: Option<u16>,
}

impl Resolve for CheckedNames {
    fn resolve(&self, name: Name) -> Resolving {
        let (guard, port) = (self.guard.clone(), self.port);
        Box::pin(async move {
            let addresses = match port {
                Some(port) => guard.resolve(&Host::Domain(name.as_str().to_owned()), port).await?,
                None => guard.addresses(name.as_str()).await?.into_iter().map(|ip| SocketAddr::new(ip, 0)).collect(),
            };
            Ok(Box::new(addresses.into_iter().map(|socket| SocketAddr::new(socket.ip(), 0))) as Addrs)
        })
    }
}

/// Resolves for a client behind an upstream proxy: the only name it ever looks
/// up is the proxy's, which is not judged.
struct UpstreamName(Arc<Guard>);

impl Resolve for UpstreamName {
    fn resolve(&self, name: Name) -> Resolving {
        let guard = self.0.clone();
        Box::pin(async move {
            let addresses = guard.dns.lookup(name.as_str()).await?;
            Ok(Box::new(addresses.into_iter().map(|ip| SocketAddr::new(ip, 0))) as Addrs)
        })
    }
}
