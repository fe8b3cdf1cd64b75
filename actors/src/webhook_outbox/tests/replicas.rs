//! Several outboxes on one database, and what dies in between.

use std::collections::BTreeMap;

use super::*;
use crate::database::Database;
use crate::database::testing::{TestDatabase, open_migrated};

#[actix::test]
async fn two_outboxes_on_one_postgres_send_each_message_once() {
    TestDatabase::postgres().await.run(two_send_each_message_once).await;
}

#[actix::test]
async fn two_outboxes_on_one_sqlite_file_send_each_message_once() {
    TestDatabase::sqlite().run(two_send_each_message_once).await;
}

async fn two_send_each_message_once(url: String) {
    const MESSAGES: u128 = 60;
    let (db, receiver) = (open_migrated(&url).await, Receiver::start(|_| Reply::Late(200)).await);
    let mut owed = Vec::new();
    for number in 0..MESSAGES {
        let user = Uuid::from_u128(number / 3);
        let url = Url::parse("http://hook.test/").expect("a URL");
        let event = NewDelivery { user, url, event_type: "crawl.completed", subject: Uuid::from_u128(number) };
        owed.push((user, enqueued(&db, &event).await));
    }
    let mut one = Desk::new(&db, &receiver);
    let two = Desk::new(&Database::open(&url).await.expect("opens"), &receiver);
    receiver.until(MESSAGES as usize).await;
    sleep(Duration::from_millis(1500)).await;
    let mut times = BTreeMap::<String, usize>::new();
    for request in receiver.received() {
        *times.entry(request.header("webhook-id").to_owned()).or_default() += 1;
    }
    assert_eq!(times, owed.iter().map(|(_, id)| (id.to_string(), 1)).collect());
    for (user, id) in owed {
        one.user = user;
        assert_eq!(one.after(id, 1).await.state, DeliveryState::Delivered);
    }
    let built = [&one, &two].map(|desk| desk.results.asked.load(Ordering::SeqCst));
    assert_eq!(built.iter().sum::<usize>(), MESSAGES as usize);
    assert!(built.iter().all(|count| *count > 0), "both took part: {built:?}");
}

crate::on_both_databases!(crate::database::testing::open_migrated:
    a_delivery_goes_on_after_a_restart,
    an_orderly_end_waits_for_what_is_under_way,
    what_a_dead_process_had_claimed_is_sent_when_its_lease_ends,
    a_message_that_kills_its_process_ends,
    who_comes_back_after_the_lease_changes_nothing,
    one_account_has_two_attempts_at_a_time,
);

async fn a_delivery_goes_on_after_a_restart(db: DatabaseConnection) {
    let receiver = Receiver::start(|number| Reply::status(if number == 0 { 500 } else { 200 })).await;
    let mut desk = Desk::new(&db, &receiver);
    let id = desk.owe().await;
    desk.after(id, 1).await;
    assert_eq!(desk.close().await, 0);
    desk.let_pass(Duration::from_secs(7));
    sleep(Duration::from_millis(1500)).await;
    assert_eq!(receiver.received().len(), 1, "an outbox that was closed sends nothing");
    desk.reopen();
    assert_eq!(desk.after(id, 2).await.state, DeliveryState::Delivered);
    let sent = receiver.received();
    assert_eq!((sent[0].header("webhook-id"), &sent[0].body), (sent[1].header("webhook-id"), &sent[1].body));
}

async fn an_orderly_end_waits_for_what_is_under_way(db: DatabaseConnection) {
    let receiver = Receiver::start(|_| Reply::Silence).await;
    let mut desk = Desk::hasty(&db, &receiver);
    let ids = [desk.owe().await, desk.owe().await, desk.owe().await];
    receiver.until(2).await;
    let until = Instant::now();
    assert_eq!(desk.gate.ask(FinishAttempts { until }).await, Ok(2), "there was no time");
    desk.keeper.retire().await;
    desk.reopen();
    let third = receiver.until(3).await;
    assert_eq!(desk.close().await, 0);
    assert_eq!(third.len(), receiver.received().len());
    let written: Vec<_> = desk_deliveries(&db, &desk, &ids).await;
    assert!(written.iter().all(|delivery| delivery.failure.as_deref() == Some("timeout")), "{written:?}");
}

async fn desk_deliveries(db: &DatabaseConnection, desk: &Desk, ids: &[Uuid]) -> Vec<Delivery> {
    let page = store::list(db, desk.user, 100, None).await.expect("a page");
    page.deliveries.into_iter().filter(|delivery| ids.contains(&delivery.id)).collect()
}

async fn what_a_dead_process_had_claimed_is_sent_when_its_lease_ends(db: DatabaseConnection) {
    let receiver = Receiver::answering(200).await;
    let user = Uuid::now_v7();
    let event = |subject| NewDelivery {
        user,
        url: Url::parse("http://hook.test/").expect("a URL"),
        event_type: "crawl.completed",
        subject: Uuid::from_u128(subject),
    };
    let id = enqueued(&db, &event(1)).await;
    assert_eq!(store::claim_due(&db, crate::database::now(), 1).await.expect("claimed").len(), 1, "and then it died");
    let mut desk = Desk::new(&db, &receiver);
    desk.user = user;
    sleep(Duration::from_millis(1500)).await;
    assert_eq!(receiver.received().len(), 0);
    desk.let_pass(LEASE_AND_MORE);
    let delivery = desk.after(id, 2).await;
    assert_eq!((delivery.state, receiver.received().len()), (DeliveryState::Delivered, 1));
    assert_eq!(receiver.received()[0].header("webhook-id"), id.to_string());
}

const LEASE_AND_MORE: Duration = Duration::from_secs(61);

async fn a_message_that_kills_its_process_ends(db: DatabaseConnection) {
    let receiver = Receiver::answering(200).await;
    let mut desk = Desk::new(&db, &receiver);
    desk.close().await;
    let id = desk.owe().await;
    let mut now = crate::database::now();
    for life in 1..=schedule::MOST_ATTEMPTS {
        let claimed = store::claim_due(&db, now, 5).await.expect("a claim");
        assert_eq!(claimed.iter().map(|claimed| claimed.attempts).collect::<Vec<_>>(), [life]);
        now += store::millis(LEASE_AND_MORE);
    }
    assert_eq!(store::claim_due(&db, now, 5).await.expect("a claim").len(), 0);
    desk.ahead.store(now - crate::database::now(), Ordering::SeqCst);
    desk.reopen();
    let delivery = desk.until(id, |delivery| delivery.state == DeliveryState::Failed).await;
    assert_eq!((delivery.failure.as_deref(), receiver.received().len()), (Some("interrupted"), 0));
}

async fn who_comes_back_after_the_lease_changes_nothing(db: DatabaseConnection) {
    let receiver = Receiver::answering(200).await;
    let desk = Desk::new(&db, &receiver);
    desk.close().await;
    let (id, now) = (desk.owe().await, crate::database::now());
    let late = store::claim_due(&db, now, 1).await.expect("a claim").remove(0);
    let later = now + store::millis(LEASE_AND_MORE);
    let current = store::claim_due(&db, later, 1).await.expect("a claim").remove(0);
    let record = |state| store::Record {
        state,
        due_at: later,
        status_code: Some(200),
        failure: None,
        excerpt: None,
        delivered_at: Some(later),
    };
    assert!(!store::record(&db, &late, &record(DeliveryState::Failed)).await.expect("asked"));
    store::hand_back(&db, &late, 0).await.expect("asked");
    assert_eq!(store::claim_due(&db, later, 1).await.expect("a claim").len(), 0, "it is still the other's");
    assert!(store::record(&db, &current, &record(DeliveryState::Delivered)).await.expect("asked"));
    assert!(!store::record(&db, &current, &record(DeliveryState::Failed)).await.expect("asked"));
    let page = store::list(&db, desk.user, 1, None).await.expect("a page");
    assert_eq!((page.deliveries[0].id, page.deliveries[0].state), (id, DeliveryState::Delivered));
}

async fn one_account_has_two_attempts_at_a_time(db: DatabaseConnection) {
    let receiver = Receiver::answering(200).await;
    let mut desk = Desk::new(&db, &receiver);
    desk.close().await;
    for _ in 0..5 {
        desk.owe().await;
    }
    let (busy, now) = (desk.user, crate::database::now());
    assert_eq!(store::claim_due(&db, now, 8).await.expect("a claim").len(), 2);
    desk.user = Uuid::now_v7();
    desk.owe().await;
    let meanwhile = crate::database::now();
    let others = store::claim_due(&db, meanwhile, 8).await.expect("a claim");
    assert_eq!(others.iter().map(|claimed| claimed.user).collect::<Vec<_>>(), [desk.user]);
    let after_the_lease = store::claim_due(&db, meanwhile + store::millis(LEASE_AND_MORE), 8).await.expect("a claim");
    assert_eq!(after_the_lease.iter().filter(|claimed| claimed.user == busy).count(), 2);
}
