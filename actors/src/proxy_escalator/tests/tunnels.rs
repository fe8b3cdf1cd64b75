//! The filtering proxy of the browsers over the same upstream proxies.

use tokio::net::{TcpSocket, TcpStream};

use super::bad_proxy::BadProxy;
use super::origin::Origin;
use super::*;
use crate::egress::FilteringProxy;
use crate::proxy_escalator::testing::Proxy;

async fn open(egress: Egress, upstream: &str) -> FilteringProxy {
    FilteringProxy::open(egress, Some(upstream.parse().unwrap()), 1 << 20).await.unwrap()
}

async fn dial(proxy: &FilteringProxy) -> TcpStream {
    TcpSocket::new_v4().unwrap().connect(proxy.address()).await.unwrap()
}

async fn converse(stream: &mut TcpStream, head: &str) -> String {
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    String::from_utf8(answer).unwrap()
}

/// Asks for a page as a browser does for `http`.
async fn plain(proxy: &FilteringProxy, url: &str) -> String {
    let head = format!("GET {url} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    converse(&mut dial(proxy).await, &head).await
}

/// Asks for it through a tunnel; the first line when there is none.
async fn tunnelled(proxy: &FilteringProxy, authority: &str) -> String {
    let mut stream = dial(proxy).await;
    stream.write_all(format!("CONNECT {authority} HTTP/1.1\r\nHost: {authority}\r\n\r\n").as_bytes()).await.unwrap();
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.unwrap());
    }
    if !head.starts_with(b"HTTP/1.1 200") {
        return String::from_utf8(head).unwrap().lines().next().unwrap().to_owned();
    }
    converse(&mut stream, &format!("GET / HTTP/1.1\r\nHost: {authority}\r\nConnection: close\r\n\r\n")).await
}

#[actix::test]
async fn both_forms_leave_through_the_upstream_whatever_it_speaks() {
    let (http, socks) = (Proxy::tinyproxy(), Proxy::microsocks());
    let origin = Origin::http(|_| 200).await;
    for (proxy, upstream) in
        [(&http, http.url()), (&socks, socks.url()), (&socks, socks.url().replace("socks5h:", "socks5:"))]
    {
        let filter = open(origin.egress(), &upstream).await;
        let from = format!("from {}", proxy.ip());
        let answer = plain(&filter, &origin.url()).await;
        assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with(&from), "{answer}");
        let answer = tunnelled(&filter, &origin.address.to_string()).await;
        assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with(&from), "{answer}");
        assert_eq!(origin.seen(), [proxy.ip(), proxy.ip()]);
    }
    let filter = open(origin.egress(), &socks.url().replace("socks5h:", "socks5:")).await;
    assert!(plain(&filter, "http://shop.test/").await.contains("shop.test from"), "the name is resolved here");
    assert!(tunnelled(&filter, "shop.test:443").await.contains("shop.test:443 from"));
}

#[actix::test]
async fn what_the_upstream_refuses_is_a_failure_of_the_site_and_never_asks_the_browser_for_a_password() {
    let (http, socks) = (Proxy::tinyproxy(), Proxy::microsocks());
    let (closing, forbidding) = (BadProxy::closing().await, BadProxy::forbidding().await);
    let origin = Origin::http(|_| 200).await;
    let authority = origin.address.to_string();
    for upstream in [http.url_as("http", ""), socks.url_as("socks5h", "user:wrong@"), socks.url_as("socks5", "")] {
        let filter = open(origin.egress(), &upstream).await;
        assert!(plain(&filter, &origin.url()).await.starts_with("HTTP/1.1 502"), "{upstream}");
        assert_eq!(filter.refusal("127.0.0.2"), Some(EgressError::Refused("127.0.0.2".to_owned())), "{upstream}");
    }
    for upstream in [
        http.url_as("http", ""),
        http.url_as("http", "user:wrong@"),
        socks.url_as("socks5h", "user:wrong@"),
        closing.url("http"),
        closing.url("socks5"),
        forbidding.url("http"),
        forbidding.url("socks5h"),
        "http://nobody.invalid:8080".to_owned(),
    ] {
        let filter = open(origin.egress(), &upstream).await;
        assert_eq!(tunnelled(&filter, &authority).await, "HTTP/1.1 502 Bad Gateway", "{upstream}");
        assert_eq!(filter.refusal("127.0.0.2"), Some(EgressError::Refused("127.0.0.2".to_owned())), "{upstream}");
    }
    assert_eq!(origin.seen().len(), 0);
}

#[actix::test]
async fn no_upstream_is_asked_for_a_private_address() {
    let (canary, ear) = (Site::canary().await, BadProxy::hanging().await);
    for scheme in ["http", "socks5", "socks5h"] {
        let filter = open(egress("127.0.0.2/32", ""), &ear.url(scheme)).await;
        assert!(plain(&filter, &canary.url("/")).await.starts_with("HTTP/1.1 403"), "{scheme}");
        assert_eq!(tunnelled(&filter, "10.0.0.1:443").await, "HTTP/1.1 403 Forbidden", "{scheme}");
        assert_eq!(tunnelled(&filter, "localhost:8080").await, "HTTP/1.1 403 Forbidden", "{scheme}");
    }
    assert_eq!((ear.heard().len(), canary.connections()), (0, 0));
}
