use actors::key_ring::Plan;

use crate::helpers::TestApp;

#[actix_web::test]
async fn the_canary_is_refused_by_literal_and_by_redirect() {
    let app = TestApp::start().await;
    let user = app.key(Plan::Pro, 20).await;
    let literal = format!("http://{}/secret", app.canary.address());
    for target in [literal.as_str(), "http://site.test/to-canary", "http://site.test/walks-in"] {
        for javascript in ["true", "false"] {
            if target.ends_with("walks-in") && javascript == "false" {
                continue;
            }
            let reply = app.get(&format!("/v1/web/scrape/html?url={target}&javascript={javascript}"), &user.key).await;
            assert_eq!(reply.status, 400, "{target} {javascript}: {}", reply.text);
            assert_eq!(reply.detail("reason"), "private_address", "{target} {javascript}: {}", reply.text);
        }
    }
    assert_eq!(app.canary.hits(), 0);
    assert_eq!(app.balance(&user).await.available(), 20);
}

#[actix_web::test]
async fn a_rendered_page_cannot_reach_the_canary_either() {
    let app = TestApp::start().await;
    let user = app.key(Plan::Pro, 20).await;
    let reply = app.scrape("markdown", "/reaches-in", "&main_content_only=false", &user).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    assert!(reply.json()["data"]["markdown"].as_str().is_some_and(|text| text.contains("The page itself is fine.")));
    tokio::time::sleep(std::time::Duration::from_millis(300)).await;
    assert_eq!(app.canary.hits(), 0);
}

#[actix_web::test]
async fn a_redirect_out_of_the_web_is_refused() {
    let app = TestApp::start().await;
    let user = app.key(Plan::Pro, 20).await;
    let reply = app.scrape("html", "/to-file", "&javascript=false", &user).await;
    assert!(matches!(reply.status, 400 | 502), "{}", reply.text);
    assert!(!reply.text.contains("root:"));
    let reply = app.scrape("html", "/to-file", "", &user).await;
    assert!(matches!(reply.status, 400 | 502), "{}", reply.text);
}

#[actix_web::test]
async fn our_own_port_is_no_target_even_where_loopback_is_allowed() {
    let app = TestApp::start().await;
    let user = app.key(Plan::Pro, 20).await;
    let reply = app.get(&format!("/v1/web/scrape/html?url={}&javascript=false", app.url("/metrics")), &user.key).await;
    assert_eq!((reply.status, reply.detail("reason").as_str()), (400, "private_address"), "{}", reply.text);
}
