//! Names that change their mind between the look and the leap.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket};
use tokio::time::Instant;
use url::Url;

use crate::egress::testing::{Answer, NameServer, Origin, address_record, config};
use crate::egress::{Egress, EgressConfig, EgressError, Fetch, FilteringProxy, fetch};

const OK: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\nsite";

/// Both on one port, so that only the address tells them apart: what may be
/// reached at 127.0.0.2 and what must not at 127.0.0.1.
struct Twins {
    site: Origin,
    canary: Origin,
}

impl Twins {
    async fn start() -> Self {
        loop {
            let site = Origin::saying("127.0.0.2", |_| OK.into()).await;
            if let Ok(listener) = TcpListener::bind(("127.0.0.1", site.address.port())).await {
                return Self { site, canary: Origin::at(listener, |_| std::future::ready(())) };
            }
        }
    }

    fn url(&self, host: &str) -> Url {
        format!("http://{host}:{}/", self.site.address.port()).parse().unwrap()
    }
}

/// A name server whose every second answer is 127.0.0.1, and the others
/// 127.0.0.2, to be kept for `ttl` seconds.
async fn flipping(ttl: u32) -> NameServer {
    let turn = Arc::new(AtomicUsize::new(0));
    NameServer::answering(move |name, kind| {
        // Questions for the other family leave the turn as it is.
        let asks_for_ipv4 = address_record(name, IpAddr::from([0; 4]), kind, ttl).is_some();
        let turn = turn.fetch_add(usize::from(asks_for_ipv4), Ordering::SeqCst);
        let address = if turn.is_multiple_of(2) { [127, 0, 0, 2] } else { [127, 0, 0, 1] };
        Answer::Records(address_record(name, address.into(), kind, ttl).into_iter().collect())
    })
    .await
}

fn asking(server: &NameServer, allow: &str) -> EgressConfig {
    EgressConfig { nameservers: vec![server.address], ..config(allow, "") }
}

async fn get(egress: &Egress, url: &Url) -> Result<u16, EgressError> {
    let what = Fetch { url, deadline: Instant::now() + Duration::from_secs(20), max_bytes: 1000 };
    fetch(egress, None, what).await.map(|page| page.status)
}

/// Fetches `flips` times and returns how many were served and how many refused
/// as private.
async fn flip(egress: &Egress, url: impl Fn(usize) -> Url, flips: usize) -> (usize, usize) {
    let (mut served, mut refused) = (0, 0);
    for turn in 0..flips {
        match get(egress, &url(turn)).await {
            Ok(200) => served += 1,
            Err(EgressError::PrivateAddress(_)) => refused += 1,
            other => panic!("turn {turn}: {other:?}"),
        }
    }
    (served, refused)
}

#[tokio::test]
async fn a_thousand_flips_between_an_open_and_a_forbidden_address_never_lead_inside() {
    let (twins, server) = (Twins::start().await, flipping(0).await);
    let egress = Egress::new(asking(&server, "127.0.0.2/32")).unwrap();
    let (served, refused) = flip(&egress, |_| twins.url("flip.test"), 1000).await;
    println!(
        "{served} served, {refused} refused, {} canary hits, {} questions",
        twins.canary.connections(),
        server.queries()
    );
    assert_eq!(twins.canary.connections(), 0);
    assert_eq!((served, refused), (500, 500), "every fetch asked anew");
    assert_eq!(twins.site.connections(), 500);
    assert!(server.queries() >= 2000, "both families each time");
}

#[tokio::test]
async fn a_cached_answer_is_judged_and_dialled_like_a_fresh_one() {
    let (twins, server) = (Twins::start().await, flipping(60).await);
    let egress = Egress::new(asking(&server, "127.0.0.2/32")).unwrap();
    let name = |turn: usize| twins.url(&format!("flip{}.test", turn % 10));
    let (served, refused) = flip(&egress, name, 200).await;
    assert_eq!((served, refused), (100, 100), "each name keeps its first answer");
    assert_eq!((twins.canary.connections(), twins.site.connections()), (0, 100));
    assert_eq!(server.queries(), 10 + 200, "that there is no IPv6 address is said without a time to keep it");
}

/// The port has a socket of ours at 127.0.0.1 and a stranger's at 127.0.0.2; the
/// whole network is allowed, so nothing but the port check stands in between.
#[tokio::test]
async fn a_socket_of_ours_is_not_reached_by_flipping_inside_an_allowed_network() {
    let (twins, server) = (Twins::start().await, flipping(0).await);
    let config = EgressConfig { own_sockets: vec![twins.canary.address], ..asking(&server, "127.0.0.0/8") };
    let egress = Egress::new(config).unwrap();
    let (served, refused) = flip(&egress, |_| twins.url("flip.test"), 10).await;
    assert_eq!(twins.canary.connections(), 0);
    assert_eq!((served, refused), (5, 5));
}

#[tokio::test]
async fn a_hundred_flips_behind_the_browsers_proxy_never_lead_inside() {
    let (twins, server) = (Twins::start().await, flipping(0).await);
    let egress = Egress::new(asking(&server, "127.0.0.2/32")).unwrap();
    let proxy = FilteringProxy::open(egress, None, u64::MAX / 2).await.unwrap();
    let authority = format!("flip.test:{}", twins.site.address.port());
    let mut statuses = Vec::new();
    for turn in 0..100 {
        let mut stream = TcpSocket::new_v4().unwrap().connect(proxy.address()).await.unwrap();
        let target = if turn < 50 { format!("GET http://{authority}/") } else { format!("CONNECT {authority}") };
        let request = format!("{target} HTTP/1.1\r\nHost: {authority}\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut status = [0; 12];
        stream.read_exact(&mut status).await.unwrap();
        statuses.push(String::from_utf8_lossy(&status[9..]).into_owned());
    }
    assert_eq!(twins.canary.connections(), 0);
    for (status, expected) in [("200", 50), ("403", 50)] {
        assert_eq!(statuses.iter().filter(|seen| *seen == status).count(), expected, "{status}");
    }
}

/// What a caller can see of a forbidden port is the same, open or closed, and
/// nobody is asked.
#[tokio::test]
async fn an_open_private_port_looks_like_a_closed_one() {
    let (canary, server) = (Origin::canary().await, NameServer::start(&[("in.test", &["127.0.0.1"])]).await);
    let egress = Egress::new(asking(&server, "127.0.0.2/32")).unwrap();
    let proxy = FilteringProxy::open(egress.clone(), None, u64::MAX / 2).await.unwrap();
    let unused = TcpListener::bind("[::]:0").await.unwrap().local_addr().unwrap().port();
    for host in ["127.0.0.1", "[::1]", "in.test", "192.0.2.2"] {
        let mut seen = Vec::new();
        for port in [canary.address.port(), unused] {
            let url: Url = format!("http://{host}:{port}/").parse().unwrap();
            let error = get(&egress, &url).await.unwrap_err();
            let mut stream = TcpSocket::new_v4().unwrap().connect(proxy.address()).await.unwrap();
            let request = format!("GET {url} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
            stream.write_all(request.as_bytes()).await.unwrap();
            let mut answer = String::new();
            stream.read_to_string(&mut answer).await.unwrap();
            let undated = answer.lines().filter(|line| !line.starts_with("date: "));
            seen.push((error.to_string(), error.reason(), undated.collect::<Vec<_>>().join("\n")));
        }
        assert_eq!(seen[0], seen[1], "{host}");
        assert_eq!(seen[0].1, "private_address");
    }
    assert_eq!(canary.connections(), 0);
}

#[tokio::test]
async fn a_name_server_that_is_silent_costs_no_more_than_the_deadline() {
    let server = NameServer::answering(|_, _| Answer::Silence).await;
    let egress = Egress::new(asking(&server, "127.0.0.2/32")).unwrap();
    let url: Url = "http://silent.test/".parse().unwrap();
    let what = Fetch { url: &url, deadline: Instant::now() + Duration::from_millis(500), max_bytes: 1000 };
    let failure = fetch(&egress, None, what).await.err();
    assert_eq!(failure, Some(EgressError::Timeout("silent.test".to_owned())));
}
