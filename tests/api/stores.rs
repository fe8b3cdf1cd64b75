//! Several replicas on one store, and what happens to clients when it dies.

use std::sync::Arc;
use std::time::Duration;

use actors::key_ring::{CreatedKey, Plan};
use actors::shared_store::testing::{RedisServer, RestFront};
use tokio::time::{Instant, sleep};

use crate::helpers::TestApp;

/// Seconds that the store is away in the test under load; more by hand.
const OUTAGE: &str = "BLAZON_TEST_OUTAGE_SECONDS";

async fn cache_check(app: &TestApp) -> (u16, String) {
    let ready = app.get("/readyz", "").await;
    (ready.status, ready.json()["checks"]["cache"].as_str().unwrap_or_default().to_owned())
}

async fn until_cache_is(app: &TestApp, ok: bool) -> Duration {
    let started = Instant::now();
    loop {
        let (_, cache) = cache_check(app).await;
        if (cache == "ok") == ok {
            return started.elapsed();
        }
        assert!(started.elapsed() < Duration::from_secs(20), "cache: {cache}");
        sleep(Duration::from_millis(50)).await;
    }
}

#[actix_web::test]
async fn replicas_share_answers_and_limits() {
    let server = RedisServer::start().await;
    let folder = Arc::new(tempfile::tempdir().expect("a folder"));
    let variables = [("CACHESTORE_REST_URL", server.url())];
    let variables: Vec<_> = variables.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let one = TestApp::start_in(folder.clone(), &variables).await;
    let two = TestApp::start_in(folder, &variables).await;
    let user = one.key(Plan::Pro, 10).await;
    assert_eq!(one.scrape("markdown", "/article", "&javascript=false", &user).await.header("x-cache"), "miss");
    let again = two.scrape("markdown", "/article", "&javascript=false", &user).await;
    assert_eq!((again.status, again.header("x-cache"), two.site.requests()), (200, "hit", 0));
    let limited = one.key(Plan::Free, 0).await;
    let mut admitted = 0;
    for turn in 0..30 {
        let app = if turn % 2 == 0 { &one } else { &two };
        admitted += u32::from(app.get("/v1/account", &limited.key).await.status == 200);
    }
    assert_eq!(admitted, 20);
}

#[actix_web::test]
async fn a_store_over_rest_serves_as_well_and_a_wrong_token_is_named() {
    let server = RedisServer::start().await;
    let front = RestFront::start(server.address()).await;
    let url = front.url();
    let app = TestApp::start_with(&[("CACHESTORE_REST_URL", &url), ("CACHESTORE_REST_TOKEN", front.token())]).await;
    let user = app.key(Plan::Pro, 10).await;
    for cached in ["miss", "hit"] {
        let reply = app.scrape("markdown", "/article", "&javascript=false", &user).await;
        assert_eq!((reply.status, reply.header("x-cache")), (200, cached));
    }
    let app = TestApp::start_with(&[("CACHESTORE_REST_URL", &url), ("CACHESTORE_REST_TOKEN", "wrong")]).await;
    let (status, cache) = cache_check(&app).await;
    assert_eq!((status, cache.as_str()), (503, "CACHESTORE_REST_URL: refused: Unauthorized"));
    let user = app.key(Plan::Pro, 10).await;
    assert_eq!(app.scrape("markdown", "/article", "&javascript=false", &user).await.status, 200);
}

#[actix_web::test]
async fn a_store_that_dies_under_load_costs_no_client_an_error_and_limits_hold() {
    #[expect(clippy::disallowed_methods, reason = "how long the outage lasts is the caller's choice")]
    let outage = std::env::var(OUTAGE).ok().and_then(|seconds| seconds.parse().ok()).unwrap_or(2);
    let mut server = RedisServer::start().await;
    let app = TestApp::start_with(&[("CACHESTORE_REST_URL", &server.url())]).await;
    let (scraper, limited) = (app.key(Plan::Enterprise, 1_000_000).await, app.key(Plan::Free, 0).await);
    until_cache_is(&app, true).await;
    let ended = std::cell::Cell::new(false);
    let outcomes = async {
        // Without the cache each of these fetches the page and pays for it.
        let scraping = (0..4).map(|_| {
            load(&app, &ended, &scraper, "/v1/web/scrape/html?url=http://site.test/article&javascript=false", 150)
        });
        let counting = load(&app, &ended, &limited, "/v1/account", 60);
        futures::join!(futures::future::join_all(scraping), counting)
    };
    let faults = async {
        sleep(Duration::from_millis(500)).await;
        server.kill();
        until_cache_is(&app, false).await;
        let (status, _) = cache_check(&app).await;
        sleep(Duration::from_secs(outage)).await;
        server.restart().await;
        let back = until_cache_is(&app, true).await;
        sleep(Duration::from_millis(500)).await;
        ended.set(true);
        (status, back)
    };
    let ((scraped, counted), (status, back)) = futures::join!(outcomes, faults);
    assert_eq!(status, 503);
    assert!(back < Duration::from_secs(5), "back after {back:?}");
    let (scraped, counted): (Vec<u16>, Vec<u16>) = (scraped.into_iter().flatten().collect(), counted);
    assert!(scraped.len() > 20, "there was a load: {}", scraped.len());
    assert!(scraped.iter().all(|status| *status == 200), "{scraped:?}");
    assert!(counted.iter().all(|status| [200, 429].contains(status)), "{counted:?}");
    assert_eq!(counted.iter().filter(|status| **status == 200).count(), 20, "in less than a minute");
    println!(
        "{} scrapes and {} checks around {outage} s without a store; back in {back:?}",
        scraped.len(),
        counted.len()
    );
}

/// Asks again and again, with a pause, until told to end; the statuses.
async fn load(app: &TestApp, ended: &std::cell::Cell<bool>, user: &CreatedKey, path: &str, pause_ms: u64) -> Vec<u16> {
    let mut statuses = Vec::new();
    while !ended.get() {
        statuses.push(app.get(path, &user.key).await.status);
        sleep(Duration::from_millis(pause_ms)).await;
    }
    statuses
}

#[actix_web::test]
async fn without_a_store_a_restart_does_not_give_the_day_back() {
    let folder = Arc::new(tempfile::tempdir().expect("a folder"));
    let mut app = TestApp::start_in(folder.clone(), &[]).await;
    let user = app.key(Plan::Free, 0).await;
    for _ in 0..7 {
        assert_eq!(app.get("/v1/account", &user.key).await.status, 200);
    }
    app.stop().await;
    let app = TestApp::start_in(folder, &[]).await;
    let limits = app.get("/v1/account", &user.key).await;
    assert!(limits.header("ratelimit").contains("\"day\";r=992;"), "{}", limits.header("ratelimit"));
}
