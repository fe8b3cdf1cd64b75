use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio_util::sync::CancellationToken;

use super::forward;
use super::meter::Budget;
use crate::egress::{Egress, EgressError, Upstream, guard};

pub(super) type Body = BoxBody<Bytes, hyper::Error>;

/// Hosts whose refusal is remembered. A page that asks for more made-up names
/// than this only loses the reasons of the later ones.
const REMEMBERED_REFUSALS: usize = 1024;

/// What the connections of one browser context share.
pub(super) struct Session {
    pub egress: Egress,
    pub upstream: Option<Upstream>,
    pub budget: Budget,
    pub closing: CancellationToken,
    refusals: Mutex<HashMap<String, EgressError>>,
}

impl Session {
    pub(super) fn new(egress: Egress, upstream: Option<Upstream>, max_bytes: u64, closing: CancellationToken) -> Self {
        Self { egress, upstream, budget: Budget::new(max_bytes), closing, refusals: Mutex::default() }
    }

    /// Runs `work` until it ends or the proxy is dropped.
    pub(super) fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        tokio::spawn(self.closing.clone().run_until_cancelled_owned(work));
    }

    /// Serves one connection of the browser.
    pub(super) async fn serve(self: Arc<Self>, stream: TcpStream) {
        let service = service_fn(move |request| {
            let session = self.clone();
            async move { Ok::<_, Infallible>(session.answer(request).await) }
        });
        let connection =
            http1::Builder::new().preserve_header_case(true).serve_connection(TokioIo::new(stream), service);
        if let Err(error) = connection.with_upgrades().await {
            tracing::trace!(%error, "a browser connection broke");
        }
    }

    async fn answer(self: Arc<Self>, request: Request<Incoming>) -> Response<Body> {
        let host = request.uri().host().unwrap_or_default().to_owned();
        let served = if self.budget.is_exhausted() {
            Err(EgressError::TooLarge(host.clone()))
        } else if request.method() == Method::CONNECT {
            forward::tunnel(&self, request).await
        } else {
            forward::exchange(&self, request).await
        };
        match served {
            Ok(response) => {
                self.remember(&host, None);
                response
            }
            // A connection that the exhausted budget broke looks like any broken one.
            Err(_) if self.budget.is_exhausted() => self.refuse(&host, EgressError::TooLarge(host.clone())),
            Err(error) => self.refuse(&host, error),
        }
    }

    fn refuse(&self, host: &str, error: EgressError) -> Response<Body> {
        let status = match &error {
            EgressError::BadUrl(_) | EgressError::PrivateAddress(_) | EgressError::TooLarge(_) => StatusCode::FORBIDDEN,
            EgressError::Timeout(_) => StatusCode::GATEWAY_TIMEOUT,
            _ => StatusCode::BAD_GATEWAY,
        };
        tracing::debug!(host, reason = error.reason(), "the browser proxy refuses");
        let text = Full::new(Bytes::from(error.to_string())).map_err(|never| match never {}).boxed();
        self.remember(host, Some(error));
        let mut response = Response::new(text);
        *response.status_mut() = status;
        response
    }

    /// Notes why `host` was not served, or that it was.
    pub(super) fn remember(&self, host: &str, refusal: Option<EgressError>) {
        let host = canonical(host);
        let mut refusals = self.refusals.lock().unwrap_or_else(PoisonError::into_inner);
        match refusal {
            None => {
                refusals.remove(&host);
            }
            Some(error) if refusals.len() < REMEMBERED_REFUSALS || refusals.contains_key(&host) => {
                refusals.insert(host, error);
            }
            Some(_) => {}
        }
    }

    pub(super) fn refusal(&self, host: &str) -> Option<EgressError> {
        self.refusals.lock().unwrap_or_else(PoisonError::into_inner).get(&canonical(host)).cloned()
    }
}

/// The same text for the same host, however the browser wrote it.
fn canonical(host: &str) -> String {
    guard::parse_host(host).map_or_else(|_| host.to_ascii_lowercase(), |host| host.to_string())
}
