use actors::credit_ledger::Balance;
use actors::key_ring::Plan;
use futures::future::join_all;

use crate::helpers::TestApp;

#[actix_web::test]
async fn without_credits_nothing_is_done() {
    let app = TestApp::start().await;
    let user = app.key(Plan::Pro, 1).await;
    let reply = app.scrape("markdown", "/article", "&javascript=false", &user).await;
    assert_eq!((reply.status, reply.code().as_str()), (402, "USAGE_EXCEEDED"), "{}", reply.text);
    assert_eq!((reply.detail("needed").as_str(), reply.detail("available").as_str()), ("2", "1"));
    assert_eq!(app.site.requests(), 0);
    assert_eq!(
        app.scrape("html", "/article", "&javascript=false", &user).await.status,
        200,
        "one credit is enough here"
    );
    assert_eq!(app.balance(&user).await, Balance { balance: 0, held: 0 });
}

#[actix_web::test]
async fn requests_at_once_never_spend_more_than_there_is() {
    let app = TestApp::start().await;
    let user = app.key(Plan::Enterprise, 7).await;
    let paths: Vec<_> = (0..20).map(|index| format!("/article?n={index}")).collect();
    let replies = join_all(paths.iter().map(|path| app.scrape("html", path, "&javascript=false", &user))).await;
    let served = replies.iter().filter(|reply| reply.status == 200).count();
    let refused = replies.iter().filter(|reply| reply.status == 402).count();
    assert_eq!((served, refused), (7, 13));
    assert_eq!(app.balance(&user).await, Balance { balance: 0, held: 0 });
}

#[actix_web::test]
async fn a_client_that_hangs_up_leaves_no_hold_behind() {
    let app = TestApp::start().await;
    let user = app.key(Plan::Pro, 10).await;
    let url = app.url("/v1/web/scrape/html?url=http://site.test/slow&javascript=false");
    let request = actors::egress::operator_client("test").expect("a client").get(url).bearer_auth(&user.key);
    let hung_up = request.timeout(std::time::Duration::from_millis(250)).send().await;
    assert!(hung_up.is_err_and(|error| error.is_timeout()));
    assert_eq!(app.balance(&user).await, Balance { balance: 10, held: 1 }, "the work goes on");
    for _ in 0..40 {
        if app.balance(&user).await.held == 0 {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    assert_eq!(app.balance(&user).await, Balance { balance: 9, held: 0 }, "and is settled");
}
