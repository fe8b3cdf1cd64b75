//! Who lives.

use sea_orm::sqlx::PgPool;
use sea_orm::{ConnectionTrait, SqlxPostgresConnector};
use tokio::time::sleep;

use super::*;
use crate::database::begin_write;
use crate::database::testing::{TestDatabase, open_migrated};

async fn on_sqlite<F: Future<Output = ()>>(body: impl FnOnce(Site) -> F) {
    let test = async |url: String| body(Site::new(open_migrated(&url).await)).await;
    TestDatabase::sqlite().run(test).await;
}

async fn on_postgres<F: Future<Output = ()>>(body: impl FnOnce(Site) -> F) {
    let test = async |url: String| body(Site::new(open_migrated(&url).await)).await;
    TestDatabase::postgres().await.run(test).await;
}

/// Ends the session that holds an owner's lock, as when its process dies, and
/// waits until it is gone.
async fn cut(db: &DatabaseConnection, queue: &JobQueue) {
    let sessions = "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 2 \
                    AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) \
                    AND objid = (hashtext($1)::bigint & 4294967295)::oid";
    let owner = || [queue.0.owner.to_string().into()];
    let cut = format!("SELECT pg_terminate_backend(pid) FROM ({sessions}) AS sessions");
    assert_eq!(sql::all(db, &cut, owner()).await.expect("cuts").len(), 1);
    while sql::one(db, sessions, owner()).await.expect("reads").is_some() {
        sleep(Duration::from_millis(5)).await;
    }
}

#[actix::test]
async fn the_next_process_on_a_file_goes_on_at_once() {
    on_sqlite(|site| async move {
        let first = site.queue().await;
        add(&site.db, &[job(), job()]).await;
        let (old, _) = (claim_one(&first).await, claim_one(&first).await);
        drop(first);
        let second = site.queue().await;
        assert_eq!(depth(&second).await, (2, 0));
        let taken = claim_one(&second).await;
        assert_eq!((taken.id, taken.epoch, taken.attempts), (old.id, 2, 2));
        assert!(!progress_of(&site.db, &old).await);
    })
    .await;
}

#[actix::test]
async fn a_second_process_on_a_file_takes_nothing_until_the_first_is_gone() {
    on_sqlite(|site| async move {
        let (first, second) = (site.queue().await, site.queue().await);
        add(&site.db, &[job(), job()]).await;
        let (of_first, of_second) = (claim_one(&first).await, claim_one(&second).await);
        for queue in [&first, &second] {
            assert_eq!(queue.take_over().await.expect("takes over"), 0);
        }
        drop(first);
        assert_eq!(second.take_over().await.expect("takes over"), 1);
        assert!(!progress_of(&site.db, &of_first).await);
        assert!(progress_of(&site.db, &of_second).await, "its own job is not taken from it");
        // A third that works without the lock is let be.
        let third = site.queue().await;
        claim_one(&third).await;
        assert_eq!(second.take_over().await.expect("takes over"), 0);
    })
    .await;
}

#[actix::test]
async fn what_could_not_be_taken_over_is_taken_over_later() {
    on_sqlite(|site| async move {
        let (first, second) = (site.queue().await, site.queue().await);
        add(&site.db, &[job()]).await;
        claim_one(&first).await;
        drop(first);
        sql::run(&site.db, "ALTER TABLE jobs RENAME TO out_of_reach", []).await.expect("renames");
        second.take_over().await.expect_err("there is no table");
        sql::run(&site.db, "ALTER TABLE out_of_reach RENAME TO jobs", []).await.expect("renames");
        assert_eq!(second.take_over().await.expect("takes over"), 1);
    })
    .await;
}

#[actix::test]
async fn a_lock_file_that_cannot_be_made_is_an_error() {
    on_sqlite(|site| async move {
        let nowhere = site.folder.path().join("not there/jobs.lock");
        let refused = JobQueue::open(site.db.clone(), &nowhere).await.err().expect("refused");
        assert!(matches!(refused, OpenQueueError::LockFile { path, .. } if path == nowhere));
    })
    .await;
}

#[actix::test]
async fn a_dead_owner_is_noticed_and_a_living_one_is_left() {
    on_postgres(|site| async move {
        let (dying, living, third) = (site.queue().await, site.queue().await, site.queue().await);
        add(&site.db, &[job(), job()]).await;
        let (old, kept) = (claim_one(&dying).await, claim_one(&living).await);
        for queue in [&dying, &living, &third] {
            assert_eq!(queue.take_over().await.expect("takes over"), 0);
        }
        let cut_at = Instant::now();
        cut(&site.db, &dying).await;
        assert_eq!(third.take_over().await.expect("takes over"), 1);
        let taken = claim_one(&third).await;
        assert!(cut_at.elapsed() < Duration::from_secs(2), "{:?}", cut_at.elapsed());
        assert_eq!((taken.id, taken.epoch), (old.id, old.epoch + 1));
        assert!(!progress_of(&site.db, &old).await);
        assert!(progress_of(&site.db, &kept).await);
    })
    .await;
}

#[actix::test]
async fn a_new_process_takes_over_when_it_starts() {
    on_postgres(|site| async move {
        let first = site.queue().await;
        add(&site.db, &[job()]).await;
        claim_one(&first).await;
        cut(&site.db, &first).await;
        let second = site.queue().await;
        assert_eq!(depth(&second).await, (1, 0));
    })
    .await;
}

#[actix::test]
async fn a_lock_that_was_lost_is_taken_again() {
    on_postgres(|site| async move {
        let (queue, other) = (site.queue().await, site.queue().await);
        add(&site.db, &[job(), job()]).await;
        let kept = claim_one(&queue).await;
        cut(&site.db, &queue).await;
        assert_eq!(queue.take_over().await.expect("takes over"), 0);
        assert_eq!(other.take_over().await.expect("takes over"), 0);
        assert!(progress_of(&site.db, &kept).await);
        claim_one(&queue).await;
        // After a loss nobody is judged for a while: the others may be taking theirs again.
        cut(&site.db, &other).await;
        assert!(matches!(queue.0.lock.check(queue.0.owner).await.expect("checks"), owner::Dead::Unknown));
    })
    .await;
}

#[actix::test]
async fn an_owner_that_others_cannot_see_claims_nothing() {
    on_postgres(|site| async move {
        let queue = site.queue().await;
        add(&site.db, &[job()]).await;
        // No further sessions, not even a superuser's.
        let options = site.db.get_postgres_connection_pool().connect_options();
        let name = options.get_database().expect("a name").to_owned();
        let elsewhere = PgPool::connect_with((*options).clone().database("postgres")).await.expect("connects");
        let elsewhere = SqlxPostgresConnector::from_sqlx_postgres_pool(elsewhere);
        let let_in = async |whether: bool| {
            let alter = format!("ALTER DATABASE {name} ALLOW_CONNECTIONS {whether}");
            elsewhere.execute_unprepared(&alter).await.expect("alters");
        };
        let_in(false).await;
        cut(&site.db, &queue).await;
        queue.take_over().await.expect_err("nobody is let in");
        assert!(queue.claim(KIND, 1).await.expect("claims").is_empty());
        let_in(true).await;
        queue.take_over().await.expect("takes over");
        claim_one(&queue).await;
    })
    .await;
}

#[actix::test]
async fn a_transaction_that_is_left_open_does_not_keep_a_job() {
    on_postgres(|site| async move {
        let (frozen, other) = (site.queue().await, site.queue().await);
        add(&site.db, &[job()]).await;
        let claimed = claim_one(&frozen).await;
        let_leases_end(&site.db).await;
        let page = begin_write(&site.db).await.expect("begins");
        assert!(progress(&page, claimed.id, claimed.epoch).await.expect("ours"));
        let patience = Instant::now() + Duration::from_secs(15);
        while other.take_over().await.expect("takes over") == 0 {
            assert!(Instant::now() < patience, "the row is still locked");
            sleep(Duration::from_millis(250)).await;
        }
        page.commit().await.expect_err("the server has ended it");
        assert!(!progress_of(&site.db, &claimed).await);
    })
    .await;
}
