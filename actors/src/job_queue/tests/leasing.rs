//! Who holds a job, and who does not any more.

use sea_orm::DbBackend;
use tokio::time::timeout;

use super::*;
use crate::database::begin_write;
use crate::on_both_databases;

on_both_databases!(crate::database::testing::open_migrated:
    a_renewed_job_is_kept_and_a_silent_one_is_taken_over,
    a_stale_owner_writes_nothing,
    progress_in_a_rolled_back_transaction_renews_nothing,
    renewing_names_exactly_what_is_lost,
    the_deadline_follows_the_last_renewal_that_got_through,
    a_job_taken_over_keeps_its_place,
    nobody_waits_for_a_job_that_makes_progress,
);

async fn remaining(db: &DatabaseConnection, job: &ClaimedJob) -> i64 {
    let now = statement::dialect(db).now;
    number(db, &format!("lease_until - {now}"), job.id).await
}

fn is_whole(remaining: i64) -> bool {
    (10_000..=15_000).contains(&remaining)
}

async fn a_renewed_job_is_kept_and_a_silent_one_is_taken_over(db: DatabaseConnection) {
    let site = Site::new(db);
    let (queue, other) = (site.queue().await, site.queue().await);
    add(&site.db, &[job(), job()]).await;
    let (renewed, silent) = (claim_one(&queue).await, claim_one(&queue).await);
    for job in [&renewed, &silent] {
        assert!(is_whole(remaining(&site.db, job).await));
    }
    let_leases_end(&site.db).await;
    assert!(queue.renew(&[(renewed.id, renewed.epoch)]).await.expect("renews").is_empty());
    assert!(is_whole(remaining(&site.db, &renewed).await));
    assert_eq!(other.take_over().await.expect("takes over"), 1);
    assert_eq!(depth(&other).await, (1, 1));
    let taken = claim_one(&other).await;
    assert_eq!((taken.id, taken.epoch, taken.attempts), (silent.id, silent.epoch + 1, 2));
}

async fn a_stale_owner_writes_nothing(db: DatabaseConnection) {
    let site = Site::new(db);
    let (stale, other) = (site.queue().await, site.queue().await);
    add(&site.db, &[job()]).await;
    let old = claim_one(&stale).await;
    let_leases_end(&site.db).await;
    other.take_over().await.expect("takes over");
    for taken in [None, Some(claim_one(&other).await)] {
        assert!(!progress_of(&site.db, &old).await);
        for how in [Finish::Done, Finish::Queued, Finish::Dead(String::new()), Finish::Failed(String::new())] {
            assert!(!finish(&stale, &old, how).await);
        }
        assert_eq!(stale.renew(&[(old.id, old.epoch)]).await.expect("renews"), [old.id]);
        if let Some(taken) = taken {
            assert!(!finish(&stale, &taken, Finish::Done).await, "it knows the epoch and is not the owner");
            assert!(progress_of(&site.db, &taken).await);
            assert!(finish(&other, &taken, Finish::Done).await);
        }
    }
}

async fn progress_in_a_rolled_back_transaction_renews_nothing(db: DatabaseConnection) {
    let site = Site::new(db);
    let queue = site.queue().await;
    add(&site.db, &[job()]).await;
    let claimed = claim_one(&queue).await;
    let_leases_end(&site.db).await;
    let refused = write(&site.db, async |txn| {
        assert!(progress(txn, claimed.id, claimed.epoch).await?);
        Err::<(), _>(DbErr::Custom("the page was not stored".to_owned()))
    });
    refused.await.expect_err("rolled back");
    assert_eq!(number(&site.db, "attempts", claimed.id).await, 1);
    assert!(remaining(&site.db, &claimed).await < 0);
    assert!(progress_of(&site.db, &claimed).await);
    assert_eq!(number(&site.db, "attempts", claimed.id).await, 0);
    assert!(is_whole(remaining(&site.db, &claimed).await));
}

async fn renewing_names_exactly_what_is_lost(db: DatabaseConnection) {
    let site = Site::new(db);
    let queue = site.queue().await;
    assert!(queue.renew(&[]).await.expect("renews").is_empty());
    let jobs: Vec<NewJob> = (0..30).map(|_| job()).collect();
    add(&site.db, &jobs).await;
    let claimed = queue.claim(KIND, 30).await.expect("claims");
    let mut held: Vec<(Uuid, i64)> = claimed.iter().map(|job| (job.id, job.epoch)).collect();
    assert!(queue.renew(&held).await.expect("renews").is_empty());
    assert!(finish(&queue, &claimed[3], Finish::Done).await);
    assert!(finish(&queue, &claimed[7], Finish::Queued).await);
    held[11].1 -= 1;
    held[20].0 = Uuid::now_v7();
    let lost: Vec<Uuid> = [3, 7, 11, 20].into_iter().map(|number: usize| held[number].0).collect();
    assert_eq!(queue.renew(&held).await.expect("renews"), lost);
}

async fn the_deadline_follows_the_last_renewal_that_got_through(db: DatabaseConnection) {
    let site = Site::new(db);
    let queue = site.queue().await;
    add(&site.db, &[job()]).await;
    let before = Instant::now();
    let claimed = claim_one(&queue).await;
    let at_first = queue.lease_deadline(&claimed);
    assert!((before + LEASE..=Instant::now() + LEASE).contains(&at_first));
    tokio::time::sleep(Duration::from_millis(10)).await;
    let held = [(claimed.id, claimed.epoch)];
    queue.renew(&held).await.expect("renews");
    let renewed = queue.lease_deadline(&claimed);
    assert!(renewed >= at_first + Duration::from_millis(10));
    sql::run(&site.db, "ALTER TABLE jobs RENAME TO out_of_reach", []).await.expect("renames");
    queue.renew(&held).await.expect_err("the table is out of reach");
    assert_eq!(queue.lease_deadline(&claimed), renewed);
}

async fn a_job_taken_over_keeps_its_place(db: DatabaseConnection) {
    let site = Site::new(db);
    let queue = site.queue().await;
    add(&site.db, &[job()]).await;
    let first = claim_one(&queue).await;
    add(&site.db, &[job(), job()]).await;
    let_leases_end(&site.db).await;
    queue.take_over().await.expect("takes over");
    assert_eq!(claim_one(&queue).await.id, first.id);
}

async fn nobody_waits_for_a_job_that_makes_progress(db: DatabaseConnection) {
    // On SQLite all writers wait for one another, whatever they write.
    if db.get_database_backend() == DbBackend::Sqlite {
        return;
    }
    let site = Site::new(db);
    let queue = site.queue().await;
    add(&site.db, &[job(), job(), job()]).await;
    let (busy, idle) = (claim_one(&queue).await, claim_one(&queue).await);
    let_leases_end(&site.db).await;
    let page = begin_write(&site.db).await.expect("begins");
    assert!(progress(&page, busy.id, busy.epoch).await.expect("ours"));
    let meanwhile = async {
        let held = [(busy.id, busy.epoch), (idle.id, idle.epoch)];
        assert!(queue.renew(&held).await.expect("renews").is_empty());
        assert!(is_whole(remaining(&site.db, &idle).await));
        assert_eq!(queue.take_over().await.expect("takes over"), 0);
        assert_eq!(queue.bury(KIND).await.expect("buries"), []);
        assert!(!write(&site.db, async |txn| cancel(txn, busy.id).await).await.expect("answers"));
        claim_one(&queue).await;
    };
    timeout(Duration::from_secs(10), meanwhile).await.expect("nothing waits");
    page.commit().await.expect("commits");
    assert_eq!(queue.take_over().await.expect("takes over"), 0);
    assert!(is_whole(remaining(&site.db, &busy).await));
}
