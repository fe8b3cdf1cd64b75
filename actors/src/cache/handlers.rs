use actix::{Context, Handler, ResponseFuture};

use super::{CacheActor, CachedAnswer, LookUp, StoreAnswer};

impl Handler<LookUp> for CacheActor {
    type Result = ResponseFuture<Option<CachedAnswer>>;

    fn handle(&mut self, message: LookUp, _: &mut Context<Self>) -> Self::Result {
        let store = self.store.clone();
        Box::pin(async move {
            let found = store.get(&message.key).await;
            let outcome = if found.is_some() { "hit" } else { "miss" };
            metrics::counter!("blazon_cache_lookups_total", "outcome" => outcome).increment(1);
            found
        })
    }
}

impl Handler<StoreAnswer> for CacheActor {
    type Result = ResponseFuture<()>;

    fn handle(&mut self, message: StoreAnswer, _: &mut Context<Self>) -> Self::Result {
        let store = self.store.clone();
        Box::pin(async move {
            if !message.ttl.is_zero() {
                store.put(&message.key, message.body, message.ttl).await;
            }
        })
    }
}
