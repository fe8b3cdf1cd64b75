use crate::helpers::TestApp;

#[actix_web::test]
async fn a_healthy_service_is_alive_and_ready() {
    let app = TestApp::start().await;
    assert_eq!(app.get("/healthz", "").await.json()["status"], "ok");
    let ready = app.get("/readyz", "").await;
    assert_eq!(ready.status, 200, "{}", ready.text);
    insta::assert_json_snapshot!(ready.json());
}

#[actix_web::test]
async fn without_a_browser_the_service_starts_and_says_so() {
    let app = TestApp::start_with(&[("BROWSER_EXECUTABLE", "/bin/false")]).await;
    let ready = app.get("/readyz", "").await;
    assert_eq!(ready.status, 503);
    assert!(
        ready.json()["checks"]["browser"].as_str().is_some_and(|problem| problem.contains("BROWSER_EXECUTABLE")),
        "{}",
        ready.text
    );
    assert_eq!(ready.json()["checks"]["database"], "ok");
    let user = app.key(actors::key_ring::Plan::Pro, 10).await;
    let rendered = app.scrape("html", "/article", "", &user).await;
    assert_eq!((rendered.status, rendered.code().as_str()), (503, "SERVICE_UNAVAILABLE"), "{}", rendered.text);
    assert!(rendered.text.contains("BROWSER_EXECUTABLE"), "{}", rendered.text);
    assert_eq!(rendered.header("retry-after"), "1");
    assert_eq!(app.scrape("html", "/article", "&javascript=false", &user).await.status, 200, "the plain fetch works");
    assert_eq!(app.balance(&user).await.available(), 9);
}

#[actix_web::test]
async fn metrics_count_requests_by_route_and_never_name_a_key() {
    let app = TestApp::start().await;
    let user = app.key(actors::key_ring::Plan::Pro, 10).await;
    app.scrape("html", "/article", "&javascript=false", &user).await;
    let metrics = app.get("/metrics", "").await;
    assert!(
        metrics
            .text
            .contains(r#"blazon_http_request_duration_seconds_count{route="/v1/web/scrape/html",status="200"} 1"#),
        "{}",
        metrics.text
    );
    assert!(!metrics.text.contains(&user.key));
}

#[actix_web::test]
async fn the_reference_is_generated_and_browsable_offline() {
    let app = TestApp::start().await;
    let document = app.get("/openapi.json", "").await.json();
    let paths: Vec<_> = document["paths"].as_object().expect("paths").keys().cloned().collect();
    assert_eq!(
        paths,
        [
            "/healthz",
            "/metrics",
            "/readyz",
            "/v1/account",
            "/v1/account/webhook-deliveries",
            "/v1/account/webhook-deliveries/{id}/resend",
            "/v1/account/webhook-secret",
            "/v1/web/crawl",
            "/v1/web/crawl/{jobId}",
            "/v1/web/crawl/{jobId}/events",
            "/v1/web/scrape/html",
            "/v1/web/scrape/images",
            "/v1/web/scrape/markdown",
            "/v1/web/scrape/sitemap",
            "/v1/web/scrape/template",
        ]
    );
    let names: Vec<_> = document["paths"]["/v1/web/scrape/markdown"]["get"]["parameters"]
        .as_array()
        .expect("parameters")
        .iter()
        .map(|parameter| parameter["name"].as_str().unwrap_or_default().to_owned())
        .collect();
    assert_eq!(
        names,
        ["url", "wait_for", "timeout", "javascript", "cache", "include_links", "include_images", "main_content_only"]
    );
    assert_eq!(app.get("/docs", "").await.header("location"), "/docs/");
    let page = app.get("/docs/", "").await;
    assert_eq!(page.status, 200);
    assert!(page.text.contains("swagger-ui"));
    assert!(!page.text.contains("https://"), "nothing is loaded from elsewhere: {}", page.text);
}

#[actix_web::test]
async fn browsers_of_the_dashboards_origin_alone_may_call() {
    let app = TestApp::start_with(&[("NEXT_PUBLIC_APP_URL", "http://dashboard.test")]).await;
    let ours = app.send(reqwest::Method::GET, "/healthz", &[("origin", "http://dashboard.test")]).await;
    assert_eq!(ours.header("access-control-allow-origin"), "http://dashboard.test");
    let theirs = app.send(reqwest::Method::GET, "/healthz", &[("origin", "http://evil.test")]).await;
    assert_eq!(theirs.header("access-control-allow-origin"), "");
}
