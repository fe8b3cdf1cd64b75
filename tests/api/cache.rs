use actors::key_ring::Plan;
use futures::future::join_all;

use crate::helpers::TestApp;

#[actix_web::test]
async fn a_second_request_is_answered_from_the_cache_and_charged_as_the_table_says() {
    let app = TestApp::start().await;
    let user = app.key(Plan::Pro, 10).await;
    let first = app.scrape("markdown", "/article", "&javascript=false", &user).await;
    let second = app.scrape("markdown", "/article", "&javascript=false", &user).await;
    assert_eq!((first.header("x-cache"), second.header("x-cache")), ("miss", "hit"));
    assert_eq!(first.json()["data"], second.json()["data"]);
    assert_eq!(app.site.requests(), 1);
    assert_eq!((second.header("x-credits-used"), second.header("x-credits-remaining")), ("2", "6"));
    let other = app.scrape("markdown", "/article", "&javascript=false&include_links=false", &user).await;
    assert_eq!(other.header("x-cache"), "miss", "other options are another answer");
}

#[actix_web::test]
async fn cache_false_reads_nothing_and_still_writes() {
    let app = TestApp::start().await;
    let user = app.key(Plan::Pro, 10).await;
    for _ in 0..2 {
        let reply = app.scrape("html", "/article", "&javascript=false&cache=false", &user).await;
        assert_eq!(reply.header("x-cache"), "miss");
    }
    assert_eq!(app.site.requests(), 2);
    assert_eq!(app.scrape("html", "/article", "&javascript=false", &user).await.header("x-cache"), "hit");
}

#[actix_web::test]
async fn a_time_to_live_of_zero_switches_the_cache_off() {
    let app = TestApp::start_with(&[("CACHE_TTL_HTML", "0")]).await;
    let user = app.key(Plan::Pro, 10).await;
    for _ in 0..2 {
        assert_eq!(app.scrape("html", "/article", "&javascript=false", &user).await.header("x-cache"), "miss");
    }
    assert_eq!(app.site.requests(), 2);
}

#[actix_web::test]
async fn an_error_page_is_not_kept() {
    let app = TestApp::start().await;
    let user = app.key(Plan::Pro, 10).await;
    for _ in 0..2 {
        assert_eq!(app.scrape("html", "/missing", "&javascript=false", &user).await.header("x-cache"), "miss");
    }
}

#[actix_web::test]
async fn who_waits_for_anothers_work_waits_no_longer_than_told() {
    let app = TestApp::start().await;
    let user = app.key(Plan::Enterprise, 100).await;
    let leader = app.scrape("html", "/hang", "&javascript=false&timeout=5000", &user);
    let follower = async {
        tokio::time::sleep(std::time::Duration::from_millis(300)).await;
        app.scrape("html", "/hang", "&javascript=false&timeout=400", &user).await
    };
    let follower = tokio::select! {
        follower = follower => follower,
        _ = leader => panic!("the follower did not wait for the leader's whole time"),
    };
    assert_eq!((follower.status, follower.detail("reason").as_str()), (502, "timeout"), "{}", follower.text);
}

#[actix_web::test]
async fn many_who_ask_at_once_cause_one_fetch() {
    let app = TestApp::start().await;
    let user = app.key(Plan::Enterprise, 100).await;
    let replies = join_all((0..20).map(|_| app.scrape("html", "/slow", "&javascript=false", &user))).await;
    assert!(replies.iter().all(|reply| reply.status == 200));
    assert_eq!(app.site.requests(), 1);
    assert_eq!(app.balance(&user).await.available(), 80, "each answer is paid");
}
