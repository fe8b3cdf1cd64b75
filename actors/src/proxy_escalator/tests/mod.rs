mod bad_proxy;
mod origin;
mod real;
mod secrecy;
mod tunnels;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use actix::Arbiter;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::{ChooseTier, FetchPage, FetchedPage, ProxyConfig, ProxyEscalatorActor, Tier, TierWorked};
use crate::egress::testing::{Site, egress, text};
use crate::egress::{Egress, EgressError};
use crate::supervise::{Gate, Keeper, KeeperHandle, RestartPolicy, Room};

fn escalator(egress: Egress, config: ProxyConfig) -> (Gate<ProxyEscalatorActor>, KeeperHandle) {
    let room = Room {
        name: "proxy_escalator",
        arbiter: Arbiter::current(),
        slots: 8,
        patience: Duration::from_secs(20),
        policy: RestartPolicy::default(),
    };
    let config = Arc::new(config);
    Keeper::start(room, mpsc::unbounded_channel().0, move |lifeline| {
        ProxyEscalatorActor::new(egress.clone(), config.clone(), lifeline)
    })
}

async fn fetch(egress: Egress, config: ProxyConfig, url: &str) -> Result<FetchedPage, EgressError> {
    fetch_within(Duration::from_secs(15), egress, config, url).await
}

async fn fetch_within(
    time: Duration,
    egress: Egress,
    config: ProxyConfig,
    url: &str,
) -> Result<FetchedPage, EgressError> {
    let (gate, _keeper) = escalator(egress, config);
    let deadline = Instant::now() + time;
    gate.ask(FetchPage { url: url.parse().unwrap(), deadline, max_bytes: 10_000 }).await.unwrap()
}

/// An HTTP proxy that answers absolute-form requests itself, for any name.
async fn datacenter(status: u16) -> Site {
    Site::serve("127.0.0.1", move |request| {
        let authorized = request.headers().get("proxy-authorization").is_some_and(|value| value == "Basic dTpw");
        let body = format!("{} {} {authorized}", request.uri(), request.headers()["host"].to_str().unwrap());
        text(status, body)
    })
    .await
}

fn through(proxy: &Site) -> ProxyConfig {
    let upstream = format!("http://u:p@{}", proxy.address).parse().unwrap();
    ProxyConfig { datacenter: Some(upstream), ..ProxyConfig::default() }
}

async fn refusing_shop() -> (Site, Egress) {
    let site = Site::serve("127.0.0.2", |_| text(403, "not to you")).await;
    let egress = egress("127.0.0.2/32", &format!("shop.test={}", site.address));
    (site, egress)
}

#[actix::test]
async fn a_direct_403_is_answered_through_the_datacenter_proxy() {
    let (site, egress) = refusing_shop().await;
    let proxy = datacenter(200).await;
    let page = fetch(egress, through(&proxy), "http://shop.test/a").await.unwrap();
    assert_eq!((page.status, page.tier), (200, Tier::Datacenter));
    assert_eq!(page.body, "http://shop.test/a shop.test true", "absolute form, with our credentials");
    assert_eq!(page.final_url.as_str(), "http://shop.test/a");
    assert_eq!(site.connections(), 1);
}

#[actix::test]
async fn without_proxies_a_refusal_is_the_pages_own_answer() {
    let (site, egress) = refusing_shop().await;
    let page = fetch(egress, ProxyConfig::default(), "http://shop.test/").await.unwrap();
    assert_eq!((page.status, &page.body[..], page.tier), (403, &b"not to you"[..], Tier::Direct));
    assert_eq!(site.connections(), 1, "it is not asked twice");
}

#[actix::test]
async fn when_every_tier_is_refused_the_last_answer_comes_back() {
    let (_site, egress) = refusing_shop().await;
    let proxy = datacenter(429).await;
    let page = fetch(egress, through(&proxy), "http://shop.test/").await.unwrap();
    assert_eq!((page.status, page.tier), (429, Tier::Datacenter));
}

#[actix::test]
async fn a_proxy_is_not_asked_for_what_must_not_be_reached() {
    let (_site, egress) = refusing_shop().await;
    let proxy = datacenter(200).await;
    let config = ProxyConfig { skip_direct: true, ..through(&proxy) };
    for url in ["http://127.0.0.1:8080/", "http://169.254.169.254/", "http://localhost/", "http://[::1]/"] {
        let refused = fetch(egress.clone(), config.clone(), url).await.unwrap_err();
        assert_eq!(refused.reason(), "private_address", "{url}");
    }
    assert_eq!(proxy.connections(), 0);
    let page = fetch(egress, config, "http://only-the-proxy-knows.invalid/").await.unwrap();
    assert_eq!(page.tier, Tier::Datacenter, "a name that does not resolve here is left to the proxy");
}

#[actix::test]
async fn a_connection_that_breaks_once_is_tried_once_more() {
    let listener = TcpListener::bind("127.0.0.2:0").await.unwrap();
    let egress = egress("127.0.0.2/32", &format!("shaky.test={}", listener.local_addr().unwrap()));
    let accepted = Arc::new(AtomicUsize::new(0));
    let counted = accepted.clone();
    let site = tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let _ = stream.read(&mut [0; 1024]).await;
            if counted.fetch_add(1, Ordering::SeqCst) > 0 {
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").await;
            }
        }
    });
    let page = fetch(egress, ProxyConfig::default(), "http://shaky.test/").await.unwrap();
    assert_eq!((&page.body[..], accepted.load(Ordering::SeqCst)), (&b"ok"[..], 2));
    site.abort();
}

#[actix::test]
async fn an_attempt_ends_at_its_own_limit_within_the_deadline() {
    let listener = TcpListener::bind("127.0.0.2:0").await.unwrap();
    let egress = egress("127.0.0.2/32", &format!("silent.test={}", listener.local_addr().unwrap()));
    let proxy = datacenter(200).await;
    let config = ProxyConfig { request_timeout: Duration::from_millis(300), ..through(&proxy) };
    let page = fetch(egress.clone(), config.clone(), "http://silent.test/").await.unwrap();
    assert_eq!(page.tier, Tier::Datacenter);
    let alone = ProxyConfig { datacenter: None, ..config };
    let began = Instant::now();
    let failure = fetch_within(Duration::from_millis(900), egress, alone, "http://silent.test/").await.unwrap_err();
    assert_eq!(failure, EgressError::Timeout("silent.test".to_owned()));
    assert!(began.elapsed() >= Duration::from_millis(900), "with nothing to escalate to, all the time is the site's");
}
