use actix::{Context, Handler, ResponseFuture};
use tokio::time::timeout_at;

use super::{
    AT_ONCE, Delivery, DeliveryPage, FinishAttempts, GetSigningSecret, ListDeliveries, OutboxError, ResendDelivery,
    SigningSecret, WebhookOutboxActor, store,
};

type Answer<T> = ResponseFuture<Result<T, OutboxError>>;

impl Handler<GetSigningSecret> for WebhookOutboxActor {
    type Result = Answer<SigningSecret>;

    fn handle(&mut self, asked: GetSigningSecret, _: &mut Context<Self>) -> Self::Result {
        let outbox = self.outbox.clone();
        Box::pin(async move { Ok(outbox.root().await?.of(asked.user)) })
    }
}

impl Handler<ListDeliveries> for WebhookOutboxActor {
    type Result = Answer<DeliveryPage>;

    fn handle(&mut self, asked: ListDeliveries, _: &mut Context<Self>) -> Self::Result {
        let db = self.outbox.config.db.clone();
        Box::pin(async move { Ok(store::list(&db, asked.user, asked.limit, asked.after).await?) })
    }
}

impl Handler<ResendDelivery> for WebhookOutboxActor {
    type Result = Answer<Option<Delivery>>;

    fn handle(&mut self, asked: ResendDelivery, _: &mut Context<Self>) -> Self::Result {
        let outbox = self.outbox.clone();
        Box::pin(async move {
            let now = outbox.config.clock.now();
            let delivery = store::resend(&outbox.config.db, asked.user, asked.id, now).await?;
            outbox.bell.notify_one();
            Ok(delivery)
        })
    }
}

impl Handler<FinishAttempts> for WebhookOutboxActor {
    type Result = ResponseFuture<usize>;

    fn handle(&mut self, asked: FinishAttempts, _: &mut Context<Self>) -> Self::Result {
        let permits = self.outbox.permits.clone();
        Box::pin(async move {
            // Permits that are given back come here first, so no attempt begins meanwhile.
            let all = timeout_at(asked.until, permits.acquire_many(AT_ONCE as u32)).await;
            let unfinished = if all.is_ok() { 0 } else { AT_ONCE - permits.available_permits() };
            permits.close();
            unfinished
        })
    }
}
