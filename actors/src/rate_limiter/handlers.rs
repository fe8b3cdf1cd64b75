use actix::{Context, Handler, Response, ResponseFuture};

use super::{CheckRate, Counts, RateDecision, RateLimiterActor, SettleCounts};

impl Handler<CheckRate> for RateLimiterActor {
    type Result = Response<RateDecision>;

    fn handle(&mut self, request: CheckRate, _: &mut Context<Self>) -> Self::Result {
        match &self.limits {
            Counts::Shared(shared) => shared.check(request),
            Counts::Database(embedded) => embedded.check(request),
        }
    }
}

impl Handler<SettleCounts> for RateLimiterActor {
    type Result = ResponseFuture<()>;

    fn handle(&mut self, _: SettleCounts, _: &mut Context<Self>) -> Self::Result {
        match &self.limits {
            Counts::Shared(_) => Box::pin(async {}),
            Counts::Database(embedded) => Box::pin(embedded.settle()),
        }
    }
}
