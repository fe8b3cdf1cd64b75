use actors::key_ring::{Plan, RevokeKey, RotateKey};
use tokio::time::{Duration, sleep};
use uuid::Uuid;

use crate::helpers::TestApp;

#[actix_web::test]
async fn only_a_valid_bearer_key_opens_the_api() {
    let app = TestApp::start().await;
    let user = app.key(Plan::Free, 10).await;
    let key = user.key.as_str();
    let mut last_changed = key.to_owned();
    let other = if last_changed.pop() == Some('0') { '1' } else { '0' };
    last_changed.push(other);
    let refused = [
        vec![],
        vec![("authorization", key.to_owned())],
        vec![("authorization", format!("Basic {key}"))],
        vec![("authorization", "Bearer ".to_owned())],
        vec![("authorization", format!("Bearer {last_changed}"))],
        vec![("authorization", "Bearer blz_live_".to_owned())],
        vec![("authorization", format!("Bearer {}", "x".repeat(5_000)))],
        vec![("authorization", format!("Bearer {key}")), ("authorization", format!("Bearer {key}"))],
        vec![("x-api-key", key.to_owned())],
    ];
    for headers in refused {
        let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let reply = app.send(reqwest::Method::GET, "/v1/account", &headers).await;
        assert_eq!((reply.status, reply.code().as_str()), (401, "UNAUTHORIZED"), "{headers:?}");
        assert!(!reply.text.contains(key));
    }
    assert_eq!(app.get(&format!("/v1/account?api_key={key}"), "").await.status, 401, "never in the query");
    for scheme in ["Bearer", "bearer"] {
        let header = format!("{scheme} {key}");
        assert_eq!(app.send(reqwest::Method::GET, "/v1/account", &[("authorization", &header)]).await.status, 200);
    }
}

#[actix_web::test]
async fn authentication_comes_before_validation() {
    let app = TestApp::start().await;
    assert_eq!(app.get("/v1/web/scrape/html?timeout=abc", "").await.status, 401);
}

#[actix_web::test]
async fn a_revoked_key_is_dead_within_a_second_and_a_rotated_one_lives_on() {
    let app = TestApp::start().await;
    let (gone, old) = (app.key(Plan::Free, 10).await, app.key(Plan::Free, 10).await);
    assert_eq!(app.get("/v1/account", &gone.key).await.status, 200);
    app.services.keys.ask(RevokeKey { key_id: gone.key_id }).await.expect("asked").expect("revoked");
    let new = app.services.keys.ask(RotateKey { key_id: old.key_id }).await.expect("asked").expect("rotated");
    sleep(Duration::from_millis(1_050)).await;
    assert_eq!(app.get("/v1/account", &gone.key).await.status, 401);
    assert_eq!(app.get("/v1/account", &old.key).await.status, 200);
    assert_eq!(app.get("/v1/account", &new.key).await.status, 200);
}

#[actix_web::test]
async fn the_minute_limit_of_the_plan_holds_and_is_announced() {
    let app = TestApp::start().await;
    let user = app.key(Plan::Free, 100).await;
    for left in (0..20).rev() {
        let reply = app.get("/v1/account", &user.key).await;
        assert_eq!(reply.status, 200);
        assert_eq!(reply.header("x-ratelimit-remaining"), left.to_string());
    }
    let reply = app.get("/v1/web/scrape/html?timeout=abc", &user.key).await;
    assert_eq!((reply.status, reply.code().as_str()), (429, "RATE_LIMITED"), "before validation: {}", reply.text);
    assert_eq!(reply.header("ratelimit-policy"), r#""minute";q=20;w=60, "day";q=1000;w=86400"#);
    assert!(reply.header("ratelimit").starts_with(r#""minute";r=0;t="#), "{}", reply.header("ratelimit"));
    assert!(reply.header("retry-after").parse::<u32>().is_ok_and(|wait| (1..=60).contains(&wait)));
    assert_eq!(reply.header("x-credits-used"), "0");
    assert_eq!(reply.header("x-credits-remaining"), "100");
}

#[actix_web::test]
async fn a_request_id_of_the_client_is_taken_over_when_it_is_a_uuid() {
    let app = TestApp::start().await;
    let id = Uuid::now_v7().to_string();
    let reply = app.send(reqwest::Method::GET, "/healthz", &[("x-request-id", &id)]).await;
    assert_eq!(reply.header("x-request-id"), id);
    let reply = app.send(reqwest::Method::GET, "/healthz", &[("x-request-id", "<script>")]).await;
    assert_eq!(Uuid::parse_str(reply.header("x-request-id")).expect("a new id").get_version_num(), 7);
}

#[actix_web::test]
async fn with_authentication_switched_off_nothing_is_charged_or_limited() {
    let app = TestApp::start_with(&[("AUTH_BYPASS", "true")]).await;
    for _ in 0..25 {
        let reply = app
            .send(reqwest::Method::GET, "/v1/web/scrape/html?url=http://site.test/article&javascript=false", &[])
            .await;
        assert_eq!(reply.status, 200);
        assert_eq!(reply.json()["credits_used"], 0);
    }
}

#[actix_web::test]
async fn a_full_browser_pool_answers_503_with_retry_after() {
    let app = TestApp::start_with(&[("MAX_CONCURRENT_PAGES", "1")]).await;
    let user = app.key(Plan::Enterprise, 1_000).await;
    let paths: Vec<_> = (0..12).map(|index| format!("/slow?n={index}")).collect();
    let replies = futures::future::join_all(paths.iter().map(|path| app.scrape("html", path, "", &user))).await;
    let busy: Vec<_> = replies.iter().filter(|reply| reply.status == 503).collect();
    assert!(!busy.is_empty() && busy.len() < 12, "some are served, some refused");
    assert!(busy.iter().all(|reply| reply.header("retry-after") == "1" && reply.code() == "SERVICE_UNAVAILABLE"));
    assert!(replies.iter().all(|reply| matches!(reply.status, 200 | 503)));
    let served = replies.iter().filter(|reply| reply.status == 200).count() as i64;
    assert_eq!(app.balance(&user).await.available(), 1_000 - served);
}
