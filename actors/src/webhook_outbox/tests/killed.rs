//! A process that is killed while it sends.

use std::process::{Command, Stdio};

use super::*;
use crate::database::Database;
use crate::database::testing::{TestDatabase, open_migrated};

const ORDERS: &str = "BLAZON_CHILD";

/// Runs an outbox on the database, for the receiver, that it is told of.
#[test]
#[ignore = "a child of the test below"]
#[expect(clippy::disallowed_methods, reason = "a child is told by its parent")]
fn sender() {
    let Ok(orders) = std::env::var(ORDERS) else { return };
    let (hosts, url) = orders.split_once(' ').expect("a host map and a database");
    actix::System::new().block_on(async {
        let db = Database::open(url).await.expect("opens");
        let _desk = Desk::with_way_out(&db, egress("127.0.0.1/32", hosts), PATIENCE);
        sleep(Duration::from_secs(60)).await;
    });
}

#[actix::test]
async fn what_was_under_way_in_a_killed_process_is_sent_by_another_on_sqlite() {
    TestDatabase::sqlite().run(killed_and_sent_by_another).await;
}

#[actix::test]
async fn what_was_under_way_in_a_killed_process_is_sent_by_another_on_postgres() {
    TestDatabase::postgres().await.run(killed_and_sent_by_another).await;
}

#[expect(clippy::disallowed_methods, reason = "a process of our own, to be killed")]
async fn killed_and_sent_by_another(url: String) {
    let db = open_migrated(&url).await;
    let receiver = Receiver::start(|number| if number == 0 { Reply::Silence } else { Reply::status(200) }).await;
    let mut child = Command::new(std::env::current_exe().expect("this program"))
        .args(["webhook_outbox::tests::killed::sender", "--exact", "--ignored"])
        .env(ORDERS, format!("hook.test={} {url}", receiver.address))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .expect("a child starts");
    let url = Url::parse("http://hook.test/").expect("a URL");
    let event = NewDelivery { user: Uuid::now_v7(), url, event_type: "crawl.completed", subject: Uuid::now_v7() };
    let id = enqueued(&db, &event).await;
    receiver.until(1).await;
    child.kill().and_then(|()| child.wait()).expect("it is killed");
    let mut desk = Desk::new(&db, &receiver);
    desk.user = event.user;
    sleep(Duration::from_millis(1500)).await;
    assert_eq!(receiver.received().len(), 1, "the claim outlives the process");
    desk.let_pass(store::LEASE);
    let delivery = desk.after(id, 2).await;
    assert_eq!(delivery.state, DeliveryState::Delivered);
    let sent = receiver.received();
    assert_eq!((sent.len(), &sent[0].body), (2, &sent[1].body));
    assert!(sent.iter().all(|request| request.header("webhook-id") == id.to_string()));
}
