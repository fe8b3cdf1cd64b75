use actors::key_ring::Plan;

use crate::helpers::TestApp;

#[actix_web::test]
async fn a_wrong_parameter_is_named_and_costs_nothing() {
    let app = TestApp::start().await;
    let user = app.key(Plan::Pro, 10).await;
    let long = format!("url=http://site.test/{}", "x".repeat(9_000));
    let long_selector = format!("url=http://site.test/article&wait_for={}", "a".repeat(1_001));
    let cases = [
        ("", "url"),
        ("url=", "url"),
        ("url=site.test", "url"),
        ("url=ftp://site.test/", "url"),
        ("url=file:///etc/passwd", "url"),
        ("url=javascript:alert(1)", "url"),
        ("url=http://user:pass@site.test/", "url"),
        ("url=http://127.0.0.2/", "url"),
        ("url=http://[::1]/", "url"),
        ("url=http://2130706434/", "url"),
        ("url=http://169.254.169.254/latest/meta-data", "url"),
        ("url=http://localhost/", "url"),
        (&long, "url"),
        ("url=http://site.test/article&javascript=yes", "javascript"),
        ("url=http://site.test/article&cache=maybe", "cache"),
        ("url=http://site.test/article&timeout=0", "timeout"),
        ("url=http://site.test/article&timeout=abc", "timeout"),
        ("url=http://site.test/article&timeout=999999999", "timeout"),
        ("url=http://site.test/article&wait_for=p&javascript=false", "wait_for"),
        (&long_selector, "wait_for"),
        ("url=http://site.test/article&wait_for=%5B%5Bnot-css", "wait_for"),
    ];
    for (query, field) in cases {
        let reply = app.get(&format!("/v1/web/scrape/html?{query}"), &user.key).await;
        let shown = query.chars().take(60).collect::<String>();
        assert_eq!(reply.status, 400, "{shown}: {}", reply.text);
        assert_eq!(reply.code(), "INPUT_VALIDATION_ERROR", "{shown}");
        assert_eq!(reply.detail("field"), field, "{shown}: {}", reply.text);
        assert_eq!(reply.header("x-credits-used"), "0", "{shown}");
    }
    let flag = app.scrape("markdown", "/article", "&main_content_only=2", &user).await;
    assert_eq!((flag.status, flag.detail("field").as_str()), (400, "main_content_only"));
    assert_eq!(app.balance(&user).await.available(), 10);
    assert_eq!(app.site.requests(), 0, "nothing was fetched for a wrong request");
    assert_eq!(app.canary.hits(), 0);
}

#[actix_web::test]
async fn a_site_that_cannot_be_read_says_why_and_costs_nothing() {
    let app = TestApp::start().await;
    let user = app.key(Plan::Pro, 10).await;
    let cases = [
        ("http://no-such-name.test/", "dns"),
        ("https://site.test/", "refused"),
        ("http://site.test/pdf", "content_type"),
        ("http://site.test/large", "too_large"),
        ("http://site.test/loop", "blocked"),
    ];
    for (url, reason) in cases {
        for more in ["&javascript=false", ""] {
            let reply = app.get(&format!("/v1/web/scrape/html?url={url}{more}"), &user.key).await;
            assert_eq!(reply.status, 502, "{url}{more}: {}", reply.text);
            assert_eq!(reply.code(), "WEBSITE_ACCESS_ERROR", "{url}{more}");
            assert_eq!(reply.detail("reason"), reason, "{url}{more}: {}", reply.text);
        }
    }
    for more in ["&javascript=false", ""] {
        let reply = app.scrape("html", "/hang", &format!("&timeout=1500{more}"), &user).await;
        assert_eq!((reply.status, reply.detail("reason").as_str()), (502, "timeout"), "{more}: {}", reply.text);
    }
    assert_eq!(app.balance(&user).await, actors::credit_ledger::Balance { balance: 10, held: 0 });
    let fine = app.scrape("html", "/article", "", &user).await;
    assert_eq!(fine.status, 200, "the process is healthy: {}", fine.text);
}

#[actix_web::test]
async fn unknown_paths_and_methods_have_the_one_error_body() {
    let app = TestApp::start().await;
    let unknown = app.get("/v1/nothing/here", "").await;
    assert_eq!((unknown.status, unknown.code().as_str()), (404, "NOT_FOUND"));
    assert_eq!(unknown.json()["request_id"], unknown.header("x-request-id"));
    assert_eq!(unknown.json()["success"], false);
    let wrong = app.send(reqwest::Method::POST, "/v1/web/scrape/html", &[]).await;
    assert_eq!((wrong.status, wrong.code().as_str()), (405, "INPUT_VALIDATION_ERROR"));
    assert_eq!(wrong.header("allow"), "GET");
}
