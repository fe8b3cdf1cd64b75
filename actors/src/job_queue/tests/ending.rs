//! How a start of a job ends, and a job.

use super::*;
use crate::on_both_databases;

on_both_databases!(crate::database::testing::open_migrated:
    what_is_finished_is_finished_once,
    a_job_handed_back_runs_at_once_and_is_not_counted,
    a_failed_job_waits_longer_each_time,
    a_job_that_is_finished_in_a_rolled_back_transaction_goes_on,
    a_job_that_kills_its_process_is_buried_once,
    progress_clears_the_count,
    a_waiting_job_is_cancelled_and_a_running_one_is_not,
    old_ended_jobs_are_purged,
);

async fn what_is_finished_is_finished_once(db: DatabaseConnection) {
    let site = Site::new(db);
    let queue = site.queue().await;
    add(&site.db, &[job(), job()]).await;
    let (done, dead) = (claim_one(&queue).await, claim_one(&queue).await);
    assert!(finish(&queue, &done, Finish::Done).await);
    assert!(finish(&queue, &dead, Finish::Dead("no such site".to_owned())).await);
    for job in [&done, &dead] {
        assert!(!finish(&queue, job, Finish::Queued).await);
        assert!(!progress_of(&site.db, job).await);
        assert_eq!(queue.renew(&[(job.id, job.epoch)]).await.expect("renews"), [job.id]);
    }
    assert_eq!(state(&site.db, done.id).await, ("done".to_owned(), None));
    assert_eq!(state(&site.db, dead.id).await, ("dead".to_owned(), Some("no such site".to_owned())));
    assert_eq!(depth(&queue).await, (0, 0));
}

async fn a_job_handed_back_runs_at_once_and_is_not_counted(db: DatabaseConnection) {
    let site = Site::new(db);
    let queue = site.queue().await;
    add(&site.db, &[job()]).await;
    for start in 1..=i64::from(MAX_ATTEMPTS) + 3 {
        let claimed = claim_one(&queue).await;
        assert_eq!((claimed.epoch, claimed.attempts), (start, 1));
        assert!(finish(&queue, &claimed, Finish::Queued).await);
    }
    assert_eq!(queue.bury(KIND).await.expect("buries"), []);
}

async fn a_failed_job_waits_longer_each_time(db: DatabaseConnection) {
    let site = Site::new(db);
    let queue = site.queue().await;
    add(&site.db, &[job()]).await;
    for seconds in [2, 4, 8, 16, 32] {
        let_waits_end(&site.db).await;
        let claimed = claim_one(&queue).await;
        assert!(finish(&queue, &claimed, Finish::Failed("no answer".to_owned())).await);
        let now = dialect_now(&site.db);
        let wait = number(&site.db, &format!("run_at - {now}"), claimed.id).await;
        assert!(((seconds - 2) * 1_000..=seconds * 1_000).contains(&wait), "{wait} ms and not {seconds} s");
        assert_eq!(state(&site.db, claimed.id).await, ("queued".to_owned(), Some("no answer".to_owned())));
        assert!(queue.claim(KIND, 1).await.expect("claims").is_empty(), "its time has not come");
    }
    let buried = queue.bury(KIND).await.expect("buries");
    assert_eq!(state(&site.db, buried[0].id).await, ("dead".to_owned(), Some("no answer".to_owned())));
}

async fn a_job_that_is_finished_in_a_rolled_back_transaction_goes_on(db: DatabaseConnection) {
    let site = Site::new(db);
    let queue = site.queue().await;
    add(&site.db, &[job()]).await;
    let claimed = claim_one(&queue).await;
    let refused = write(&site.db, async |txn| {
        assert!(queue.finish(txn, claimed.id, claimed.epoch, Finish::Done).await?);
        Err::<(), _>(DbErr::Custom("the rest of it failed".to_owned()))
    });
    refused.await.expect_err("rolled back");
    assert!(progress_of(&site.db, &claimed).await);
    assert!(finish(&queue, &claimed, Finish::Done).await);
}

/// Starts the job and lets the process be silent, as often as a job may be
/// started.
async fn wear_out(site: &Site, queue: &JobQueue) {
    for start in 1..=MAX_ATTEMPTS {
        assert_eq!(claim_one(queue).await.attempts, start);
        assert_eq!(queue.bury(KIND).await.expect("buries"), [], "it runs");
        let_leases_end(&site.db).await;
        assert_eq!(queue.take_over().await.expect("takes over"), 1);
    }
}

async fn a_job_that_kills_its_process_is_buried_once(db: DatabaseConnection) {
    let site = Site::new(db);
    let (queue, other, job) = (site.queue().await, site.queue().await, job());
    add(&site.db, std::slice::from_ref(&job)).await;
    wear_out(&site, &queue).await;
    assert!(queue.claim(KIND, 1).await.expect("claims").is_empty(), "it has had its starts");
    assert_eq!(queue.bury("fill").await.expect("buries"), []);
    let refused = write(&site.db, async |txn| {
        assert_eq!(bury_in(txn, KIND).await?.len(), 1);
        Err::<(), _>(DbErr::Custom("its owner could not settle".to_owned()))
    });
    refused.await.expect_err("rolled back");
    let (one, two) = futures::join!(queue.bury(KIND), other.bury(KIND));
    let buried = [one.expect("buries"), two.expect("buries")].concat();
    assert_eq!(buried, [Buried { id: job.id, payload: job.payload.clone() }]);
    assert_eq!(queue.bury(KIND).await.expect("buries"), []);
    let (state, error) = state(&site.db, job.id).await;
    assert_eq!((state.as_str(), error.as_deref()), ("dead", Some("started 5 times without progress")));
}

async fn progress_clears_the_count(db: DatabaseConnection) {
    let site = Site::new(db);
    let queue = site.queue().await;
    add(&site.db, &[job()]).await;
    for _ in 0..2 * MAX_ATTEMPTS {
        let claimed = claim_one(&queue).await;
        assert_eq!(claimed.attempts, 1);
        assert!(progress_of(&site.db, &claimed).await);
        let_leases_end(&site.db).await;
        assert_eq!(queue.take_over().await.expect("takes over"), 1);
    }
    wear_out(&site, &queue).await;
    assert_eq!(queue.bury(KIND).await.expect("buries").len(), 1);
}

async fn a_waiting_job_is_cancelled_and_a_running_one_is_not(db: DatabaseConnection) {
    let site = Site::new(db);
    let (queue, waiting) = (site.queue().await, job());
    let cancel = async |job| write(&site.db, async |txn| cancel(txn, job).await).await.expect("answers");
    add(&site.db, std::slice::from_ref(&waiting)).await;
    assert!(cancel(waiting.id).await);
    assert!(!cancel(waiting.id).await);
    assert!(!cancel(Uuid::now_v7()).await);
    assert!(queue.claim(KIND, 1).await.expect("claims").is_empty());
    add(&site.db, &[job()]).await;
    let running = claim_one(&queue).await;
    assert!(!cancel(running.id).await);
    assert!(finish(&queue, &running, Finish::Done).await);
}

async fn old_ended_jobs_are_purged(db: DatabaseConnection) {
    let site = Site::new(db);
    let queue = site.queue().await;
    let jobs: Vec<NewJob> = (0..2_105).map(|_| job()).collect();
    add(&site.db, &jobs).await;
    let running = claim_one(&queue).await;
    let ended = "UPDATE jobs SET state = 'done', finished_at = 1000 WHERE id IN \
                 (SELECT id FROM jobs WHERE state = 'queued' ORDER BY id LIMIT 2100)";
    sql::run(&site.db, ended, []).await.expect("ends");
    assert!(finish(&queue, &claim_one(&queue).await, Finish::Done).await);
    assert_eq!(queue.purge(Duration::from_secs(3_600)).await.expect("purges"), 2_100);
    assert_eq!(queue.purge(Duration::MAX).await.expect("purges"), 0);
    tokio::time::sleep(Duration::from_millis(5)).await;
    assert_eq!(queue.purge(Duration::ZERO).await.expect("purges"), 1);
    assert_eq!(depth(&queue).await, (3, 1));
    assert!(progress_of(&site.db, &running).await);
}

fn dialect_now(db: &DatabaseConnection) -> &'static str {
    crate::job_queue::statement::dialect(db).now
}
