//! One message, one receiver, at the first attempt.

use super::*;
use crate::on_both_databases;

on_both_databases!(crate::database::testing::open_migrated:
    a_message_is_sent_whole_and_signed,
    an_event_is_enqueued_once_and_only_with_its_transaction,
    a_redirect_is_not_followed,
    a_private_address_is_not_reached,
    a_receiver_that_hangs_is_given_up_and_keeps_nobody_waiting,
    answers_are_kept_in_part_and_without_secrets,
    a_subject_that_is_gone_is_nothing_to_send,
);

async fn a_message_is_sent_whole_and_signed(db: DatabaseConnection) {
    let receiver = Receiver::answering(204).await;
    let desk = Desk::new(&db, &receiver);
    let id = desk.owe().await;
    let request = receiver.until(1).await.remove(0);
    assert_eq!((request.method.as_str(), request.target.as_str()), ("POST", "/in/token?of=user"));
    assert_eq!((request.header("host"), request.header("content-type")), ("hook.test", "application/json"));
    assert_eq!(request.header("webhook-id"), id.to_string());
    let body = request.json();
    assert_eq!((body["type"].as_str(), body["status"].as_str()), (Some("crawl.completed"), Some("completed")));
    assert_eq!(
        (body["event_id"].as_str(), &body["pages"][0]["title"]),
        (Some(request.header("webhook-id")), &json!("Café ☕ 😀"))
    );
    let delivery = desk.after(id, 1).await;
    assert_eq!((delivery.state, delivery.status_code), (DeliveryState::Delivered, Some(204)));
    let created_at = delivery.created_at.format(&time::format_description::well_known::Rfc3339).expect("a moment");
    assert_eq!(body["created_at"], json!(created_at));
    let timestamp: i64 = request.header("webhook-timestamp").parse().expect("seconds");
    assert!((timestamp - time::OffsetDateTime::now_utc().unix_timestamp()).abs() < 30, "{timestamp}");
    let secret = desk.gate.ask(GetSigningSecret { user: desk.user }).await.expect("answers").expect("a secret");
    assert_eq!(request.header("webhook-signature"), secret.sign(&id.to_string(), timestamp, &request.body));
    assert_eq!(desk.close().await, 0);
}

async fn an_event_is_enqueued_once_and_only_with_its_transaction(db: DatabaseConnection) {
    let receiver = Receiver::answering(200).await;
    let desk = Desk::new(&db, &receiver);
    let url = Url::parse("http://hook.test/").expect("a URL");
    let event = NewDelivery { user: desk.user, url, event_type: "crawl.failed", subject: Uuid::now_v7() };
    let undone = write::<(), DbErr, _>(&db, async |txn| {
        enqueue(txn, &NewDelivery { subject: Uuid::now_v7(), ..event.clone() }).await?;
        Err(DbErr::Custom("undone".to_owned()))
    });
    assert!(undone.await.is_err());
    let (first, second) = (enqueued(&db, &event).await, enqueued(&db, &event).await);
    assert_eq!(first, second);
    desk.after(first, 1).await;
    assert_eq!(enqueued(&db, &event).await, first, "neither is one that was delivered sent again");
    sleep(Duration::from_millis(1500)).await;
    assert_eq!(receiver.received().len(), 1);
}

async fn a_redirect_is_not_followed(db: DatabaseConnection) {
    let trap = Receiver::answering(200).await;
    let location = format!("http://127.0.0.1:{}/", trap.address.port());
    let receiver =
        Receiver::start(move |_| Reply::Status(307, vec![("location", location.clone())], String::new())).await;
    let desk = Desk::new(&db, &receiver);
    let delivery = desk.after(desk.owe().await, 1).await;
    assert_eq!((delivery.state, delivery.status_code), (DeliveryState::Pending, Some(307)));
    assert_eq!((delivery.failure.as_deref(), trap.received().len()), (Some("status"), 0));
}

async fn a_private_address_is_not_reached(db: DatabaseConnection) {
    let receiver = Receiver::answering(200).await;
    // A name that leads to a place nobody allowed, and the place itself.
    let desk = Desk::with_way_out(&db, egress("10.99.0.0/16", &format!("hook.test={}", receiver.address)), PATIENCE);
    for url in ["http://hook.test/".to_owned(), format!("http://{}/", receiver.address), "http://[::1]/".to_owned()] {
        let delivery = desk.after(desk.owe_to(&url).await, 1).await;
        assert_eq!(delivery.failure.as_deref(), Some("private_address"), "{url}");
        assert_eq!((delivery.state, delivery.status_code), (DeliveryState::Pending, None));
    }
    let delivery = desk.after(desk.owe_to("http://user:word@hook.test/").await, 1).await;
    assert_eq!(delivery.failure.as_deref(), Some("bad_url"));
    assert_eq!(receiver.received().len(), 0);
}

async fn a_receiver_that_hangs_is_given_up_and_keeps_nobody_waiting(db: DatabaseConnection) {
    let (silent, prompt) = (Receiver::start(|_| Reply::Silence).await, Receiver::answering(200).await);
    let hosts = format!("silent.test={},hook.test={}", silent.address, prompt.address);
    let mut desk = Desk::with_way_out(&db, egress("127.0.0.1/32", &hosts), SHORT);
    let mut slow = Vec::new();
    for _ in 0..2 * AT_ONCE {
        slow.push(desk.owe_to("http://silent.test/").await);
    }
    silent.until(2).await;
    let slow_user = std::mem::replace(&mut desk.user, Uuid::now_v7());
    let id = desk.owe().await;
    desk.after(id, 1).await;
    let begun = silent.received().len();
    assert!(begun <= 8, "{begun}: the prompt one did not wait until all slow ones had their turn");
    desk.user = slow_user;
    let delivery = desk.after(slow[0], 1).await;
    assert_eq!((delivery.failure.as_deref(), delivery.status_code), (Some("timeout"), None));
}

async fn answers_are_kept_in_part_and_without_secrets(db: DatabaseConnection) {
    let leaks = Arc::new(Mutex::new(String::new()));
    let leaked = leaks.clone();
    let receiver = Receiver::start(move |_| {
        let leaked = leaked.lock().expect("nobody panics with it").clone();
        Reply::Status(400, Vec::new(), format!("\0cannot verify with {leaked}: {}", "long ".repeat(100_000)))
    })
    .await;
    let desk = Desk::new(&db, &receiver);
    let secret =
        desk.gate.ask(GetSigningSecret { user: desk.user }).await.expect("answers").expect("a secret").reveal();
    leaks.lock().expect("nobody panics with it").clone_from(&secret);
    let excerpt = desk.after(desk.owe().await, 1).await.excerpt.expect("an excerpt");
    assert!(excerpt.starts_with("cannot verify with [redacted]: long long"), "{excerpt}");
    assert!(excerpt.len() <= 1024 && !excerpt.contains(&secret[6..]), "{excerpt}");
}

async fn a_subject_that_is_gone_is_nothing_to_send(db: DatabaseConnection) {
    let receiver = Receiver::answering(200).await;
    let desk = Desk::new(&db, &receiver);
    let (url, subject) = (Url::parse("http://hook.test/").expect("a URL"), Uuid::now_v7());
    desk.results.gone.lock().expect("nobody panics with it").push(subject);
    let event = NewDelivery { user: desk.user, url, event_type: "crawl.completed", subject };
    let delivery = desk.after(enqueued(&db, &event).await, 1).await;
    assert_eq!((delivery.state, delivery.failure.as_deref()), (DeliveryState::Failed, Some("expired")));
    assert_eq!(receiver.received().len(), 0);
}
