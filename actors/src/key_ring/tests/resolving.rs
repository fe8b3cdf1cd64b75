//! Who presents a key, and until when.

use tokio::time::{Instant, sleep};
use uuid::Uuid;

use super::*;
use crate::on_both_databases;

on_both_databases!(crate::database::testing::open_migrated:
    a_revoked_key_is_dead_within_a_second_on_every_replica,
    a_rotated_key_lives_for_a_day_beside_the_new_one,
    an_expired_key_opens_nothing,
    a_known_key_is_answered_from_memory,
    a_malformed_key_does_not_reach_the_database,
    the_use_of_a_key_is_noted_behind_its_back_and_once_a_minute,
    only_a_living_key_can_be_revoked_or_rotated,
);

const HOUR: time::Duration = time::Duration::HOUR;

async fn summary(ring: &Gate<KeyRingActor>, key: Uuid) -> KeySummary {
    let keys = ring.ask(ListKeys { email: None }).await.expect("answers").expect("a list");
    keys.into_iter().find(|summary| summary.key_id == key).expect("the key is listed")
}

async fn last_used_at(db: &DatabaseConnection) -> Option<i64> {
    let row = sql::one(db, "SELECT last_used_at FROM api_keys", []).await.expect("reads").expect("a row");
    row.try_get("", "last_used_at").expect("a moment or none")
}

async fn a_revoked_key_is_dead_within_a_second_on_every_replica(db: DatabaseConnection) {
    let (here, there) = (ring(&db), ring(&db));
    let created = create(&here, key_for("ada@example.com")).await;
    for ring in [&here, &there] {
        assert!(resolve(ring, &created.key).await.is_some());
    }
    here.ask(RevokeKey { key_id: created.key_id }).await.expect("answers").expect("revoked");
    let revoked = Instant::now();
    assert!(resolve(&here, &created.key).await.is_none(), "at once where it was revoked");
    sleep(Duration::from_secs(1).saturating_sub(revoked.elapsed())).await;
    assert!(resolve(&there, &created.key).await.is_none(), "after a second elsewhere");
    let revoked_at = summary(&here, created.key_id).await.revoked_at;
    assert!(revoked_at.is_some());
    here.ask(RevokeKey { key_id: created.key_id }).await.expect("answers").expect("again changes nothing");
    assert_eq!(summary(&here, created.key_id).await.revoked_at, revoked_at);
}

async fn a_rotated_key_lives_for_a_day_beside_the_new_one(db: DatabaseConnection) {
    let ring = ring(&db);
    let old = create(&ring, key_for("ada@example.com")).await;
    let new = ring.ask(RotateKey { key_id: old.key_id }).await.expect("answers").expect("a key");
    assert_eq!(new.user_id, old.user_id);
    assert_ne!((new.key_id, &new.key), (old.key_id, &old.key));
    for key in [&old.key, &new.key] {
        assert!(resolve(&ring, key).await.is_some());
    }
    let (old_end, new_end) = (summary(&ring, old.key_id).await.expires_at, summary(&ring, new.key_id).await.expires_at);
    let left = old_end.expect("the old key ends") - time::OffsetDateTime::now_utc();
    assert!(left > 23 * HOUR && left <= 24 * HOUR, "{left}");
    assert_eq!(new_end, None);
    assert_eq!(summary(&ring, new.key_id).await.name, "a key");
    // Rotating again must not give the old key more time.
    ring.ask(RotateKey { key_id: old.key_id }).await.expect("answers").expect("a key");
    assert_eq!(summary(&ring, old.key_id).await.expires_at, old_end);
}

async fn an_expired_key_opens_nothing(db: DatabaseConnection) {
    let (one, other) = (ring(&db), ring(&db));
    let created = create(&one, key_for("ada@example.com")).await;
    assert!(resolve(&one, &created.key).await.is_some());
    sql::run(&db, "UPDATE api_keys SET expires_at = $1", [crate::database::now().into()]).await.expect("expires");
    assert!(resolve(&other, &created.key).await.is_none());
}

async fn a_known_key_is_answered_from_memory(db: DatabaseConnection) {
    let ring = ring(&db);
    let created = create(&ring, key_for("ada@example.com")).await;
    // A tie with the clock is possible on a machine that stands still, hence a few tries.
    for _ in 0..5 {
        sql::run(&db, "UPDATE users SET plan = 'free'", []).await.expect("updates");
        sleep(Duration::from_millis(1100)).await;
        resolve(&ring, &created.key).await.expect("a principal");
        let asked = Instant::now();
        sql::run(&db, "UPDATE users SET plan = 'pro'", []).await.expect("updates");
        let plan = resolve(&ring, &created.key).await.expect("a principal").plan;
        if asked.elapsed() < Duration::from_millis(900) {
            assert_eq!(plan, Plan::Free, "the database was asked again within a second");
            sleep(Duration::from_millis(1100)).await;
            assert_eq!(resolve(&ring, &created.key).await.expect("a principal").plan, Plan::Pro);
            return;
        }
    }
    panic!("the machine is too slow to tell");
}

async fn a_malformed_key_does_not_reach_the_database(db: DatabaseConnection) {
    let ring = ring(&db);
    let created = create(&ring, key_for("ada@example.com")).await;
    let mut mistyped = created.key.clone();
    let last = mistyped.pop().expect("a character");
    mistyped.push(if last == '0' { '1' } else { '0' });
    let unknown = key::ApiKey::generate().expect("random bytes");
    assert!(resolve(&ring, unknown.reveal()).await.is_none());
    db.clone().close().await.expect("closes");
    for presented in ["", "Bearer", &mistyped, &created.key[..44]] {
        assert!(resolve(&ring, presented).await.is_none());
    }
    let asked = ResolveKey { presented: unknown.reveal().to_owned() };
    let failed = ring.ask(asked).await.expect("answers");
    assert!(matches!(failed, Err(KeyRingError::Store(_))), "a sound key is looked up");
}

async fn the_use_of_a_key_is_noted_behind_its_back_and_once_a_minute(db: DatabaseConnection) {
    let (one, other) = (ring(&db), ring(&db));
    let created = create(&one, key_for("ada@example.com")).await;
    assert_eq!(last_used_at(&db).await, None);
    resolve(&one, &created.key).await.expect("a principal");
    let patience = Instant::now() + Duration::from_secs(10);
    let noted = loop {
        match last_used_at(&db).await {
            Some(noted) => break noted,
            None => assert!(Instant::now() < patience, "the use was not noted"),
        }
        sleep(Duration::from_millis(10)).await;
    };
    resolve(&other, &created.key).await.expect("a principal");
    sleep(Duration::from_millis(300)).await;
    assert_eq!(last_used_at(&db).await, Some(noted), "noted twice within a minute");
}

async fn only_a_living_key_can_be_revoked_or_rotated(db: DatabaseConnection) {
    let ring = ring(&db);
    let nobody = Uuid::now_v7();
    let revoked = ring.ask(RevokeKey { key_id: nobody }).await.expect("answers");
    assert!(matches!(revoked, Err(KeyRingError::Unknown)));
    let created = create(&ring, key_for("ada@example.com")).await;
    ring.ask(RevokeKey { key_id: created.key_id }).await.expect("answers").expect("revoked");
    for key_id in [nobody, created.key_id] {
        let rotated = ring.ask(RotateKey { key_id }).await.expect("answers");
        assert!(matches!(rotated, Err(KeyRingError::Unknown)), "{rotated:?}");
    }
}
