use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;

use super::{AnswerStore, CacheKey, CachedAnswer};
use crate::shared_store::SharedStore;

/// The largest answer that is sent to the shared store: a larger one would hold
/// up what else goes over the one connection.
const MAX_BYTES: usize = 4 << 20;

/// Answers in the store that all replicas share. While it is down there is
/// nothing in it, and what is put there is dropped.
#[async_trait]
impl AnswerStore for SharedStore {
    async fn get(&self, key: &CacheKey) -> Option<CachedAnswer> {
        let kept = self.fetch(key.as_str()).await.ok()??;
        Some(CachedAnswer { body: kept.body, ttl_remaining: kept.ttl_remaining })
    }

    async fn put(&self, key: &CacheKey, body: Bytes, ttl: Duration) {
        // The circuit has logged why, if it failed.
        if body.len() <= MAX_BYTES {
            let _ = self.keep(key.as_str(), body, ttl).await;
        }
    }
}
