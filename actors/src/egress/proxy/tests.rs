use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::time::timeout;

use super::FilteringProxy;
use crate::egress::EgressError;
use crate::egress::testing::{Site, egress, text};

const LIMIT: u64 = 1 << 20;

async fn dial(proxy: &FilteringProxy) -> TcpStream {
    TcpSocket::new_v4().unwrap().connect(proxy.address()).await.unwrap()
}

/// Sends `head` and reads until the proxy closes.
async fn ask(proxy: &FilteringProxy, head: &str) -> String {
    let mut stream = dial(proxy).await;
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    // A reset after the answer is as good an end as a close.
    let _ = timeout(Duration::from_secs(10), stream.read_to_end(&mut answer)).await.expect("the proxy closes");
    String::from_utf8_lossy(&answer).into_owned()
}

async fn get(proxy: &FilteringProxy, url: &str) -> String {
    ask(proxy, &format!("GET {url} HTTP/1.1\r\nHost: ignored.test\r\nConnection: close\r\n\r\n")).await
}

/// Opens a tunnel and returns it with the status line.
async fn connect(proxy: &FilteringProxy, target: &str) -> (TcpStream, String) {
    let mut stream = dial(proxy).await;
    stream.write_all(format!("CONNECT {target} HTTP/1.1\r\nHost: ignored.test:443\r\n\r\n").as_bytes()).await.unwrap();
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.expect("the proxy answers"));
    }
    (stream, String::from_utf8_lossy(&head).lines().next().unwrap().to_owned())
}

#[tokio::test]
async fn a_mapped_site_is_served_in_absolute_form_whatever_the_host_header_says() {
    let site = Site::serve("127.0.0.2", |request| {
        let seen = |name: &str| request.headers().get(name).map(|value| value.to_str().unwrap().to_owned());
        text(200, format!("{} {:?} {:?}", request.uri(), seen("host"), seen("proxy-connection")))
    })
    .await;
    let egress = egress("127.0.0.2/32", &format!("shop.test={}", site.address));
    let proxy = FilteringProxy::open(egress, None, LIMIT).await.unwrap();
    let answer = get(&proxy, "http://shop.test/a?b=c").await;
    assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("/a?b=c Some(\"shop.test\") None"), "{answer}");
    assert_eq!(proxy.refusal("shop.test"), None);
}

#[tokio::test]
async fn a_tunnel_carries_bytes_both_ways() {
    let site = Site::serve("127.0.0.2", |_| text(200, "through the tunnel")).await;
    let egress = egress("127.0.0.2/32", &format!("shop.test:443={}", site.address));
    let proxy = FilteringProxy::open(egress, None, LIMIT).await.unwrap();
    let (mut tunnel, status) = connect(&proxy, "shop.test:443").await;
    assert_eq!(status, "HTTP/1.1 200 OK");
    tunnel.write_all(b"GET / HTTP/1.1\r\nHost: shop.test\r\nConnection: close\r\n\r\n").await.unwrap();
    let mut answer = String::new();
    tunnel.read_to_string(&mut answer).await.unwrap();
    assert!(answer.ends_with("through the tunnel"), "{answer}");
}

#[tokio::test]
async fn private_targets_are_refused_in_both_forms_and_never_dialled() {
    let canary = Site::canary().await;
    let port = canary.address.port();
    let proxy = FilteringProxy::open(egress("127.0.0.2/32", ""), None, LIMIT).await.unwrap();
    for host in ["127.0.0.1", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]", "localhost", "a.localhost.", "[::1]"] {
        let answer = get(&proxy, &format!("http://{host}:{port}/")).await;
        assert!(answer.starts_with("HTTP/1.1 403"), "{host}: {answer}");
        let (_, status) = connect(&proxy, &format!("{host}:{port}")).await;
        assert_eq!(status, "HTTP/1.1 403 Forbidden", "{host}");
        assert!(matches!(proxy.refusal(host), Some(EgressError::PrivateAddress(_))), "{host}");
    }
    assert_eq!(canary.connections(), 0);
}

#[tokio::test]
async fn what_cannot_be_reached_says_why() {
    let closed = TcpListener::bind("127.0.0.2:0").await.unwrap().local_addr().unwrap();
    let hosts = format!("down.test={closed}");
    let proxy = FilteringProxy::open(egress("127.0.0.2/32", &hosts), None, LIMIT).await.unwrap();
    assert!(get(&proxy, "http://down.test/").await.starts_with("HTTP/1.1 502"));
    assert_eq!(proxy.refusal("down.test"), Some(EgressError::Refused("down.test".to_owned())));
    assert!(get(&proxy, "http://unknown.invalid/").await.starts_with("HTTP/1.1 502"));
    assert_eq!(proxy.refusal("UNKNOWN.invalid"), Some(EgressError::Dns("unknown.invalid".to_owned())));
    assert_eq!(connect(&proxy, "down.test:443").await.1, "HTTP/1.1 502 Bad Gateway", "443 is not mapped");
    for (target, refused) in
        [("GET /origin-form", 403), ("GET https://down.test/", 403), ("GET http://a@down.test/", 403)]
    {
        let answer = ask(&proxy, &format!("{target} HTTP/1.1\r\nHost: down.test\r\nConnection: close\r\n\r\n")).await;
        assert!(answer.starts_with(&format!("HTTP/1.1 {refused}")), "{target}: {answer}");
    }
}

#[tokio::test]
async fn the_proxy_cannot_be_reached_through_itself() {
    let proxy = FilteringProxy::open(egress("127.0.0.0/8", ""), None, LIMIT).await.unwrap();
    assert!(get(&proxy, &format!("http://{}/", proxy.address())).await.starts_with("HTTP/1.1 403"));
}

#[tokio::test]
async fn the_byte_budget_ends_the_context_and_is_named() {
    let site = Site::serve("127.0.0.2", |_| text(200, vec![b'x'; 300_000])).await;
    let egress = egress("127.0.0.2/32", &format!("big.test={},other.test={}", site.address, site.address));
    let proxy = FilteringProxy::open(egress, None, 100_000).await.unwrap();
    let answer = get(&proxy, "http://big.test/").await;
    assert!(answer.len() < 300_000, "{} bytes came through", answer.len());
    assert_eq!(proxy.refusal("big.test"), Some(EgressError::TooLarge("big.test".to_owned())));
    assert!(get(&proxy, "http://other.test/").await.starts_with("HTTP/1.1 403"));
    assert_eq!(proxy.refusal("other.test"), Some(EgressError::TooLarge("other.test".to_owned())));
    assert_eq!(site.connections(), 1);
}

#[tokio::test]
async fn dropping_the_proxy_closes_the_listener_and_open_tunnels() {
    let site = Site::serve("127.0.0.2", |_| text(200, "")).await;
    let egress = egress("127.0.0.2/32", &format!("shop.test:443={}", site.address));
    let proxy = FilteringProxy::open(egress, None, LIMIT).await.unwrap();
    let address = proxy.address();
    let (mut tunnel, _) = connect(&proxy, "shop.test:443").await;
    drop(proxy);
    let mut rest = Vec::new();
    let ended = timeout(Duration::from_secs(5), tunnel.read_to_end(&mut rest)).await;
    assert!(ended.is_ok(), "the tunnel is closed");
    let again = TcpSocket::new_v4().unwrap().connect(address).await;
    assert!(again.is_err(), "nobody listens any more");
}

#[tokio::test]
async fn an_upgrade_over_plain_http_is_passed_through() {
    let listener = TcpListener::bind("127.0.0.2:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let site = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(stream.read_u8().await.unwrap());
        }
        let answer = b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n";
        stream.write_all(answer).await.unwrap();
        let mut ping = [0; 4];
        stream.read_exact(&mut ping).await.unwrap();
        stream.write_all(&ping).await.unwrap();
        String::from_utf8(head).unwrap().to_lowercase()
    });
    let egress = egress("127.0.0.2/32", &format!("ws.test={address}"));
    let proxy = FilteringProxy::open(egress, None, LIMIT).await.unwrap();
    let mut stream = dial(&proxy).await;
    let request = "GET http://ws.test/ HTTP/1.1\r\nHost: ws.test\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\nping";
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    timeout(Duration::from_secs(10), stream.read_to_string(&mut answer)).await.expect("it ends").unwrap();
    assert!(answer.starts_with("HTTP/1.1 101") && answer.ends_with("ping"), "{answer}");
    assert!(site.await.unwrap().contains("upgrade: echo"));
}

/// A second filtering proxy serves as the upstream: it speaks the same protocol.
#[tokio::test]
async fn an_upstream_is_used_in_both_forms_and_not_for_private_targets() {
    let site = Site::serve("127.0.0.2", |request| text(200, format!("site saw {}", request.uri()))).await;
    let known = format!("shop.invalid={0},shop.invalid:443={0}", site.address);
    let upstream = FilteringProxy::open(egress("127.0.0.2/32", &known), None, LIMIT).await.unwrap();
    let upstream_url = format!("http://u:p@{}", upstream.address()).parse().unwrap();
    let proxy = FilteringProxy::open(egress("127.0.0.9/32", ""), Some(upstream_url), LIMIT).await.unwrap();
    let answer = get(&proxy, "http://shop.invalid/plain").await;
    assert!(answer.ends_with("site saw /plain"), "{answer}");
    let (mut tunnel, status) = connect(&proxy, "shop.invalid:443").await;
    assert_eq!(status, "HTTP/1.1 200 OK");
    tunnel.write_all(b"GET /tunnel HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").await.unwrap();
    let mut answer = String::new();
    tunnel.read_to_string(&mut answer).await.unwrap();
    assert!(answer.ends_with("site saw /tunnel"), "{answer}");
    assert_eq!(connect(&proxy, "127.0.0.2:8080").await.1, "HTTP/1.1 403 Forbidden");
    assert_eq!(upstream.refusal("127.0.0.2"), None, "it was not asked");
    assert_eq!(connect(&proxy, "other.invalid:443").await.1, "HTTP/1.1 502 Bad Gateway", "the upstream's refusal");
}
