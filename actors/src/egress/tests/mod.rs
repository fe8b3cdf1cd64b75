mod attack;
mod bombs;
mod cases;
mod cookies;
mod dialling;
mod http1;
mod http2;
mod rebinding;
mod smuggled;
mod tls;
mod zone;

use std::io::Write;
use std::net::SocketAddr;
use std::time::Duration;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use http_body_util::Full;
use hyper::Response;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio::time::Instant;
use url::Url;

use super::testing::{Site, config, egress, text};
use super::{Egress, EgressError, Fetch, Fetched, fetch};

const LIMIT: usize = 100_000;

async fn get_until(egress: &Egress, url: &str, deadline: Duration) -> Result<Fetched, EgressError> {
    let url: Url = url.parse().unwrap();
    fetch(egress, None, Fetch { url: &url, deadline: Instant::now() + deadline, max_bytes: LIMIT }).await
}

async fn get(egress: &Egress, url: &str) -> Result<Fetched, EgressError> {
    get_until(egress, url, Duration::from_secs(20)).await
}

fn redirect(status: u16, location: &str) -> Response<Full<Bytes>> {
    Response::builder().status(status).header("location", location).body(Full::default()).unwrap()
}

fn gzip(status: u16, body: &[u8]) -> Response<Full<Bytes>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(body).unwrap();
    let body = Full::new(Bytes::from(encoder.finish().unwrap()));
    Response::builder().status(status).header("content-encoding", "gzip").body(body).unwrap()
}

/// A site under `127.0.0.2`, the way out that may reach it alone, and the name
/// that leads to it.
async fn shop<F>(answer: F) -> (Site, Egress)
where
    F: Fn(&str) -> Response<Full<Bytes>> + Send + Sync + 'static,
{
    let site = Site::serve("127.0.0.2", move |request| answer(&request.uri().to_string())).await;
    let egress = egress("127.0.0.2/32", &format!("shop.test={}", site.address));
    (site, egress)
}

#[tokio::test]
async fn every_kind_of_redirect_is_followed_and_the_reported_url_is_the_public_one() {
    let (site, egress) = shop(|path| match path {
        "/301" => redirect(301, "/302"),
        "/302" => redirect(302, "303?x=1"),
        "/303?x=1" => redirect(303, "//shop.test/307"),
        "/307" => redirect(307, "http://shop.test:80/308"),
        "/308" => redirect(308, "/end"),
        "/304" => redirect(304, "/end"),
        path => text(if path == "/end" { 404 } else { 500 }, "the end"),
    })
    .await;
    let page = get(&egress, "http://shop.test/301").await.unwrap();
    assert_eq!((page.final_url.as_str(), page.status, &page.body[..]), ("http://shop.test/end", 404, &b"the end"[..]));
    assert!(page.headers.contains(&("content-length".to_owned(), "7".to_owned())));
    assert_eq!(get(&egress, "http://shop.test/304").await.unwrap().status, 304, "not a redirect");
    assert_eq!(site.connections(), 1, "the connection is kept");
}

#[tokio::test]
async fn the_site_sees_its_own_name_and_a_browsers_headers() {
    let site = Site::serve("127.0.0.2", |request| {
        let seen = |name: &str| request.headers().get(name).map_or("", |value| value.to_str().unwrap()).to_owned();
        text(200, format!("{}|{}|{}|{}", seen("host"), seen("user-agent"), seen("accept-language"), seen("referer")))
    })
    .await;
    let egress = egress("127.0.0.2/32", &format!("shop.test={}", site.address));
    let page = get(&egress, "http://shop.test/").await.unwrap();
    assert_eq!(page.body, "shop.test|BlazonTest/1|en-US,en;q=0.9|");
    assert_eq!(page.final_url.as_str(), "http://shop.test/");
    let page = get(&egress, &site.url("/")).await.unwrap();
    assert_eq!(page.body, format!("{}|BlazonTest/1|en-US,en;q=0.9|", site.address), "by address as well");
}

#[tokio::test]
async fn redirects_that_do_not_end_or_lead_nowhere_are_an_error() {
    let (_site, egress) = shop(|path| match path {
        "/loop" => redirect(302, "/loop"),
        "/file" => redirect(302, "file:///etc/passwd"),
        "/gopher" => redirect(302, "gopher://shop.test/"),
        "/javascript" => redirect(302, "javascript:alert(1)"),
        "/port" => redirect(302, "http://shop2.test:22/"),
        "/user" => redirect(302, "http://admin@shop.test/"),
        hop => match hop[1..].parse::<usize>() {
            Ok(0) => text(200, "arrived"),
            Ok(left) => redirect(302, &format!("/{}", left - 1)),
            Err(_) => text(500, ""),
        },
    })
    .await;
    for path in ["loop", "file", "gopher", "javascript", "port", "user", "11"] {
        let refused = get(&egress, &format!("http://shop.test/{path}")).await.err();
        assert_eq!(refused, Some(EgressError::Redirects("shop.test".to_owned())), "{path}");
    }
    assert_eq!(get(&egress, "http://shop.test/10").await.unwrap().body, "arrived");
}

#[tokio::test]
async fn a_redirect_to_a_private_address_is_refused_before_it_is_dialled() {
    let canary = Site::canary().await;
    let targets =
        [canary.url("/"), canary.url("/").replace("127.0.0.1", "0x7f.1"), canary.url("/").replacen("http:", "", 1)];
    for target in targets {
        let (_site, egress) = shop(move |_| redirect(307, &target)).await;
        let refused = get(&egress, "http://shop.test/").await.err();
        assert_eq!(refused, Some(EgressError::PrivateAddress("127.0.0.1".to_owned())));
    }
    assert_eq!(canary.connections(), 0);
}

#[tokio::test]
async fn a_name_that_leads_to_a_private_address_is_refused_as_such() {
    let canary = Site::canary().await;
    let server = super::testing::NameServer::start(&[("inside.test", &["127.0.0.1"])]).await;
    let mut config = config("127.0.0.2/32", "");
    config.nameservers = vec![server.address];
    let egress = Egress::new(config).unwrap();
    let url = format!("http://inside.test:{}/", canary.address.port());
    assert_eq!(get(&egress, &url).await.err(), Some(EgressError::PrivateAddress("inside.test".to_owned())));
    assert_eq!(canary.connections(), 0);
}

#[tokio::test]
async fn the_limit_counts_inflated_bytes() {
    let (_site, egress) = shop(|path| match path {
        "/exact" => text(200, vec![b'x'; LIMIT]),
        "/over" => text(200, vec![b'x'; LIMIT + 1]),
        "/bomb" => gzip(200, &vec![0; 50_000_000]),
        _ => gzip(200, b"inflated"),
    })
    .await;
    let too_large = Some(EgressError::TooLarge("shop.test".to_owned()));
    assert_eq!(get(&egress, "http://shop.test/exact").await.unwrap().body.len(), LIMIT);
    assert_eq!(get(&egress, "http://shop.test/over").await.err(), too_large);
    assert_eq!(get(&egress, "http://shop.test/bomb").await.err(), too_large);
    assert_eq!(get(&egress, "http://shop.test/small").await.unwrap().body, "inflated");
}

#[tokio::test]
async fn a_site_that_does_not_answer_or_does_not_finish_times_out() {
    let listener = TcpListener::bind("127.0.0.2:0").await.unwrap();
    let egress = egress("127.0.0.2/32", &format!("slow.test={}", listener.local_addr().unwrap()));
    let site = tokio::spawn(async move {
        let mut held = Vec::new();
        for answer in [&b""[..], b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nsome"] {
            let (mut stream, _) = listener.accept().await.unwrap();
            let _ = stream.read(&mut [0; 1024]).await.unwrap();
            stream.write_all(answer).await.unwrap();
            held.push(stream);
        }
        std::future::pending::<()>().await;
    });
    for _ in 0..2 {
        let failure = get_until(&egress, "http://slow.test/", Duration::from_millis(300)).await.err();
        assert_eq!(failure, Some(EgressError::Timeout("slow.test".to_owned())));
    }
    site.abort();
}

/// A server that reads once and then says `answer`, or hangs up when empty.
async fn raw(answer: &'static [u8]) -> (SocketAddr, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.2:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let serving = tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let _ = stream.read(&mut [0; 4096]).await;
            let _ = stream.write_all(answer).await;
            if !answer.is_empty() {
                // Closing with unread bytes would reset the connection under the answer.
                let _ = stream.read_to_end(&mut Vec::new()).await;
            }
        }
    });
    (address, serving)
}

#[tokio::test]
async fn failures_to_connect_are_told_apart() {
    let closed = TcpListener::bind("127.0.0.2:0").await.unwrap().local_addr().unwrap();
    let (plain, plain_site) = raw(b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
    let (hangs_up, rude_site) = raw(b"").await;
    let hosts = format!("closed.test={closed},plain.test:443={plain},hangs.test={hangs_up},hangs.test:443={hangs_up}");
    let egress = egress("127.0.0.2/32", &hosts);
    let name = str::to_owned;
    for (url, expected) in [
        ("http://absent.invalid/", EgressError::Dns(name("absent.invalid"))),
        ("http://closed.test/", EgressError::Refused(name("closed.test"))),
        ("https://closed.test/", EgressError::Refused(name("closed.test"))),
        ("http://hangs.test/", EgressError::Refused(name("hangs.test"))),
        ("https://hangs.test/", EgressError::Tls(name("hangs.test"))),
        ("https://plain.test/", EgressError::Tls(name("plain.test"))),
    ] {
        assert_eq!(get(&egress, url).await.err(), Some(expected), "{url}");
    }
    plain_site.abort();
    rude_site.abort();
}
