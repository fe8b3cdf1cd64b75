//! What an account sees of its webhooks, and how the service lets them go.

use std::time::Duration;

use actors::database::testing::TestDatabase;
use actors::database::{Database, DatabaseConnection, begin_write};
use actors::key_ring::{CreatedKey, Plan};
use actors::webhook_outbox::{NewDelivery, enqueue};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};
use uuid::Uuid;

use crate::helpers::{Reply, TestApp};

const LIST: &str = "/v1/account/webhook-deliveries";
const SECRET: &str = "/v1/account/webhook-secret";

/// Owes `user` an event about a crawl that no longer exists.
async fn owe(db: &DatabaseConnection, user: &CreatedKey) -> Uuid {
    let url = "http://site.test/hook?token=of-the-user".parse().expect("a URL");
    let event = NewDelivery { user: user.user_id, url, event_type: "crawl.completed", subject: Uuid::now_v7() };
    let txn = begin_write(db).await.expect("begun");
    let id = enqueue(&txn, &event).await.expect("enqueued");
    txn.commit().await.expect("committed");
    id
}

async fn post(app: &TestApp, path: &str, key: &str) -> Reply {
    app.send(Method::POST, path, &[("authorization", &format!("Bearer {key}"))]).await
}

async fn resend(app: &TestApp, id: impl std::fmt::Display, key: &str) -> Reply {
    post(app, &format!("{LIST}/{id}/resend"), key).await
}

/// The user's newest delivery, once it has failed.
async fn failed(app: &TestApp, user: &CreatedKey) -> Value {
    let begun = Instant::now();
    loop {
        let newest = app.get(LIST, &user.key).await.json()["data"]["deliveries"][0].clone();
        if newest["status"] == "failed" {
            return newest;
        }
        assert!(begun.elapsed() < Duration::from_secs(20), "{newest}");
        sleep(Duration::from_millis(20)).await;
    }
}

#[actix_web::test]
async fn deliveries_are_listed_and_resent_on_sqlite() {
    TestDatabase::sqlite().run(list_and_resend).await;
}

#[actix_web::test]
async fn deliveries_are_listed_and_resent_on_postgres() {
    TestDatabase::postgres().await.run(list_and_resend).await;
}

async fn list_and_resend(url: String) {
    let app = TestApp::start_with(&[("DATABASE_URL", &url)]).await;
    let db = Database::open(&url).await.expect("opens");
    let (ada, bob) = (app.key(Plan::Pro, 0).await, app.key(Plan::Pro, 0).await);
    let empty = app.get(LIST, &ada.key).await.json();
    assert_eq!(empty, json!({ "data": { "deliveries": [], "next_cursor": null }, "_meta": {} }));
    let id = owe(&db, &ada).await;
    let delivery = failed(&app, &ada).await;
    insta::assert_json_snapshot!(delivery, {
        ".id" => "[id]", ".subject" => "[id]", ".created_at" => "[moment]", ".attempted_at" => "[moment]",
    });
    assert_eq!(delivery["id"], json!(id));
    let resent = resend(&app, id, &ada.key).await;
    assert_eq!((resent.status, &resent.json()["data"]["status"]), (200, &json!("pending")), "{}", resent.text);
    assert_ne!(failed(&app, &ada).await["attempted_at"], delivery["attempted_at"], "it was tried again");
    for (unknown, key) in [(id.to_string(), &bob.key), (Uuid::nil().to_string(), &ada.key), ("x".into(), &ada.key)] {
        let reply = resend(&app, &unknown, key).await;
        assert_eq!((reply.status, reply.code().as_str()), (404, "NOT_FOUND"), "{unknown}");
    }
    assert_eq!(resend(&app, id, "blz_live_wrong").await.status, 401);
    assert_eq!(resend(&app, "x", "blz_live_wrong").await.status, 401, "who is asking comes before what for");
    let got = app.get(&format!("{LIST}/{id}/resend"), &ada.key).await;
    assert_eq!((got.status, got.header("allow")), (405, "POST"));
    assert_eq!(app.balance(&ada).await.balance, 0, "all of it is free");
}

#[actix_web::test]
async fn the_list_comes_in_pages() {
    TestDatabase::sqlite()
        .run(|url| async move {
            let app = TestApp::start_with(&[("DATABASE_URL", &url)]).await;
            let (db, user) = (Database::open(&url).await.expect("opens"), app.key(Plan::Pro, 0).await);
            let mut owed = Vec::new();
            for _ in 0..5 {
                owed.push(owe(&db, &user).await.to_string());
            }
            let (mut seen, mut cursor) = (Vec::new(), String::new());
            for size in [2, 2, 1] {
                let page = app.get(&format!("{LIST}?limit=2{cursor}"), &user.key).await.json();
                let deliveries = page["data"]["deliveries"].as_array().expect("a list").clone();
                assert_eq!(deliveries.len(), size);
                seen.extend(deliveries.iter().filter_map(|delivery| delivery["id"].as_str().map(str::to_owned)));
                let next = page["data"]["next_cursor"].as_str();
                assert_eq!(next.is_some(), size == 2);
                cursor = format!("&cursor={}", next.unwrap_or_default());
            }
            seen.sort_unstable();
            owed.sort_unstable();
            assert_eq!(seen, owed);
            for (query, field) in [("limit=0", "limit"), ("limit=101", "limit"), ("cursor=x", "cursor")] {
                let refused = app.get(&format!("{LIST}?{query}"), &user.key).await;
                assert_eq!((refused.status, refused.detail("field").as_str()), (400, field), "{}", refused.text);
            }
        })
        .await;
}

#[actix_web::test]
async fn a_signing_secret_is_its_accounts_own_and_outlives_restarts() {
    let folder = std::sync::Arc::new(tempfile::tempdir().expect("a folder"));
    let secret = async |app: &TestApp, user: &CreatedKey| {
        let reply = app.get(SECRET, &user.key).await;
        assert_eq!((reply.status, reply.header("cache-control")), (200, "no-store"), "{}", reply.text);
        reply.json()["data"]["secret"].as_str().expect("a secret").to_owned()
    };
    let mut app = TestApp::start_in(folder.clone(), &[]).await;
    let (ada, bob) = (app.key(Plan::Pro, 0).await, app.key(Plan::Pro, 0).await);
    let first = secret(&app, &ada).await;
    assert!(first.starts_with("whsec_") && first.len() == 50, "{first}");
    assert_ne!(first, secret(&app, &bob).await);
    assert_eq!(app.get(SECRET, "").await.status, 401);
    app.stop().await;
    let mut app = TestApp::start_in(folder.clone(), &[]).await;
    assert_eq!(secret(&app, &ada).await, first);
    app.stop().await;
    let app = TestApp::start_in(folder, &[("JOBS_SECRET_KEY", "a-long-random-text")]).await;
    assert_ne!(secret(&app, &ada).await, first);
}
