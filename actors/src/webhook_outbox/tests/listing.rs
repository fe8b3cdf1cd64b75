//! The list of deliveries.

use super::*;
use crate::on_both_databases;

on_both_databases!(crate::database::testing::open_migrated:
    pages_are_newest_first_complete_and_of_one_user,
    the_root_secret_is_made_once_or_given,
);

async fn page(desk: &Desk, user: Uuid, limit: u64, after: Option<Cursor>) -> DeliveryPage {
    desk.gate.ask(ListDeliveries { user, limit, after }).await.expect("answers").expect("a page")
}

async fn pages_are_newest_first_complete_and_of_one_user(db: DatabaseConnection) {
    let receiver = Receiver::answering(200).await;
    let mut desk = Desk::new(&db, &receiver);
    let mut owed = Vec::new();
    for _ in 0..7 {
        owed.push(desk.owe().await);
    }
    let user = std::mem::replace(&mut desk.user, Uuid::now_v7());
    desk.owe().await;
    let (mut seen, mut sizes, mut after) = (Vec::new(), Vec::new(), None);
    loop {
        let page = page(&desk, user, 3, after).await;
        sizes.push(page.deliveries.len());
        seen.extend(page.deliveries.iter().map(|delivery| (delivery.created_at, delivery.id)));
        let Some(next) = page.next else { break };
        after = Cursor::parse(&next.to_text());
    }
    assert_eq!(sizes, [3, 3, 1]);
    assert!(seen.is_sorted_by(|earlier, later| earlier.0 >= later.0), "{seen:?}");
    let (mut ids, mut expected) = (seen.into_iter().map(|(_, id)| id).collect::<Vec<_>>(), owed);
    ids.sort_unstable();
    expected.sort_unstable();
    assert_eq!(ids, expected);
    assert!(page(&desk, user, 7, None).await.next.is_none(), "no empty page at the end");
    assert_eq!(page(&desk, Uuid::now_v7(), 7, None).await.deliveries, []);
}

async fn the_root_secret_is_made_once_or_given(db: DatabaseConnection) {
    let receiver = Receiver::answering(200).await;
    let mut desk = Desk::new(&db, &receiver);
    let secret = async |desk: &Desk| {
        desk.gate.ask(GetSigningSecret { user: desk.user }).await.expect("answers").expect("a secret").reveal()
    };
    let made = secret(&desk).await;
    desk.close().await;
    desk.reopen();
    assert_eq!(secret(&desk).await, made, "receivers need not be told again after a restart");
    desk.config.root = Some(RootSecret::new("a root of the operator's"));
    desk.reopen();
    assert_eq!(secret(&desk).await, RootSecret::new("a root of the operator's").of(desk.user).reveal());
}
