use std::collections::BTreeMap;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};

/// A receiver of webhooks on loopback; it ends with the value.
pub(super) struct Receiver {
    pub address: SocketAddr,
    received: Arc<Mutex<Vec<Received>>>,
    accepting: JoinHandle<()>,
}

/// One request, as it came.
#[derive(Debug, Clone)]
pub(super) struct Received {
    pub method: String,
    pub target: String,
    pub headers: BTreeMap<String, String>,
    pub body: Bytes,
}

impl Received {
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("the body is JSON")
    }
}

/// What the receiver does with a request.
#[derive(Clone)]
pub(super) enum Reply {
    Status(u16, Vec<(&'static str, String)>, String),
    /// This status, after a while.
    Late(u16),
    /// Nothing, for a minute.
    Silence,
}

impl Reply {
    pub fn status(status: u16) -> Self {
        Self::Status(status, Vec::new(), String::new())
    }
}

impl Receiver {
    /// Answers each request with `reply` of its number, counted from 0.
    pub async fn start(reply: impl Fn(usize) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a loopback port is free");
        let address = listener.local_addr().expect("it is bound");
        let (received, reply) = (Arc::new(Mutex::new(Vec::new())), Arc::new(reply));
        let log = received.clone();
        let accepting = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (log, reply) = (log.clone(), reply.clone());
                let service = service_fn(move |request| take(request, log.clone(), reply.clone()));
                tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
            }
        });
        Self { address, received, accepting }
    }

    pub async fn answering(status: u16) -> Self {
        Self::start(move |_| Reply::status(status)).await
    }

    pub fn received(&self) -> Vec<Received> {
        self.received.lock().expect("nobody panics with it").clone()
    }

    /// Waits until there were `count` requests and returns them.
    pub async fn until(&self, count: usize) -> Vec<Received> {
        let begun = Instant::now();
        loop {
            let received = self.received();
            if received.len() >= count {
                return received;
            }
            assert!(begun.elapsed() < Duration::from_secs(20), "{} of {count} requests", received.len());
            sleep(Duration::from_millis(10)).await;
        }
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn take<F: Fn(usize) -> Reply>(
    request: Request<Incoming>,
    log: Arc<Mutex<Vec<Received>>>,
    reply: Arc<F>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let (head, body) = request.into_parts();
    let text = |value: &hyper::header::HeaderValue| value.to_str().unwrap_or_default().to_owned();
    let received = Received {
        method: head.method.to_string(),
        target: head.uri.to_string(),
        headers: head.headers.iter().map(|(name, value)| (name.to_string(), text(value))).collect(),
        body: body.collect().await.map(|body| body.to_bytes()).unwrap_or_default(),
    };
    let number = {
        let mut log = log.lock().expect("nobody panics with it");
        log.push(received);
        log.len() - 1
    };
    let (status, headers, body) = match reply(number) {
        Reply::Status(status, headers, body) => (status, headers, body),
        Reply::Late(status) => {
            sleep(Duration::from_millis(150)).await;
            (status, Vec::new(), String::new())
        }
        Reply::Silence => {
            sleep(Duration::from_secs(60)).await;
            (200, Vec::new(), String::new())
        }
    };
    let mut response = Response::builder().status(status);
    for (name, value) in headers {
        response = response.header(name, value);
    }
    Ok(response.body(Full::new(body.into())).expect("a response"))
}
