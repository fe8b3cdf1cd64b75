//! The day's counts in the database, on both databases.

use sea_orm::DatabaseConnection;
use uuid::Uuid;

use super::{LIMITS, ask, crowd, start};
use crate::database::sql;
use crate::on_both_databases;
use crate::rate_limiter::{Counts, RateLimits, SettleCounts};

on_both_databases! {
    crate::database::testing::open_migrated:
    of_64_who_ask_at_once_exactly_the_limit_is_admitted,
    a_restart_in_order_forgets_nothing_of_the_day_and_gives_the_reserve_back,
    a_crash_costs_the_client_at_most_a_hundredth_of_the_day,
    counts_of_days_past_are_not_read,
}

async fn stored(db: &DatabaseConnection, key: Uuid) -> i64 {
    let sum = "SELECT CAST(COALESCE(SUM(count), 0) AS BIGINT) FROM rate_buckets WHERE key_id = $1";
    let row = sql::one(db, sum, [key.into()]).await.expect("read").expect("a row");
    row.try_get_by_index(0).expect("a number")
}

async fn of_64_who_ask_at_once_exactly_the_limit_is_admitted(db: DatabaseConnection) {
    let (gate, _keeper) = start(Counts::Database(db.clone()));
    let key = Uuid::now_v7();
    assert_eq!(crowd(&gate, key, LIMITS, 64).await, 20);
    assert!(stored(&db, key).await >= 20, "stored before it was answered");
    assert!(ask(&gate, Uuid::now_v7(), LIMITS).await.allowed, "keys do not share windows");
}

async fn a_restart_in_order_forgets_nothing_of_the_day_and_gives_the_reserve_back(db: DatabaseConnection) {
    let key = Uuid::now_v7();
    for life in 1..=3 {
        let (gate, keeper) = start(Counts::Database(db.clone()));
        assert_eq!(crowd(&gate, key, LIMITS, 15).await, 15, "the minute begins empty");
        gate.ask(SettleCounts).await.expect("settled");
        assert_eq!(stored(&db, key).await, 15 * life);
        keeper.retire().await;
    }
    let (gate, _keeper) = start(Counts::Database(db.clone()));
    assert_eq!(ask(&gate, key, LIMITS).await.day.remaining, 1_000 - 46);
    let nearly = RateLimits { per_minute: 20, per_day: 47 };
    assert_eq!(crowd(&gate, key, nearly, 10).await, 1);
}

async fn a_crash_costs_the_client_at_most_a_hundredth_of_the_day(db: DatabaseConnection) {
    let key = Uuid::now_v7();
    let mut admitted = 0;
    for crash in 1..=5 {
        // Dropped without a word, as a process that is killed drops it.
        let (gate, keeper) = start(Counts::Database(db.clone()));
        admitted += crowd(&gate, key, LIMITS, 7).await as i64;
        keeper.retire().await;
        let known = stored(&db, key).await;
        assert!((admitted..=admitted + 10 * crash).contains(&known), "{known} stored of {admitted}");
    }
    assert_eq!(admitted, 35);
}

async fn counts_of_days_past_are_not_read(db: DatabaseConnection) {
    let (key, present) = (Uuid::now_v7(), crate::database::now() / 900_000);
    for (bucket, count) in [(present - 200, 900), (present - 97, 90), (present - 96, 9), (present + 50, 1)] {
        let insert = "INSERT INTO rate_buckets (key_id, bucket, count) VALUES ($1, $2, $3)";
        sql::run(&db, insert, [key.into(), bucket.into(), i64::from(count).into()]).await.expect("inserted");
    }
    let (gate, _keeper) = start(Counts::Database(db));
    // The last: a clock that went back; it counts as now.
    assert_eq!(ask(&gate, key, LIMITS).await.day.remaining, 1_000 - 11);
}
