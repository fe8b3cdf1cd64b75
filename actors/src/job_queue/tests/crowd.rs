//! Many jobs, and several who want them.

use std::collections::HashSet;

use futures::future::join_all;

use super::*;
use crate::on_both_databases;

on_both_databases!(crate::database::testing::open_migrated:
    ten_thousand_jobs_are_each_done_once,
);

/// Claims and finishes until nothing is left, and returns what it did.
async fn work(queue: &JobQueue) -> Vec<Uuid> {
    let mut done = Vec::new();
    loop {
        let claimed = queue.claim(KIND, 64).await.expect("claims");
        if claimed.is_empty() && depth(queue).await == (0, 0) {
            return done;
        }
        let finished = write(&queue.0.db, async |txn| {
            for job in &claimed {
                assert!(queue.finish(txn, job.id, job.epoch, Finish::Done).await?);
            }
            Ok::<_, DbErr>(())
        });
        finished.await.expect("finishes");
        done.extend(claimed.into_iter().map(|job| job.id));
    }
}

async fn ten_thousand_jobs_are_each_done_once(db: DatabaseConnection) {
    let site = Site::new(db);
    let queues = [site.queue().await, site.queue().await];
    let lanes: Vec<Uuid> = (0..100).map(|_| Uuid::now_v7()).collect();
    let jobs: Vec<NewJob> = (0..10_000).map(|number| job_in(lanes[number % 100], 8)).collect();
    add(&site.db, &jobs).await;
    let done = join_all(queues.iter().map(work)).await.concat();
    assert_eq!(done.len(), 10_000);
    let expected: HashSet<Uuid> = jobs.into_iter().map(|job| job.id).collect();
    assert_eq!(done.into_iter().collect::<HashSet<_>>(), expected);
}
