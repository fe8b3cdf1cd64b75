use std::io;
use std::sync::Mutex;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::util::SubscriberInitExt;

use super::bad_proxy::BadProxy;
use super::origin::{DIRECT, Origin};
use super::*;
use crate::egress::FilteringProxy;
use crate::proxy_escalator::testing::{Proxy, USER};

/// Everything that is logged, by other libraries too.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Log {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

#[actix::test]
async fn no_log_error_or_debug_shows_a_proxys_credentials() {
    let log = Log::default();
    let subscriber = tracing_subscriber::fmt().with_max_level(LevelFilter::TRACE).with_writer(log.clone());
    let _logging = subscriber.finish().set_default();
    let (http, socks) = (Proxy::tinyproxy(), Proxy::microsocks());
    let closing = BadProxy::closing().await;
    let mut shown = String::new();
    for origin in [Origin::http(|peer| if peer == DIRECT { 403 } else { 200 }).await, Origin::https(|_| 403).await] {
        for first in ["http", "socks5", "socks5h"] {
            let config = ProxyConfig {
                datacenter: format!("{first}://{USER}:hunter2@{}", closing.address).parse().ok(),
                residential: http.url().parse().ok(),
                isp: socks.url().parse().ok(),
                ..ProxyConfig::default()
            };
            shown += &format!("{config:?}");
            let (gate, _keeper) = escalator(origin.egress(), config.clone());
            let deadline = Instant::now() + Duration::from_secs(15);
            let wanted = FetchPage { url: origin.url().parse().unwrap(), deadline, max_bytes: 10_000 };
            let page = gate.ask(wanted).await.unwrap();
            shown += &format!("{page:?}");
            for upstream in [config.datacenter, config.residential, config.isp] {
                shown += &refused_through(&origin, upstream.unwrap()).await;
            }
        }
    }
    let logged = String::from_utf8_lossy(&log.0.lock().unwrap()).into_owned();
    for witness in ["the page is tried again", "starting new connection", "socks5", "hyper"] {
        assert!(logged.contains(witness), "the log was caught: {witness}");
    }
    for password in [http.password, socks.password, "hunter2"] {
        let encoded = utf8_percent_encode(password, NON_ALPHANUMERIC).to_string();
        for secret in [password.to_owned(), encoded, STANDARD.encode(format!("{USER}:{password}"))] {
            for text in [&logged, &shown] {
                assert_eq!(text.lines().find(|line| line.contains(&secret)), None);
            }
        }
    }
}

/// What a page of the browser is told that asks for a closed port.
async fn refused_through(origin: &Origin, upstream: crate::egress::Upstream) -> String {
    let proxy = FilteringProxy::open(origin.egress(), Some(upstream), 1 << 20).await.unwrap();
    let mut answers = String::new();
    for head in ["GET http://127.0.0.2:1999/", "CONNECT 127.0.0.2:1999"] {
        let mut stream = tokio::net::TcpSocket::new_v4().unwrap().connect(proxy.address()).await.unwrap();
        let head = format!("{head} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut answer = vec![0; 4096];
        let length = stream.read(&mut answer).await.unwrap();
        answers += &String::from_utf8_lossy(&answer[..length]);
    }
    format!("{answers}{:?}", proxy.refusal("127.0.0.2"))
}
