use actix::{Actor, ActorContext, ActorFutureExt, Addr, AsyncContext, Context, WrapFuture};

use super::handlers::CrawlLeft;
use super::run::{Job, Left, run};
use super::{CrawlError, CrawlJobsActor};
use crate::database::write;
use crate::job_queue::Finish;

/// Runs one crawl, and tells when it does not any more, however that comes.
pub(super) struct CrawlJobActor {
    job: Job,
    notice: Notice,
}

/// Tells the keeper of the crawls when it is dropped: also by a panic.
struct Notice {
    id: uuid::Uuid,
    to: Addr<CrawlJobsActor>,
}

impl Drop for Notice {
    #[expect(
        clippy::disallowed_methods,
        reason = "a drop cannot wait, and what is sent so is never refused as too much"
    )]
    fn drop(&mut self) {
        self.to.do_send(CrawlLeft { id: self.id });
    }
}

impl CrawlJobActor {
    pub(super) fn new(job: Job, to: Addr<CrawlJobsActor>) -> Self {
        let notice = Notice { id: job.id, to };
        Self { job, notice }
    }
}

impl Actor for CrawlJobActor {
    type Context = Context<Self>;

    fn started(&mut self, context: &mut Self::Context) {
        let job = self.job.clone();
        tracing::debug!(crawl.id = %self.notice.id, "a crawl goes on");
        let running = async move {
            let left = run(job.clone()).await;
            hand_back(&job, left).await;
        };
        context.spawn(running.into_actor(self).map(|(), _, context| context.stop()));
    }
}

/// Gives back what has not ended, so that it goes on elsewhere or later. What
/// the database failed on is tried again after a pause, and not for ever.
async fn hand_back(job: &Job, left: Left) {
    let how = match left {
        Left::Ended | Left::Lost => return,
        Left::Stopped => Finish::Queued,
        Left::Failed(error) => {
            tracing::error!(crawl.id = %job.id, %error, "a crawl could not go on");
            Finish::Failed(error.to_string())
        }
    };
    let handed = write(&job.db, async |txn| Ok::<_, CrawlError>(job.queue.finish(txn, job.id, job.epoch, how).await?));
    match handed.await {
        Ok(_) => job.queue.wake(),
        Err(error) => tracing::warn!(crawl.id = %job.id, %error, "a crawl was not handed back, its lease will end"),
    }
}
