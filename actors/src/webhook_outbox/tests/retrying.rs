//! What follows a failed attempt.

use super::*;
use crate::on_both_databases;

on_both_databases!(crate::database::testing::open_migrated:
    what_fails_is_sent_again_with_the_same_id_and_body,
    after_the_last_pause_it_ends,
    a_receiver_that_is_gone_is_left_alone,
    a_receiver_may_ask_to_be_left_alone_for_a_while,
    nobody_listening_is_a_failed_attempt,
    a_failure_of_ours_is_no_attempt,
    a_delivery_is_resent_with_fresh_attempts,
    one_that_is_under_way_is_not_sent_twice,
    what_is_over_is_forgotten_after_a_month,
);

/// The pauses of the reference, in seconds.
const PAUSES: [u64; 6] = [5, 300, 1800, 7200, 18_000, 36_000];

/// The pause that follows the last attempt.
fn pause_of(delivery: &Delivery) -> f64 {
    let (from, to) = (delivery.attempted_at.expect("attempted"), delivery.next_attempt_at.expect("waiting"));
    (to - from).as_seconds_f64()
}

async fn what_fails_is_sent_again_with_the_same_id_and_body(db: DatabaseConnection) {
    let receiver = Receiver::start(|number| Reply::status(if number < 3 { 500 } else { 200 })).await;
    let desk = Desk::new(&db, &receiver);
    let id = desk.owe().await;
    for (attempts, pause) in (1..).zip(&PAUSES[..3]) {
        let delivery = desk.after(id, attempts).await;
        assert_eq!((delivery.state, delivery.status_code), (DeliveryState::Pending, Some(500)));
        let (planned, pause) = (pause_of(&delivery), *pause as f64);
        // Beside the jitter, the time that the attempt took.
        assert!((pause * 0.9..pause * 1.1 + 1.0).contains(&planned), "{attempts}: {planned} s");
        desk.let_pass(Duration::from_secs_f64(planned + 0.1));
    }
    let delivery = desk.after(id, 4).await;
    assert_eq!((delivery.state, delivery.status_code, delivery.failure), (DeliveryState::Delivered, Some(200), None));
    let sent = receiver.received();
    assert_eq!(sent.len(), 4);
    for again in &sent[1..] {
        assert_eq!((again.header("webhook-id"), &again.body), (sent[0].header("webhook-id"), &sent[0].body));
        assert_ne!(again.header("webhook-timestamp"), sent[0].header("webhook-timestamp"));
        assert_ne!(again.header("webhook-signature"), sent[0].header("webhook-signature"));
    }
}

async fn after_the_last_pause_it_ends(db: DatabaseConnection) {
    let receiver = Receiver::answering(503).await;
    let desk = Desk::new(&db, &receiver);
    let id = desk.owe().await;
    for attempts in 1..=PAUSES.len() {
        let delivery = desk.after(id, attempts as u32).await;
        assert_eq!(delivery.state, DeliveryState::Pending);
        desk.let_pass(Duration::from_secs_f64(pause_of(&delivery) + 0.1));
    }
    let delivery = desk.after(id, 7).await;
    assert_eq!((delivery.state, delivery.failure.as_deref()), (DeliveryState::Failed, Some("status")));
    desk.let_pass(Duration::from_secs(100 * 3600));
    sleep(Duration::from_millis(1500)).await;
    assert_eq!(receiver.received().len(), 7);
}

async fn a_receiver_that_is_gone_is_left_alone(db: DatabaseConnection) {
    let receiver = Receiver::answering(410).await;
    let desk = Desk::new(&db, &receiver);
    let delivery = desk.after(desk.owe().await, 1).await;
    assert_eq!((delivery.state, delivery.status_code), (DeliveryState::Failed, Some(410)));
    assert_eq!((delivery.failure.as_deref(), delivery.next_attempt_at), (Some("gone"), None));
}

async fn a_receiver_may_ask_to_be_left_alone_for_a_while(db: DatabaseConnection) {
    let receiver =
        Receiver::start(|_| Reply::Status(429, vec![("retry-after", "120".to_owned())], String::new())).await;
    let desk = Desk::new(&db, &receiver);
    let planned = pause_of(&desk.after(desk.owe().await, 1).await);
    assert!((120.0..122.0).contains(&planned), "{planned} s");
}

async fn nobody_listening_is_a_failed_attempt(db: DatabaseConnection) {
    let receiver = Receiver::answering(200).await;
    let hosts = "shut.test=127.0.0.1:1,hook.test=127.0.0.1:2";
    let desk = Desk::with_way_out(&db, egress("127.0.0.1/32", hosts), PATIENCE);
    for (url, failure) in [("http://shut.test/", "refused"), ("http://nowhere.invalid/", "dns")] {
        let delivery = desk.after(desk.owe_to(url).await, 1).await;
        assert_eq!((delivery.state, delivery.failure.as_deref()), (DeliveryState::Pending, Some(failure)), "{url}");
    }
    assert_eq!(receiver.received().len(), 0);
}

async fn a_failure_of_ours_is_no_attempt(db: DatabaseConnection) {
    let receiver = Receiver::answering(200).await;
    let desk = Desk::new(&db, &receiver);
    desk.results.failing.store(1, Ordering::SeqCst);
    let id = desk.owe().await;
    let delivery =
        desk.until(id, |delivery| delivery.attempted_at.is_some() && delivery.next_attempt_at.is_some()).await;
    assert_eq!((delivery.attempts, &delivery.failure), (0, &None));
    assert!((10.0..12.0).contains(&pause_of(&delivery)));
    desk.let_pass(Duration::from_secs(11));
    assert_eq!(desk.after(id, 1).await.state, DeliveryState::Delivered);
    assert_eq!(desk.results.asked.load(Ordering::SeqCst), 2);
}

async fn resend(desk: &Desk, user: Uuid, id: Uuid) -> Option<Delivery> {
    desk.gate.ask(ResendDelivery { user, id }).await.expect("answers").expect("asked")
}

async fn a_delivery_is_resent_with_fresh_attempts(db: DatabaseConnection) {
    let receiver = Receiver::start(|number| Reply::status([410, 200, 500, 200][number])).await;
    let desk = Desk::new(&db, &receiver);
    let id = desk.owe().await;
    assert_eq!(desk.after(id, 1).await.state, DeliveryState::Failed);
    let resent = resend(&desk, desk.user, id).await.expect("it is theirs");
    assert_eq!((resent.state, resent.attempts), (DeliveryState::Pending, 0));
    let delivered = desk.after(id, 1).await;
    assert_eq!((delivered.state, delivered.status_code), (DeliveryState::Delivered, Some(200)));
    resend(&desk, desk.user, id).await;
    let failed = desk.after(id, 1).await;
    assert_eq!((failed.state, failed.status_code), (DeliveryState::Pending, Some(500)));
    assert_eq!(failed.delivered_at, delivered.delivered_at, "that it was accepted once is still told");
    resend(&desk, desk.user, id).await;
    assert_eq!(desk.until(id, |delivery| delivery.state == DeliveryState::Delivered).await.attempts, 1);
    let ids: Vec<_> = receiver.received().iter().map(|sent| sent.header("webhook-id").to_owned()).collect();
    assert_eq!(ids, vec![id.to_string(); 4]);
    assert_eq!(resend(&desk, Uuid::now_v7(), id).await, None, "somebody else's");
    assert_eq!(resend(&desk, desk.user, Uuid::now_v7()).await, None);
    assert_eq!(receiver.received().len(), 4);
}

async fn one_that_is_under_way_is_not_sent_twice(db: DatabaseConnection) {
    let receiver = Receiver::start(|_| Reply::Silence).await;
    let desk = Desk::hasty(&db, &receiver);
    let id = desk.owe().await;
    receiver.until(1).await;
    let resent = resend(&desk, desk.user, id).await.expect("it is theirs");
    assert_eq!((resent.state, resent.attempts, resent.next_attempt_at), (DeliveryState::Pending, 1, None));
    desk.after(id, 1).await;
    assert_eq!(receiver.received().len(), 1);
}

async fn what_is_over_is_forgotten_after_a_month(db: DatabaseConnection) {
    let receiver = Receiver::start(|number| Reply::status(if number == 0 { 200 } else { 500 })).await;
    let desk = Desk::new(&db, &receiver);
    let done = desk.owe().await;
    desk.after(done, 1).await;
    let waiting = desk.owe().await;
    desk.after(waiting, 1).await;
    let days = |days: u64| crate::database::now() + store::millis(Duration::from_secs(days * 86_400));
    assert_eq!(store::purge(&db, days(29)).await.expect("purged"), 0);
    assert_eq!(store::purge(&db, days(31)).await.expect("purged"), 1);
    let page = store::list(&db, desk.user, 10, None).await.expect("a page");
    assert_eq!(page.deliveries.iter().map(|delivery| delivery.id).collect::<Vec<_>>(), [waiting]);
}
