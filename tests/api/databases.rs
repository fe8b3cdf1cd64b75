//! The same requests on either database.

use actors::credit_ledger::verify;
use actors::database::testing::TestDatabase;
use actors::database::{Database, DatabaseConnection};
use actors::key_ring::Plan;

use crate::helpers::TestApp;

#[actix_web::test]
async fn pages_are_scraped_and_paid_on_sqlite() {
    TestDatabase::sqlite().run(scrape_and_pay).await;
}

#[actix_web::test]
async fn pages_are_scraped_and_paid_on_postgres() {
    TestDatabase::postgres().await.run(scrape_and_pay).await;
}

async fn scrape_and_pay(url: String) {
    let mut app = TestApp::start_with(&[("DATABASE_URL", &url)]).await;
    let user = app.key(Plan::Pro, 4).await;
    for (path, status) in [("/article", 200), ("/pdf", 502), ("/article", 200), ("/missing", 402)] {
        let reply = app.scrape("markdown", path, "&javascript=false", &user).await;
        assert_eq!(reply.status, status, "{path}: {}", reply.text);
    }
    assert_eq!(app.balance(&user).await.balance, 0);
    assert_eq!(app.get("/readyz", "").await.json()["checks"]["database"], "ok");
    app.stop().await;
    assert_eq!(violations(&url).await, Vec::<String>::new());
}

async fn violations(url: &str) -> Vec<String> {
    let database: DatabaseConnection = Database::open(url).await.expect("opens");
    verify(&database).await.expect("readable").iter().map(|violation| format!("{violation:?}")).collect()
}
