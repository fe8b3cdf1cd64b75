//! Crawls from the outside: order, receipt, credits, states, bad input.

use std::time::Duration;

use actix_web::HttpResponse;
use actors::key_ring::{CreatedKey, Plan};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use crate::helpers::{MORE_HOSTS, TestApp, Web, page};

const CRAWL: &str = "/v1/web/crawl";

async fn app_with(web: &Web) -> TestApp {
    TestApp::start_with(&[(MORE_HOSTS, &web.named("crawl.test"))]).await
}

async fn start(app: &TestApp, user: &CreatedKey, more: Value) -> String {
    let mut body = json!({ "url": "http://crawl.test/" });
    body.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
    let reply = app.post(CRAWL, &user.key, &[], &body).await;
    assert_eq!(reply.status, 202, "{}", reply.text);
    let json = reply.json();
    assert_eq!((&json["status"], &json["success"]), (&json!("queued"), &json!(true)));
    json["jobId"].as_str().expect("an id").to_owned()
}

async fn show(app: &TestApp, user: &CreatedKey, id: &str) -> Value {
    let reply = app.get(&format!("{CRAWL}/{id}"), &user.key).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    reply.json()["data"].clone()
}

async fn ended(app: &TestApp, user: &CreatedKey, id: &str) -> Value {
    let begun = Instant::now();
    loop {
        let data = show(app, user, id).await;
        if matches!(data["status"].as_str(), Some("completed" | "failed")) {
            return data;
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "still going: {data}");
        sleep(Duration::from_millis(100)).await;
    }
}

fn adds_up(data: &Value) {
    let progress = &data["progress"];
    let count = |value: &Value| value.as_i64().expect("a count");
    assert_eq!(
        count(&progress["discovered"]),
        count(&progress["fetched"]) + count(&progress["failed"]) + count(&progress["skipped"]),
        "{data}"
    );
    let skipped: i64 = data["skipped"].as_object().expect("counts").values().map(count).sum();
    assert_eq!(skipped, count(&progress["skipped"]));
    assert_eq!(count(&data["pages_completed"]), count(&progress["fetched"]));
}

fn paths(data: &Value) -> Vec<String> {
    let pages = data["pages"].as_array().expect("pages");
    pages.iter().map(|page| page["url"].as_str().expect("a URL").replace("http://crawl.test", "")).collect()
}

#[actix_web::test]
async fn a_site_is_crawled_in_order_paid_by_page_and_the_same_again() {
    let web = Web::tree(60);
    let app = app_with(&web).await;
    let user = app.key(Plan::Pro, 200).await;
    let first = ended(&app, &user, &start(&app, &user, json!({ "includeLinks": true })).await).await;
    let expected: Vec<_> = (0..60).map(|n| if n == 0 { "/".to_owned() } else { format!("/page/{n}") }).collect();
    assert_eq!(paths(&first), expected);
    assert_eq!((&first["status"], &first["stopped_reason"]), (&json!("completed"), &Value::Null));
    adds_up(&first);
    let home = &first["pages"][0];
    assert_eq!(home["title"], "page number 0");
    assert_eq!((&home["status_code"], &home["depth"], &home["rendered"]), (&json!(200), &json!(0), &json!(false)));
    assert!(home["word_count"].as_i64().is_some_and(|words| words > 30), "{home}");
    assert_eq!(home["links"].as_array().map(Vec::len), Some(11), "{home}");
    assert!(home["markdown"].as_str().is_some_and(|text| text.contains("harbour")));
    let balance = app.balance(&user).await;
    assert_eq!((balance.balance, balance.held), (140, 0));
    let again = ended(&app, &user, &start(&app, &user, json!({ "includeLinks": true })).await).await;
    assert_eq!(again["pages"], first["pages"]);
}

#[actix_web::test]
async fn the_limits_asked_for_hold_and_every_skipped_url_has_its_reason() {
    let web = Web::start(|path| match path {
        "/robots.txt" => HttpResponse::Ok().body("User-agent: BlazonBot\nDisallow: /private\n"),
        "/" => page(
            "home",
            &["/blog/a", "/about", "/blog/private-not", "/private/x", "/blog/b?session=1"].map(str::to_owned),
        ),
        "/blog/a" => {
            page("a", &["/blog/deep", "/blog/moved", "/blog/gone", "http://elsewhere.test/blog/"].map(str::to_owned))
        }
        "/blog/deep" => page("deep", &["/blog/deeper".to_owned()]),
        "/blog/moved" => HttpResponse::Found().insert_header(("location", "/blog/a")).finish(),
        "/blog/private-not" | "/blog/b?session=1" => page(path, &[]),
        _ => HttpResponse::NotFound().finish(),
    });
    let app = app_with(&web).await;
    let user = app.key(Plan::Pro, 100).await;
    let data =
        ended(&app, &user, &start(&app, &user, json!({ "urlRegex": "/(blog|private)/", "maxDepth": 2 })).await).await;
    assert_eq!(paths(&data), ["/", "/blog/a", "/blog/private-not", "/blog/b?session=1", "/blog/deep"]);
    assert_eq!(data["skipped"], json!({ "robots": 1, "depth": 1, "regex": 1, "limit": 0, "duplicate": 1 }));
    assert_eq!(
        data["errors"],
        json!([{ "url": "http://crawl.test/blog/gone", "reason": "http_status", "status_code": 404, "attempts": 1 }])
    );
    adds_up(&data);
    assert_eq!(app.balance(&user).await.balance, 95);
    assert!(!web.asked().contains_key("/private/x"));

    let few = ended(&app, &user, &start(&app, &user, json!({ "maxPages": 2 })).await).await;
    assert_eq!((paths(&few).len(), &few["stopped_reason"]), (2, &json!("max_pages")));
    assert!(few["skipped"]["limit"].as_i64().is_some_and(|skipped| skipped > 2));
    adds_up(&few);
}

#[actix_web::test]
async fn a_crawl_ends_where_the_credits_end() {
    let web = Web::tree(60);
    let app = app_with(&web).await;
    let user = app.key(Plan::Pro, 7).await;
    let data = ended(&app, &user, &start(&app, &user, json!({})).await).await;
    assert_eq!(
        (paths(&data).len(), &data["stopped_reason"], &data["status"]),
        (7, &json!("credits"), &json!("completed"))
    );
    adds_up(&data);
    let balance = app.balance(&user).await;
    assert_eq!((balance.balance, balance.held), (0, 0));
    let refused = app.post(CRAWL, &user.key, &[], &json!({ "url": "http://crawl.test/" })).await;
    assert_eq!((refused.status, refused.code().as_str()), (402, "USAGE_EXCEEDED"));
}

#[actix_web::test]
async fn a_crawl_without_a_page_fails_and_costs_nothing() {
    let web = Web::start(|path| match path {
        "/robots.txt" => HttpResponse::Ok().body("User-agent: *\nDisallow: /hidden\n"),
        _ => HttpResponse::NotFound().finish(),
    });
    let app = app_with(&web).await;
    let user = app.key(Plan::Pro, 10).await;
    for (url, reason) in [("http://crawl.test/", "seed_unreachable"), ("http://crawl.test/hidden", "robots")] {
        let data = ended(&app, &user, &start(&app, &user, json!({ "url": url })).await).await;
        assert_eq!((&data["status"], &data["stopped_reason"]), (&json!("failed"), &json!(reason)), "{url}");
        adds_up(&data);
    }
    let balance = app.balance(&user).await;
    assert_eq!((balance.balance, balance.held), (10, 0));
    assert!(!web.asked().contains_key("/hidden"));
}

#[actix_web::test]
async fn a_repeated_order_is_one_crawl() {
    let web = Web::tree(3);
    let app = app_with(&web).await;
    let user = app.key(Plan::Pro, 50).await;
    let (key, body) = ([("idempotency-key", "order-1")], json!({ "url": "http://crawl.test/" }));
    let first = app.post(CRAWL, &user.key, &key, &body).await;
    let again = app.post(CRAWL, &user.key, &key, &body).await;
    assert_eq!((first.status, again.status), (202, 202), "{} {}", first.text, again.text);
    assert_eq!(first.json()["jobId"], again.json()["jobId"]);
    assert_eq!((&first.json()["credits_used"], &again.json()["credits_used"]), (&json!(1), &json!(0)));
    let other = app.post(CRAWL, &user.key, &key, &json!({ "url": "http://crawl.test/other" })).await;
    assert_eq!((other.status, other.detail("field").as_str()), (400, "Idempotency-Key"));
    let stranger = app.key(Plan::Pro, 50).await;
    let theirs = app.post(CRAWL, &stranger.key, &key, &body).await;
    assert_ne!(first.json()["jobId"], theirs.json()["jobId"]);
    let hidden = app.get(&format!("{CRAWL}/{}", first.json()["jobId"].as_str().expect("an id")), &stranger.key).await;
    assert_eq!(hidden.status, 404);
}

#[actix_web::test]
async fn a_cancelled_crawl_keeps_and_charges_its_pages() {
    let web = Web::start(|path| match path {
        "/robots.txt" => HttpResponse::Ok().body("User-agent: *\nCrawl-delay: 1\n"),
        path => page(path, &[format!("{}x", path.trim_end_matches('/').to_owned() + "/")]),
    });
    let app = app_with(&web).await;
    let user = app.key(Plan::Pro, 50).await;
    let id = start(&app, &user, json!({ "maxDepth": 10 })).await;
    while show(&app, &user, &id).await["pages_completed"] == 0 {
        sleep(Duration::from_millis(50)).await;
    }
    let reply = app
        .send(reqwest::Method::DELETE, &format!("{CRAWL}/{id}"), &[("authorization", &format!("Bearer {}", user.key))])
        .await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    let data = ended(&app, &user, &id).await;
    assert_eq!((&data["status"], &data["stopped_reason"]), (&json!("failed"), &json!("cancelled")));
    adds_up(&data);
    let (balance, pages) = (app.balance(&user).await, paths(&data).len() as i64);
    assert!((1..10).contains(&pages), "{pages}");
    assert_eq!((balance.balance, balance.held), (50 - pages, 0));
}

#[actix_web::test]
async fn pages_come_in_stretches_and_jobs_in_a_list() {
    let web = Web::tree(12);
    let app = app_with(&web).await;
    let user = app.key(Plan::Pro, 50).await;
    let id = start(&app, &user, json!({})).await;
    let whole = ended(&app, &user, &id).await;
    let (mut pages, mut cursor) = (Vec::new(), String::new());
    loop {
        let reply = app.get(&format!("{CRAWL}/{id}?limit=5{cursor}"), &user.key).await.json()["data"].clone();
        pages.extend(paths(&reply));
        match reply["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    assert_eq!(pages, paths(&whole));
    let list = app.get(CRAWL, &user.key).await.json()["data"].clone();
    assert_eq!((list[0]["job_id"].as_str(), list[0]["pages_completed"].as_i64()), (Some(id.as_str()), Some(12)));
    assert!(list[0].get("pages").is_none());
}

#[actix_web::test]
async fn events_tell_of_every_change_and_go_on_where_they_stopped() {
    let web = Web::tree(25);
    let app = app_with(&web).await;
    let user = app.key(Plan::Pro, 50).await;
    let id = start(&app, &user, json!({})).await;
    let bearer = format!("Bearer {}", user.key);
    let path = format!("{CRAWL}/{id}/events");
    let told = app.send(reqwest::Method::GET, &path, &[("authorization", &bearer)]).await;
    assert_eq!(told.header("content-type"), "text/event-stream");
    let ids: Vec<i64> = told.text.lines().filter_map(|line| line.strip_prefix("id: ")?.parse().ok()).collect();
    assert!(ids.is_sorted() && !ids.is_empty(), "{ids:?}");
    assert!(told.text.contains("event: completed\n"), "{}", told.text);
    let last = ids.last().expect("one").to_string();
    let nothing = app.send(reqwest::Method::GET, &path, &[("authorization", &bearer), ("last-event-id", &last)]).await;
    assert_eq!(nothing.text, "");
}

#[actix_web::test]
async fn a_wrong_order_is_refused_and_names_the_field() {
    let web = Web::tree(1);
    let app = app_with(&web).await;
    let user = app.key(Plan::Pro, 5).await;
    for (body, field) in [
        (json!({}), "url"),
        (json!({ "url": "crawl.test" }), "url"),
        (json!({ "url": "http://127.0.0.2/" }), "url"),
        (json!({ "url": 7 }), "url"),
        (json!({ "url": "http://crawl.test/", "maxPages": 0 }), "maxPages"),
        (json!({ "url": "http://crawl.test/", "maxPages": 10_001 }), "maxPages"),
        (json!({ "url": "http://crawl.test/", "maxDepth": 11 }), "maxDepth"),
        (json!({ "url": "http://crawl.test/", "urlRegex": "(" }), "urlRegex"),
        (json!({ "url": "http://crawl.test/", "includeLinks": "yes" }), "includeLinks"),
        (json!({ "url": "http://crawl.test/", "webhookUrl": "file:///x" }), "webhookUrl"),
        (json!({ "url": "http://crawl.test/", "max_pages": 5 }), "max_pages"),
    ] {
        let reply = app.post(CRAWL, &user.key, &[], &body).await;
        assert_eq!((reply.status, reply.detail("field").as_str()), (400, field), "{body} {}", reply.text);
    }
    assert_eq!(app.get(&format!("{CRAWL}/not-a-uuid"), &user.key).await.status, 404);
    assert_eq!(app.balance(&user).await.balance, 5);
}
