use actix::{Context, Handler, ResponseFuture};
use uuid::Uuid;

use super::{
    CancelCrawl, CrawlError, CrawlJobsActor, CrawlRecord, CrawlSummary, GetCrawl, HandBack, ListCrawls, StartCrawl,
    StartedCrawl, store,
};
use crate::database::write;

type Answer<T> = ResponseFuture<Result<T, CrawlError>>;

impl Handler<StartCrawl> for CrawlJobsActor {
    type Result = Answer<StartedCrawl>;

    fn handle(&mut self, asked: StartCrawl, _: &mut Context<Self>) -> Self::Result {
        let (db, wake) = (self.db.clone(), self.queue.clone());
        Box::pin(async move {
            let started = write(&db, async |txn| store::create(txn, &asked).await).await?;
            wake.wake();
            Ok(started)
        })
    }
}

impl Handler<GetCrawl> for CrawlJobsActor {
    type Result = Answer<Option<CrawlRecord>>;

    fn handle(&mut self, asked: GetCrawl, _: &mut Context<Self>) -> Self::Result {
        let db = self.db.clone();
        Box::pin(async move { store::get(&db, asked).await })
    }
}

impl Handler<ListCrawls> for CrawlJobsActor {
    type Result = Answer<Vec<CrawlSummary>>;

    fn handle(&mut self, asked: ListCrawls, _: &mut Context<Self>) -> Self::Result {
        let db = self.db.clone();
        Box::pin(async move { store::list(&db, asked.user).await })
    }
}

impl Handler<CancelCrawl> for CrawlJobsActor {
    type Result = Answer<bool>;

    fn handle(&mut self, asked: CancelCrawl, _: &mut Context<Self>) -> Self::Result {
        let CancelCrawl { user, id } = asked;
        let (db, wake) = (self.db.clone(), self.queue.clone());
        Box::pin(async move {
            let cancelled = store::cancel(&db, user, id).await?;
            wake.wake();
            Ok(cancelled)
        })
    }
}

impl Handler<HandBack> for CrawlJobsActor {
    type Result = ResponseFuture<()>;

    fn handle(&mut self, _: HandBack, _: &mut Context<Self>) -> Self::Result {
        self.is_draining = true;
        self.running.values().for_each(super::Running::stop);
        let mut count = self.count.subscribe();
        Box::pin(async move {
            // The sender lives as long as the actor, whose answer this is.
            let _ = count.wait_for(|running| *running == 0).await;
        })
    }
}

/// Notice: a crawl is not run any more by this process.
#[derive(actix::Message)]
#[rtype(result = "()")]
pub(super) struct CrawlLeft {
    pub id: Uuid,
}

impl Handler<CrawlLeft> for CrawlJobsActor {
    type Result = ();

    fn handle(&mut self, left: CrawlLeft, _: &mut Context<Self>) {
        self.running.remove(&left.id);
        self.count.send_replace(self.running.len());
        self.queue.wake();
    }
}
