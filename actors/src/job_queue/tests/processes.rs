//! Processes that are killed or frozen with jobs in hand.

use std::process::Child;

use rustix::process::{Pid, Signal, kill_process};
use serde::{Deserialize, Serialize};
use tokio::time::sleep;

use super::*;
use crate::child::{next_told, orders, start, tell};
use crate::database::Database;
use crate::database::testing::{TestDatabase, on_both_urls, open_migrated};

on_both_urls!(on_sqlite, on_postgres:
    jobs_of_a_killed_process_go_on_at_once_in_the_next,
    a_killed_process_is_noticed_by_one_that_runs,
    no_job_is_lost_or_done_twice_by_processes_that_are_killed,
);

#[derive(Serialize, Deserialize)]
struct Shift {
    url: String,
    lock_file: PathBuf,
    /// Jobs to have in hand at once.
    hands: u32,
}

impl Shift {
    async fn queue(&self) -> JobQueue {
        let db = Database::open(&self.url).await.expect("opens");
        JobQueue::open(db, &self.lock_file).await.expect("the queue opens")
    }
}

/// Claims jobs, tells of it, and makes progress with them until one is lost.
#[test]
#[ignore = "a child of the process tests"]
fn digger() {
    let Some(shift) = orders::<Shift>() else { return };
    actix::System::new().block_on(async {
        let queue = shift.queue().await;
        let claimed = queue.claim(KIND, shift.hands).await.expect("claims");
        tell(&format!("has {}", claimed.len()));
        loop {
            for job in &claimed {
                let step = write(&queue.0.db, async |txn| progress(txn, job.id, job.epoch).await);
                // Frozen inside a transaction, it wakes up without a connection.
                if matches!(step.await, Ok(false)) {
                    tell("lost");
                    return;
                }
            }
            sleep(Duration::from_millis(20)).await;
        }
    });
}

/// Does jobs in three steps, each written down in a transaction with its
/// progress, for ever.
#[test]
#[ignore = "a child of the process tests"]
fn worker() {
    let Some(shift) = orders::<Shift>() else { return };
    actix::System::new().block_on(async {
        let queue = shift.queue().await;
        loop {
            queue.take_over().await.expect("takes over");
            for job in queue.claim(KIND, shift.hands).await.expect("claims") {
                work_on(&queue, &job).await;
            }
            sleep(Duration::from_millis(5)).await;
        }
    });
}

/// Goes on after the steps that earlier starts have written down.
async fn work_on(queue: &JobQueue, job: &ClaimedJob) {
    let db = &queue.0.db;
    let done = sql::one(db, "SELECT count(*) FROM steps WHERE job = $1", [job.id.into()]).await.expect("reads");
    let done: i64 = done.expect("a count").try_get_by_index(0).expect("a number");
    for step in done..3 {
        let is_ours = write(db, async |txn| {
            if !progress(txn, job.id, job.epoch).await? {
                return Ok(false);
            }
            sql::run(txn, "INSERT INTO steps (job, step) VALUES ($1, $2)", [job.id.into(), step.into()]).await?;
            Ok::<_, DbErr>(true)
        });
        if !is_ours.await.expect("writes") {
            return;
        }
    }
    finish(queue, job, Finish::Done).await;
}

fn begin(role: &str, site: &Site, url: &str, hands: u32) -> Child {
    let shift = Shift { url: url.to_owned(), lock_file: site.lock_file(), hands };
    start(&format!("job_queue::tests::processes::{role}"), &shift)
}

/// Kills the process as a crash would, and waits until it is gone.
fn kill(mut child: Child) {
    child.kill().expect("kills");
    child.wait().expect("the child ends");
}

fn send(child: &Child, signal: Signal) {
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw).expect("a process");
    kill_process(pid, signal).expect("the child is ours");
}

async fn jobs_of_a_killed_process_go_on_at_once_in_the_next(url: String) {
    let site = Site::new(open_migrated(&url).await);
    add(&site.db, &[job(), job(), job()]).await;
    for round in 1..=3_i64 {
        let mut child = begin("digger", &site, &url, 2);
        assert_eq!(next_told(&mut child), "has 2");
        kill(child);
        let killed_at = Instant::now();
        let next = site.queue().await;
        let mut claimed = Vec::new();
        while claimed.len() < 2 {
            next.take_over().await.expect("takes over");
            claimed.extend(next.claim(KIND, 2 - claimed.len() as u32).await.expect("claims"));
        }
        assert!(killed_at.elapsed() < Duration::from_secs(2), "{:?}", killed_at.elapsed());
        assert!(claimed.iter().all(|job| job.epoch == 2 * round), "{claimed:?}");
        for job in &claimed {
            assert!(finish(&next, job, Finish::Queued).await);
        }
        sql::run(&site.db, "UPDATE jobs SET run_at = 0 WHERE id = $1", [claimed[0].id.into()]).await.expect("first");
        sql::run(&site.db, "UPDATE jobs SET run_at = 0 WHERE id = $1", [claimed[1].id.into()]).await.expect("first");
    }
}

async fn a_killed_process_is_noticed_by_one_that_runs(url: String) {
    let site = Site::new(open_migrated(&url).await);
    add(&site.db, &[job(), job()]).await;
    let mut child = begin("digger", &site, &url, 2);
    assert_eq!(next_told(&mut child), "has 2");
    let watcher = site.queue().await;
    assert_eq!(watcher.take_over().await.expect("takes over"), 0, "it lives");
    let killed_at = Instant::now();
    kill(child);
    let mut taken = 0;
    while taken < 2 {
        sleep(Duration::from_millis(500)).await;
        taken += watcher.take_over().await.expect("takes over");
        assert!(killed_at.elapsed() < Duration::from_secs(3), "{taken} after {:?}", killed_at.elapsed());
    }
    assert_eq!(claim_ids(&watcher, 5).await.len(), 2);
}

async fn no_job_is_lost_or_done_twice_by_processes_that_are_killed(url: String) {
    let site = Site::new(open_migrated(&url).await);
    let steps = "CREATE TABLE steps (job CHAR(36) NOT NULL, step BIGINT NOT NULL)";
    let steps = if url.starts_with("postgres") { steps.replace("CHAR(36)", "UUID") } else { steps.to_owned() };
    sql::run(&site.db, &steps, []).await.expect("a table");
    let jobs: Vec<NewJob> = (0..400).map(|number| job_in(Uuid::from_u128(number % 10), 3)).collect();
    add(&site.db, &jobs).await;
    let mut children: Vec<Child> = (0..2).map(|_| begin("worker", &site, &url, 4)).collect();
    let watcher = site.queue().await;
    let patience = Instant::now() + Duration::from_secs(90);
    for turn in 0_u64.. {
        assert!(Instant::now() < patience, "{:?} are left", depth(&watcher).await);
        sleep(Duration::from_millis(250 + turn * 37 % 300)).await;
        watcher.take_over().await.expect("takes over");
        if depth(&watcher).await == (0, 0) {
            break;
        }
        if turn < 8 {
            kill(children.remove(0));
            children.push(begin("worker", &site, &url, 4));
        }
    }
    children.into_iter().for_each(kill);
    let count = "SELECT count(*) AS steps, count(DISTINCT job) AS jobs FROM steps";
    let row = sql::one(&site.db, count, []).await.expect("reads").expect("a row");
    let number = |name| row.try_get::<i64>("", name).expect("a number");
    assert_eq!((number("steps"), number("jobs")), (1_200, 400));
    let twice = "SELECT job FROM steps GROUP BY job, step HAVING count(*) > 1";
    assert!(sql::all(&site.db, twice, []).await.expect("reads").is_empty(), "a step was written twice");
    let undone = "SELECT id FROM jobs WHERE state <> 'done'";
    assert!(sql::all(&site.db, undone, []).await.expect("reads").is_empty(), "a job is not done");
}

#[actix::test]
async fn a_frozen_process_loses_its_job_and_finds_out() {
    let test = async |url: String| {
        let site = Site::new(open_migrated(&url).await);
        add(&site.db, &[job()]).await;
        let mut child = begin("digger", &site, &url, 1);
        assert_eq!(next_told(&mut child), "has 1");
        send(&child, Signal::STOP);
        let (frozen_at, other) = (Instant::now(), site.queue().await);
        let mut taken = Vec::new();
        while taken.is_empty() {
            assert!(frozen_at.elapsed() < Duration::from_secs(20), "not taken over");
            sleep(Duration::from_millis(250)).await;
            other.take_over().await.expect("takes over");
            taken = other.claim(KIND, 1).await.expect("claims");
        }
        assert!(frozen_at.elapsed() > Duration::from_secs(12), "it lives, for all that is known");
        send(&child, Signal::CONT);
        assert_eq!(next_told(&mut child), "lost");
        kill(child);
        assert!(progress_of(&site.db, &taken[0]).await);
    };
    TestDatabase::postgres().await.run(test).await;
}
