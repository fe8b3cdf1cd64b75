//! Local sites for the tests of this crate.

mod name_server;
mod origin;

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use super::{Egress, EgressConfig};
pub(crate) use name_server::{Answer, NameServer, address_record, alias_record};
pub(crate) use origin::{Origin, read_head, say};

/// A web server on a loopback address that counts its connections; it ends
/// with the value.
pub(crate) struct Site {
    pub address: SocketAddr,
    connections: Arc<AtomicUsize>,
    accepting: JoinHandle<()>,
}

impl Site {
    /// Serves on `ip`, answering every request with `answer`.
    pub(crate) async fn serve<F>(ip: &str, answer: F) -> Self
    where
        F: Fn(Request<Incoming>) -> Response<Full<Bytes>> + Send + Sync + 'static,
    {
        let listener = TcpListener::bind((ip, 0)).await.expect("a loopback port is free");
        let address = listener.local_addr().expect("it is bound");
        let (connections, answer) = (Arc::new(AtomicUsize::new(0)), Arc::new(answer));
        let counted = connections.clone();
        let accepting = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                counted.fetch_add(1, Ordering::SeqCst);
                let answer = answer.clone();
                let service = service_fn(move |request| {
                    let response = answer(request);
                    async move { Ok::<_, Infallible>(response) }
                });
                tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
            }
        });
        Self { address, connections, accepting }
    }

    /// A site nobody should reach.
    pub(crate) async fn canary() -> Self {
        Self::serve("127.0.0.1", |_| text(200, "the canary sings")).await
    }

    /// Connections accepted so far.
    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    /// The site's URL by address.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

/// An answer with a plain body.
pub(crate) fn text(status: u16, body: impl Into<Bytes>) -> Response<Full<Bytes>> {
    Response::builder().status(status).body(Full::new(body.into())).expect("the status is valid")
}

/// A way out that may reach `allow` and knows `hosts`; its name server is a
/// closed port, so other names fail, and only `.invalid` ones at once.
pub(crate) fn egress(allow: &str, hosts: &str) -> Egress {
    Egress::new(config(allow, hosts)).expect("the configuration is sound")
}

/// The configuration behind [`egress`].
pub(crate) fn config(allow: &str, hosts: &str) -> EgressConfig {
    EgressConfig {
        allow_cidrs: vec![allow.parse().expect("a network")],
        hosts: hosts.parse().expect("a host map"),
        nameservers: vec!["127.0.0.1:9".parse().expect("a socket")],
        user_agent: "BlazonTest/1".to_owned(),
        ..EgressConfig::default()
    }
}
