use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Empty};
use hyper::body::Incoming;
use hyper::client::conn::http1::{self, SendRequest};
use hyper::header::{HOST, HeaderValue, PROXY_AUTHORIZATION};
use hyper::http::uri::{Authority, PathAndQuery, Scheme};
use hyper::upgrade::{OnUpgrade, Upgraded};
use hyper::{Method, Request, Response, StatusCode, Uri, Version};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite, copy_bidirectional};
use tokio::time::timeout;
use url::Host;

use super::headers::strip_hop_by_hop;
use super::meter::Metered;
use super::session::{Body, Session};
use crate::egress::socks::{SocksError, open_tunnel};
use crate::egress::{EgressError, Upstream, guard};

/// How long an upstream proxy may take to open a tunnel.
const UPSTREAM_CONNECT_LIMIT: Duration = Duration::from_secs(15);

/// Where a request line points.
struct Target {
    host: Host,
    port: u16,
}

impl Target {
    fn of(uri: &Uri, default_port: Option<u16>) -> Result<Self, EgressError> {
        let malformed = || EgressError::BadUrl("the request line names no host and port".to_owned());
        let authority = uri.authority().ok_or_else(malformed)?;
        if authority.as_str().contains('@') {
            return Err(EgressError::BadUrl("a URL with a user name cannot be fetched".to_owned()));
        }
        let port = authority.port_u16().or(default_port).ok_or_else(malformed)?;
        Ok(Self { host: guard::parse_host(authority.host())?, port })
    }

    fn name(&self) -> String {
        self.host.to_string()
    }
}

/// Opens a tunnel to the target of a `CONNECT` request; the bytes flow once the
/// answer is out.
pub(super) async fn tunnel(session: &Arc<Session>, request: Request<Incoming>) -> Result<Response<Body>, EgressError> {
    let target = Target::of(request.uri(), None)?;
    let browser = hyper::upgrade::on(request);
    match http_upstream(session) {
        None => {
            let site = connect(session, &target).await?;
            session.spawn(async move { pump(browser, site).await });
        }
        Some(upstream) => {
            let site = tunnel_through(session, upstream, &target).await?;
            session.spawn(async move { pump(browser, TokioIo::new(site)).await });
        }
    }
    Ok(empty())
}

/// Passes a plain HTTP request on and its answer back.
pub(super) async fn exchange(
    session: &Arc<Session>,
    mut request: Request<Incoming>,
) -> Result<Response<Body>, EgressError> {
    if request.uri().scheme() != Some(&Scheme::HTTP) {
        return Err(EgressError::BadUrl("only http is served in absolute form".to_owned()));
    }
    let target = Target::of(request.uri(), Some(80))?;
    let browser = hyper::upgrade::on(&mut request);
    strip_hop_by_hop(request.headers_mut());
    let upstream = http_upstream(session);
    address_request(&mut request, upstream)?;
    let stream = match upstream {
        None => connect(session, &target).await?,
        Some(upstream) => connect_upstream(session, upstream, &target).await?,
    };
    let broken = |_| EgressError::Refused(target.name());
    let mut response =
        speak_http(session, stream).await.map_err(broken)?.send_request(request).await.map_err(broken)?;
    if let Some(upstream) = upstream
        && response.status() == StatusCode::PROXY_AUTHENTICATION_REQUIRED
    {
        upstream.warn_of_credentials();
        return Err(EgressError::Refused(target.name()));
    }
    if response.status() == StatusCode::SWITCHING_PROTOCOLS {
        let site = hyper::upgrade::on(&mut response);
        session.spawn(async move {
            if let Ok(site) = site.await {
                pump(browser, TokioIo::new(site)).await;
            }
        });
    }
    strip_hop_by_hop(response.headers_mut());
    *response.version_mut() = Version::HTTP_11;
    Ok(response.map(BodyExt::boxed))
}

/// Makes the request line what the next hop expects, and the `Host` header what
/// the request line says: a header of another mind would lead elsewhere.
fn address_request<B>(request: &mut Request<B>, upstream: Option<&Upstream>) -> Result<(), EgressError> {
    let bad = || EgressError::BadUrl("the request line names no host and port".to_owned());
    let authority = request.uri().authority().ok_or_else(bad)?.as_str();
    let host = HeaderValue::from_str(authority.strip_suffix(":80").unwrap_or(authority)).map_err(|_| bad())?;
    request.headers_mut().insert(HOST, host);
    *request.version_mut() = Version::HTTP_11;
    match upstream {
        None => {
            let path = request.uri().path_and_query().cloned();
            *request.uri_mut() = Uri::from(path.unwrap_or(PathAndQuery::from_static("/")));
        }
        Some(upstream) => authorize(request, upstream)?,
    }
    Ok(())
}

fn authorize<B>(request: &mut Request<B>, upstream: &Upstream) -> Result<(), EgressError> {
    if let Some(credentials) = upstream.authorization() {
        let mut value =
            HeaderValue::try_from(credentials).map_err(|_| EgressError::Refused(upstream.host.to_string()))?;
        value.set_sensitive(true);
        request.headers_mut().insert(PROXY_AUTHORIZATION, value);
    }
    Ok(())
}

/// The proxy that is spoken to in HTTP itself; a SOCKS proxy only leads to the
/// site.
fn http_upstream(session: &Session) -> Option<&Upstream> {
    session.upstream.as_ref().filter(|upstream| upstream.is_http())
}

/// A connection to the site, directly or through a SOCKS proxy.
async fn connect(session: &Arc<Session>, target: &Target) -> Result<Metered, EgressError> {
    let guard = session.egress.guard();
    let Some(upstream) = &session.upstream else {
        let stream = guard.connect(&target.host, target.port).await?;
        return Ok(Metered { stream, session: session.clone(), host: target.name() });
    };
    let destination = guard.destination(upstream, &target.host, target.port).await?;
    let mut stream = meter_upstream(session, upstream, target).await?;
    match timeout(UPSTREAM_CONNECT_LIMIT, open_tunnel(&mut stream, &destination, upstream.credentials())).await {
        Ok(Ok(())) => Ok(stream),
        Ok(Err(error)) => {
            if matches!(error, SocksError::Credentials) {
                upstream.warn_of_credentials();
            }
            tracing::debug!(%upstream, host = target.name(), %error, "no tunnel to the site");
            Err(EgressError::Refused(target.name()))
        }
        Err(_) => Err(EgressError::Timeout(target.name())),
    }
}

/// A connection to an HTTP proxy that may be asked for the target.
async fn connect_upstream(
    session: &Arc<Session>,
    upstream: &Upstream,
    target: &Target,
) -> Result<Metered, EgressError> {
    session.egress.guard().check_for_upstream(&target.host, target.port).await?;
    meter_upstream(session, upstream, target).await
}

async fn meter_upstream(session: &Arc<Session>, upstream: &Upstream, target: &Target) -> Result<Metered, EgressError> {
    let host = target.name();
    let stream = session.egress.guard().connect_upstream(upstream, &host).await?;
    Ok(Metered { stream, session: session.clone(), host })
}

async fn tunnel_through(session: &Arc<Session>, upstream: &Upstream, target: &Target) -> Result<Upgraded, EgressError> {
    let refused = || EgressError::Refused(target.name());
    let authority: Authority = format!("{}:{}", target.host, target.port).parse().map_err(|_| refused())?;
    let host = HeaderValue::from_str(authority.as_str()).map_err(|_| refused())?;
    let mut request = Request::new(Empty::<Bytes>::new());
    *request.method_mut() = Method::CONNECT;
    *request.uri_mut() = Uri::builder().authority(authority).build().map_err(|_| refused())?;
    request.headers_mut().insert(HOST, host);
    authorize(&mut request, upstream)?;
    let stream = connect_upstream(session, upstream, target).await?;
    let opening = async {
        let response = speak_http(session, stream).await?.send_request(request).await?;
        if refuses_credentials(response.status()) {
            upstream.warn_of_credentials();
        }
        if response.status().is_success() { hyper::upgrade::on(response).await.map(Some) } else { Ok(None) }
    };
    match timeout(UPSTREAM_CONNECT_LIMIT, opening).await {
        Ok(Ok(Some(tunnel))) => Ok(tunnel),
        Ok(_) => Err(refused()),
        Err(_) => Err(EgressError::Timeout(target.name())),
    }
}

/// 407, or the 401 that tinyproxy gives to those whose password is wrong.
fn refuses_credentials(status: StatusCode) -> bool {
    matches!(status, StatusCode::PROXY_AUTHENTICATION_REQUIRED | StatusCode::UNAUTHORIZED)
}

/// An HTTP/1.1 conversation over a fresh connection, which lives as long as the
/// answer's body or the proxy.
async fn speak_http<B>(session: &Session, stream: Metered) -> hyper::Result<SendRequest<B>>
where
    B: hyper::body::Body<Data = Bytes, Error: std::error::Error + Send + Sync> + Send + 'static,
{
    let (sender, connection) = http1::Builder::new().preserve_header_case(true).handshake(TokioIo::new(stream)).await?;
    session.spawn(async move {
        if let Err(error) = connection.with_upgrades().await {
            tracing::trace!(%error, "a site's connection broke");
        }
    });
    Ok(sender)
}

async fn pump(browser: OnUpgrade, mut site: impl AsyncRead + AsyncWrite + Unpin) {
    let Ok(browser) = browser.await else { return };
    // Either side may break off as it likes; there is nobody to tell.
    let _ = copy_bidirectional(&mut TokioIo::new(browser), &mut site).await;
}

fn empty() -> Response<Body> {
    Response::new(Empty::new().map_err(|never| match never {}).boxed())
}
