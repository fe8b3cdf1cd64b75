//! The ladder over tinyproxy and microsocks, and over proxies that fail.

use std::net::IpAddr;

use super::bad_proxy::BadProxy;
use super::origin::{DIRECT, Origin};
use super::*;
use crate::proxy_escalator::testing::Proxy;

/// Tiers with these proxies, and without retries, which would only repeat.
fn tiers(datacenter: &str, residential: Option<&str>) -> ProxyConfig {
    ProxyConfig {
        datacenter: Some(datacenter.parse().unwrap()),
        residential: residential.map(|url| url.parse().unwrap()),
        max_retries_per_tier: 0,
        ..ProxyConfig::default()
    }
}

/// 403 for whoever comes from `refused`, 200 for all others.
fn refuses(refused: &[IpAddr]) -> impl Fn(IpAddr) -> u16 + Send + Sync + 'static {
    let refused = refused.to_vec();
    move |peer| if refused.contains(&peer) { 403 } else { 200 }
}

fn came_from(page: &FetchedPage, proxy: &Proxy) {
    let body = String::from_utf8_lossy(&page.body);
    assert!(page.status == 200 && body.ends_with(&format!("from {}", proxy.ip())), "{}: {body}", page.status);
}

#[actix::test]
async fn a_page_refused_directly_comes_through_tinyproxy_plainly_and_in_a_tunnel() {
    let proxy = Proxy::tinyproxy();
    for origin in [Origin::http(refuses(&[DIRECT])).await, Origin::https(refuses(&[DIRECT])).await] {
        let page = fetch(origin.egress(), tiers(&proxy.url(), None), &origin.url()).await.unwrap();
        came_from(&page, &proxy);
        assert_eq!((page.tier, origin.seen()), (Tier::Datacenter, vec![DIRECT, proxy.ip()]));
        let saw = if origin.url().starts_with("https") { "CONNECT 127.0.0.2" } else { "GET http://127.0.0.2" };
        assert!(proxy.log().contains(saw), "{}", proxy.log());
    }
}

#[actix::test]
async fn a_page_refused_directly_comes_through_microsocks_in_either_scheme() {
    let proxy = Proxy::microsocks();
    for origin in [Origin::http(refuses(&[DIRECT])).await, Origin::https(refuses(&[DIRECT])).await] {
        for scheme in ["socks5", "socks5h"] {
            let upstream = proxy.url().replace("socks5h:", &format!("{scheme}:"));
            let page = fetch(origin.egress(), tiers(&upstream, None), &origin.url()).await.unwrap();
            came_from(&page, &proxy);
            assert_eq!((page.tier, origin.seen()), (Tier::Datacenter, vec![DIRECT, proxy.ip()]));
        }
    }
}

#[actix::test]
async fn a_name_is_resolved_here_for_socks5_and_by_the_proxy_for_socks5h() {
    let proxy = Proxy::microsocks();
    for (origin, url) in [
        (Origin::http(refuses(&[DIRECT])).await, "http://shop.test/"),
        (Origin::https(refuses(&[DIRECT])).await, "https://shop.test/"),
    ] {
        let upstream = proxy.url().replace("socks5h:", "socks5:");
        let page = fetch(origin.egress(), tiers(&upstream, None), url).await.unwrap();
        came_from(&page, &proxy);
        assert!(page.body.starts_with(b"shop.test from"), "the site is asked for by its name: {:?}", page.body);
    }
    let (origin, ear) = (Origin::http(|_| 403).await, BadProxy::unwilling_socks().await);
    let config = ProxyConfig { skip_direct: true, ..tiers(&ear.url("socks5h"), None) };
    let refused = fetch(origin.egress(), config, "http://shop.test/").await.unwrap_err();
    assert_eq!(refused, EgressError::Refused("shop.test".to_owned()));
    assert_eq!(ear.heard(), [b"\x05\x01\x00\x05\x01\x00\x03\x09shop.test\x00\x50"]);
    assert_eq!(origin.seen(), Vec::<IpAddr>::new());
}

#[actix::test]
async fn a_proxy_that_refuses_our_credentials_is_followed_by_the_next_tier() {
    let (http, socks) = (Proxy::tinyproxy(), Proxy::microsocks());
    for origin in [Origin::http(refuses(&[DIRECT])).await, Origin::https(refuses(&[DIRECT])).await] {
        // tinyproxy: 401 for a wrong password, 407 for none.
        for login in ["user:wrong@", ""] {
            let config = tiers(&http.url_as("http", login), Some(&socks.url()));
            let page = fetch(origin.egress(), config, &origin.url()).await.unwrap();
            came_from(&page, &socks);
            let config = tiers(&socks.url_as("socks5h", login), Some(&http.url()));
            let page = fetch(origin.egress(), config, &origin.url()).await.unwrap();
            came_from(&page, &http);
            assert_eq!(origin.seen(), [DIRECT, socks.ip(), DIRECT, http.ip()]);
        }
    }
}

#[actix::test]
async fn credentials_that_no_tier_takes_are_a_failure_and_not_the_sites_answer() {
    let http = Proxy::tinyproxy();
    let origin = Origin::http(refuses(&[DIRECT])).await;
    let failure = fetch(origin.egress(), tiers(&http.url_as("http", ""), None), &origin.url()).await.unwrap_err();
    assert_eq!(failure, EgressError::Refused("127.0.0.2".to_owned()));
}

#[actix::test]
async fn a_proxy_that_closes_or_forbids_is_followed_by_the_next_tier() {
    let good = Proxy::tinyproxy();
    let bad = [BadProxy::closing().await, BadProxy::forbidding().await];
    for origin in [Origin::http(refuses(&[DIRECT])).await, Origin::https(refuses(&[DIRECT])).await] {
        for scheme in ["http", "socks5", "socks5h"] {
            for proxy in &bad {
                let config = tiers(&proxy.url(scheme), Some(&good.url()));
                let page = fetch(origin.egress(), config, &origin.url()).await.unwrap();
                came_from(&page, &good);
                assert_eq!((page.tier, origin.seen()), (Tier::Residential, vec![DIRECT, good.ip()]), "{scheme}");
            }
        }
    }
}

#[actix::test]
async fn a_proxy_that_hangs_is_left_for_the_next_tier_after_the_time_of_an_attempt() {
    let (good, hanging) = (Proxy::tinyproxy(), BadProxy::hanging().await);
    let (plain, secure) = (Origin::http(|_| 200).await, Origin::https(|_| 200).await);
    for (origin, scheme) in [(&plain, "http"), (&secure, "http"), (&plain, "socks5"), (&secure, "socks5h")] {
        let mut config = tiers(&hanging.url(scheme), Some(&good.url()));
        (config.skip_direct, config.request_timeout) = (true, Duration::from_millis(400));
        let page = fetch(origin.egress(), config, &origin.url()).await.unwrap();
        came_from(&page, &good);
        assert_eq!((page.tier, origin.seen()), (Tier::Residential, vec![good.ip()]), "{scheme}");
    }
    assert_eq!(hanging.heard().len(), 4);
}

#[actix::test]
async fn when_all_tiers_fail_the_last_failure_or_page_is_the_answer() {
    let (good, closing) = (Proxy::tinyproxy(), BadProxy::closing().await);
    let origin = Origin::http(refuses(&[DIRECT, good.ip()])).await;
    let config = tiers(&good.url(), Some(&closing.url("http")));
    let failure = fetch(origin.egress(), config, &origin.url()).await.unwrap_err();
    assert_eq!(failure, EgressError::Refused("127.0.0.2".to_owned()));
    let config = tiers(&closing.url("http"), Some(&good.url()));
    let page = fetch(origin.egress(), config, &origin.url()).await.unwrap();
    assert_eq!((page.status, page.tier), (403, Tier::Residential));
}

#[actix::test]
async fn a_proxied_tier_is_retried_each_time_with_a_connection_of_its_own() {
    let (http, socks) = (Proxy::tinyproxy(), Proxy::microsocks());
    for proxy in [&http, &socks] {
        for origin in [Origin::http(|_| 403).await, Origin::https(|_| 403).await] {
            let config = ProxyConfig { max_retries_per_tier: 2, ..tiers(&proxy.url(), None) };
            assert_eq!(fetch(origin.egress(), config, &origin.url()).await.unwrap().status, 403);
            assert_eq!(origin.seen(), [DIRECT, proxy.ip(), proxy.ip(), proxy.ip()]);
            assert_eq!(origin.connections(), 4);
        }
    }
}

#[actix::test]
async fn the_switches_are_obeyed() {
    let proxy = Proxy::microsocks();
    let origin = Origin::http(refuses(&[DIRECT])).await;
    let skipping = ProxyConfig { skip_direct: true, ..tiers(&proxy.url(), None) };
    came_from(&fetch(origin.egress(), skipping, &origin.url()).await.unwrap(), &proxy);
    assert_eq!(origin.seen(), [proxy.ip()]);
    let disabled = ProxyConfig { enabled: false, ..tiers(&proxy.url(), None) };
    let page = fetch(origin.egress(), disabled, &origin.url()).await.unwrap();
    assert_eq!((page.status, origin.seen()), (403, vec![DIRECT]));
    let listed = ProxyConfig { escalation_status_codes: vec![418], ..tiers(&proxy.url(), None) };
    let page = fetch(origin.egress(), listed.clone(), &origin.url()).await.unwrap();
    assert_eq!((page.status, origin.seen()), (403, vec![DIRECT]));
    let teapot = Origin::http(|peer| if peer == DIRECT { 418 } else { 200 }).await;
    came_from(&fetch(teapot.egress(), listed, &teapot.url()).await.unwrap(), &proxy);
}

#[actix::test]
async fn a_host_that_a_proxy_served_is_not_asked_directly_again() {
    let proxy = Proxy::microsocks();
    let (origin, other) = (Origin::http(refuses(&[DIRECT])).await, Origin::http(|_| 200).await);
    let egress = egress("127.0.0.2/32", &format!("refusing.test={},friendly.test={}", origin.address, other.address));
    let upstream = proxy.url().replace("socks5h:", "socks5:");
    let (gate, _keeper) = escalator(egress, tiers(&upstream, None));
    let ask = async |url: &str| {
        let deadline = Instant::now() + Duration::from_secs(15);
        gate.ask(FetchPage { url: url.parse().unwrap(), deadline, max_bytes: 10_000 }).await.unwrap().unwrap()
    };
    for _ in 0..3 {
        came_from(&ask("http://refusing.test/").await, &proxy);
    }
    assert_eq!(origin.seen(), [DIRECT, proxy.ip(), proxy.ip(), proxy.ip()]);
    assert_eq!(ask("http://friendly.test/").await.tier, Tier::Direct);
    assert_eq!(gate.ask(ChooseTier { host: "refusing.test".to_owned() }).await.unwrap(), Some(Tier::Datacenter));
    gate.ask(TierWorked { host: "refusing.test".to_owned(), tier: Tier::Direct }).await.unwrap();
    assert_eq!(gate.ask(ChooseTier { host: "refusing.test".to_owned() }).await.unwrap(), None);
}

#[actix::test]
async fn private_addresses_are_refused_on_every_tier() {
    let canary = Site::canary().await;
    let ear = BadProxy::hanging().await;
    for scheme in ["http", "socks5", "socks5h"] {
        let config = ProxyConfig { skip_direct: true, ..tiers(&ear.url(scheme), None) };
        for url in [canary.url("/"), "https://10.0.0.1/".to_owned(), "http://localhost/".to_owned()] {
            let refused = fetch(egress("127.0.0.2/32", ""), config.clone(), &url).await.unwrap_err();
            assert_eq!(refused.reason(), "private_address", "{scheme} {url}");
        }
    }
    assert_eq!((ear.heard().len(), canary.connections()), (0, 0));
}
