use actix::{AsyncContext, Context, Handler, ResponseFuture};
use tokio::time::Instant;

use super::climb::Climbed;
use super::{ChooseTier, FetchPage, FetchedPage, Outcome, ProxyConfig, ProxyEscalatorActor, Tier, TierWorked, climb};
use crate::egress::{Egress, EgressError, Fetch, Fetched, fetch};

impl Handler<FetchPage> for ProxyEscalatorActor {
    type Result = ResponseFuture<Result<FetchedPage, EgressError>>;

    fn handle(&mut self, wanted: FetchPage, context: &mut Context<Self>) -> Self::Result {
        let host = wanted.url.host_str().unwrap_or_default().to_owned();
        let start = self.memory.start(&host, Instant::now());
        let (egress, config, memory) = (self.egress.clone(), self.config.clone(), context.address());
        // Not a future of the actor's own: each of those is polled whenever any
        // of them moves.
        Box::pin(async move {
            let Climbed { ended, tier, is_news } = fetch_page(&egress, &config, start, &wanted).await;
            if is_news {
                // An actor that has died meanwhile has forgotten all anyway.
                let _ = memory.send(TierWorked { host, tier }).await;
            }
            ended.map(|page| page_of(page, tier))
        })
    }
}

impl Handler<ChooseTier> for ProxyEscalatorActor {
    type Result = Option<Tier>;

    fn handle(&mut self, choice: ChooseTier, _: &mut Context<Self>) -> Self::Result {
        self.memory.start(&choice.host, Instant::now())
    }
}

impl Handler<TierWorked> for ProxyEscalatorActor {
    type Result = ();

    fn handle(&mut self, notice: TierWorked, _: &mut Context<Self>) {
        self.memory.worked(&notice.host, notice.tier, Instant::now());
    }
}

async fn fetch_page(
    egress: &Egress,
    config: &ProxyConfig,
    start: Option<Tier>,
    wanted: &FetchPage,
) -> Climbed<Result<Fetched, EgressError>> {
    let host = wanted.url.host_str().unwrap_or_default();
    let attempt = async |tier, limit: Option<_>| {
        let deadline = limit.map_or(wanted.deadline, |limit| wanted.deadline.min(Instant::now() + limit));
        let what = Fetch { url: &wanted.url, deadline, max_bytes: wanted.max_bytes };
        fetch(egress, config.upstream_for(tier), what).await
    };
    climb(config, start, (host, wanted.deadline), attempt, judge).await
}

fn judge(ended: &Result<Fetched, EgressError>) -> Outcome<'_> {
    match ended {
        Ok(page) => Outcome::answered(page.status, &page.final_url),
        Err(error) => Outcome::Failed(error),
    }
}

fn page_of(fetched: Fetched, tier: Tier) -> FetchedPage {
    let Fetched { final_url, status, headers, body } = fetched;
    FetchedPage { final_url, status, headers, body, tier }
}
