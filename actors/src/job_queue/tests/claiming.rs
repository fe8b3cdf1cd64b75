//! Who gets which job when.

use std::collections::HashMap;

use futures::future::join_all;
use tokio::time::timeout;

use super::*;
use crate::on_both_databases;

on_both_databases!(crate::database::testing::open_migrated:
    a_job_is_claimed_once_with_what_it_was_given,
    jobs_come_in_the_order_they_were_put_in,
    what_was_rolled_back_is_not_there,
    of_two_jobs_with_one_id_the_first_is_kept,
    other_kinds_are_left_alone,
    a_full_lane_does_not_hold_up_the_others,
    a_lane_limit_counts_each_kind_by_itself,
    two_queues_together_keep_to_the_lane_limits,
    a_lane_that_nothing_may_run_in_is_refused,
    a_wake_between_asking_and_waiting_is_not_lost,
);

async fn a_job_is_claimed_once_with_what_it_was_given(db: DatabaseConnection) {
    let site = Site::new(db);
    let (queue, other, job) = (site.queue().await, site.queue().await, job());
    assert!(queue.claim(KIND, 5).await.expect("claims").is_empty());
    add(&site.db, std::slice::from_ref(&job)).await;
    assert_eq!(depth(&queue).await, (1, 0));
    assert!(queue.claim(KIND, 0).await.expect("claims").is_empty());
    let claimed = claim_one(&queue).await;
    assert_eq!((claimed.id, claimed.epoch, claimed.attempts), (job.id, 1, 1));
    assert_eq!(claimed.payload, job.payload);
    assert!(other.claim(KIND, 5).await.expect("claims").is_empty());
    assert_eq!(depth(&queue).await, (0, 1));
}

async fn jobs_come_in_the_order_they_were_put_in(db: DatabaseConnection) {
    let site = Site::new(db);
    let queue = site.queue().await;
    let jobs: Vec<NewJob> = (0..7).map(|_| job()).collect();
    for job in &jobs {
        add(&site.db, std::slice::from_ref(job)).await;
    }
    let mut order = claim_ids(&queue, 3).await;
    order.extend(claim_ids(&queue, 10).await);
    assert_eq!(order, jobs.iter().map(|job| job.id).collect::<Vec<_>>());
}

async fn what_was_rolled_back_is_not_there(db: DatabaseConnection) {
    let site = Site::new(db);
    let queue = site.queue().await;
    let refused = write(&site.db, async |txn| {
        enqueue(txn, &job()).await?;
        assert_eq!(waiting_in_lane(txn, KIND, Uuid::nil()).await?, 0);
        Err::<(), _>(DbErr::Custom("changed its mind".to_owned()))
    });
    refused.await.expect_err("rolled back");
    assert_eq!(depth(&queue).await, (0, 0));
    assert!(queue.claim(KIND, 1).await.expect("claims").is_empty());
}

async fn of_two_jobs_with_one_id_the_first_is_kept(db: DatabaseConnection) {
    let site = Site::new(db);
    let (queue, first) = (site.queue().await, job());
    let second = NewJob { payload: "{}".to_owned(), ..first.clone() };
    add(&site.db, &[first.clone(), second.clone()]).await;
    assert_eq!(depth(&queue).await, (1, 0));
    let claimed = claim_one(&queue).await;
    assert_eq!(claimed.payload, first.payload);
    assert!(finish(&queue, &claimed, Finish::Done).await);
    add(&site.db, &[second]).await;
    assert!(queue.claim(KIND, 1).await.expect("claims").is_empty(), "what is done is not done again");
}

async fn other_kinds_are_left_alone(db: DatabaseConnection) {
    let site = Site::new(db);
    let queue = site.queue().await;
    add(&site.db, &[NewJob { kind: "fill", ..job() }]).await;
    assert!(queue.claim(KIND, 5).await.expect("claims").is_empty());
    assert_eq!(queue.claim("fill", 5).await.expect("claims").len(), 1);
}

async fn a_full_lane_does_not_hold_up_the_others(db: DatabaseConnection) {
    let site = Site::new(db);
    let (queue, busy, calm) = (site.queue().await, Uuid::now_v7(), Uuid::now_v7());
    let jobs: Vec<NewJob> = (0..8).map(|number| if number < 6 { job_in(busy, 2) } else { job_in(calm, 1) }).collect();
    add(&site.db, &jobs).await;
    let claimed = queue.claim(KIND, 10).await.expect("claims");
    let ids: Vec<Uuid> = claimed.iter().map(|job| job.id).collect();
    assert_eq!(ids, [jobs[0].id, jobs[1].id, jobs[6].id]);
    let waiting = write(&site.db, async |txn| waiting_in_lane(txn, KIND, busy).await).await;
    assert_eq!(waiting.expect("counts"), 4);
    assert!(queue.claim(KIND, 10).await.expect("claims").is_empty());
    for (how, next) in [(Finish::Done, jobs[2].id), (Finish::Dead("broken".to_owned()), jobs[3].id)] {
        let ended = claimed.iter().find(|job| job.id == if how == Finish::Done { jobs[0].id } else { jobs[1].id });
        assert!(finish(&queue, ended.expect("it was claimed"), how).await);
        assert_eq!(claim_ids(&queue, 10).await, [next]);
    }
}

async fn a_lane_limit_counts_each_kind_by_itself(db: DatabaseConnection) {
    let site = Site::new(db);
    let (queue, lane) = (site.queue().await, Uuid::now_v7());
    add(&site.db, &[job_in(lane, 1), NewJob { kind: "fill", ..job_in(lane, 1) }]).await;
    assert_eq!(claim_ids(&queue, 5).await.len(), 1);
    assert_eq!(queue.claim("fill", 5).await.expect("claims").len(), 1);
}

async fn two_queues_together_keep_to_the_lane_limits(db: DatabaseConnection) {
    let site = Site::new(db);
    let queues = [site.queue().await, site.queue().await];
    let lanes: Vec<(Uuid, u32)> = (1..=4).map(|limit| (Uuid::now_v7(), limit)).collect();
    let jobs: Vec<NewJob> = (0..40).flat_map(|_| lanes.iter().map(|(lane, limit)| job_in(*lane, *limit))).collect();
    let lane_of: HashMap<Uuid, Uuid> = jobs.iter().map(|job| (job.id, job.lane)).collect();
    add(&site.db, &jobs).await;
    let mut done = 0;
    while done < jobs.len() {
        let claims = (0..8).map(|turn| queues[turn % 2].claim(KIND, 1 + turn as u32 % 3));
        let claimed: Vec<Vec<ClaimedJob>> =
            join_all(claims).await.into_iter().map(|jobs| jobs.expect("claims")).collect();
        let mut running = HashMap::<Uuid, u32>::new();
        claimed.iter().flatten().for_each(|job| *running.entry(lane_of[&job.id]).or_default() += 1);
        for (lane, limit) in &lanes {
            assert!(running.get(lane).is_none_or(|running| running <= limit), "{running:?} of {lanes:?}");
        }
        assert!(!running.is_empty(), "there is room, and nothing was claimed");
        for (turn, jobs) in claimed.iter().enumerate() {
            for job in jobs {
                assert!(finish(&queues[turn % 2], job, Finish::Done).await);
                done += 1;
            }
        }
    }
    assert_eq!((done, depth(&queues[0]).await), (jobs.len(), (0, 0)));
}

async fn a_lane_that_nothing_may_run_in_is_refused(db: DatabaseConnection) {
    write(&db, async |txn| enqueue(txn, &job_in(Uuid::now_v7(), 0)).await).await.expect_err("it would wait for ever");
}

async fn a_wake_between_asking_and_waiting_is_not_lost(db: DatabaseConnection) {
    let queue = Site::new(db).queue().await;
    let notified = queue.notified();
    queue.clone().wake();
    timeout(Duration::from_secs(5), notified).await.expect("woken");
    let unheard = timeout(Duration::from_millis(20), queue.notified()).await;
    assert!(unheard.is_err(), "one wake is not two");
}
