use actix::{Context, Handler, ResponseFuture};

use super::BrowserPoolActor;
use super::messages::{BrowserHealth, Drain, GetBrowserHealth, RenderError, RenderPage, RenderedPage};

impl Handler<RenderPage> for BrowserPoolActor {
    type Result = ResponseFuture<Result<RenderedPage, RenderError>>;

    fn handle(&mut self, order: RenderPage, _: &mut Context<Self>) -> Self::Result {
        let pool = self.pool.clone();
        Box::pin(async move { pool.render(order).await })
    }
}

impl Handler<GetBrowserHealth> for BrowserPoolActor {
    type Result = ResponseFuture<BrowserHealth>;

    fn handle(&mut self, _: GetBrowserHealth, _: &mut Context<Self>) -> Self::Result {
        let pool = self.pool.clone();
        Box::pin(async move { pool.health().await })
    }
}

impl Handler<Drain> for BrowserPoolActor {
    type Result = ResponseFuture<()>;

    fn handle(&mut self, drain: Drain, _: &mut Context<Self>) -> Self::Result {
        let pool = self.pool.clone();
        Box::pin(async move { pool.drain(drain.pages_until).await })
    }
}
