use actors::key_ring::Plan;

use crate::helpers::TestApp;

#[actix_web::test]
async fn an_account_shows_plan_credits_limits_and_use() {
    let app = TestApp::start().await;
    let user = app.key(Plan::Starter, 50).await;
    assert_eq!(app.scrape("markdown", "/article", "&javascript=false", &user).await.status, 200);
    let reply = app.get("/v1/account", &user.key).await;
    insta::assert_json_snapshot!(reply.json(), { ".data.user_id" => "[id]", ".data.email" => "[email]" });
    assert_eq!(reply.header("x-credits-used"), "0", "looking costs nothing");
    assert_eq!(reply.header("x-credits-remaining"), "48");
}

#[actix_web::test]
async fn the_first_start_makes_an_admin_and_the_second_does_not() {
    let folder = std::sync::Arc::new(tempfile::tempdir().expect("a folder"));
    let mut app = TestApp::start_in(folder.clone(), &[]).await;
    let admin = app.admin.take().expect("a first key");
    let account = app.get("/v1/account", &admin.key).await.json();
    assert_eq!(
        (account["data"]["email"].as_str(), account["data"]["plan"].as_str()),
        (Some("admin@localhost"), Some("enterprise"))
    );
    app.stop().await;
    let app = TestApp::start_in(folder, &[]).await;
    assert!(app.admin.is_none());
    assert_eq!(app.get("/v1/account", &admin.key).await.status, 200, "the key outlives the restart");
}
