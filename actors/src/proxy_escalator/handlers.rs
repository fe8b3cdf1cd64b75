use actix::{Context, Handler, ResponseFuture};
use tokio::time::Instant;

use super::{FetchPage, FetchedPage, Ladder, Outcome, ProxyConfig, ProxyEscalatorActor, Tier};
use crate::egress::{Egress, EgressError, Fetch, Fetched, fetch};

impl Handler<FetchPage> for ProxyEscalatorActor {
    type Result = ResponseFuture<Result<FetchedPage, EgressError>>;

    fn handle(&mut self, wanted: FetchPage, _: &mut Context<Self>) -> Self::Result {
        let (egress, config) = (self.egress.clone(), self.config.clone());
        Box::pin(async move { climb(&egress, &config, &wanted).await })
    }
}

/// Tries the ladder's attempts until one stands or the deadline is over. The
/// last attempt is the answer, be it a page that says no.
async fn climb(egress: &Egress, config: &ProxyConfig, wanted: &FetchPage) -> Result<FetchedPage, EgressError> {
    let mut ladder = Ladder::new(config);
    loop {
        let tier = ladder.tier();
        let deadline = wanted.deadline.min(Instant::now() + config.request_timeout);
        let attempt = Fetch { url: &wanted.url, deadline, max_bytes: wanted.max_bytes };
        let ended = fetch(egress, config.upstream_for(tier), attempt).await;
        let outcome = match &ended {
            Ok(page) => Outcome::Answered(page.status),
            Err(error) => Outcome::Failed(error),
        };
        if Instant::now() >= wanted.deadline {
            return ended.map(|page| page_of(page, tier));
        }
        match ladder.next(outcome) {
            Some(next) => {
                tracing::debug!(host = wanted.url.host_str(), ?tier, ?next, ?outcome, "the fetch is tried again");
            }
            None => return ended.map(|page| page_of(page, tier)),
        }
    }
}

fn page_of(fetched: Fetched, tier: Tier) -> FetchedPage {
    let Fetched { final_url, status, headers, body } = fetched;
    FetchedPage { final_url, status, headers, body, tier }
}
