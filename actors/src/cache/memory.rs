use std::time::{Duration, Instant};

use async_trait::async_trait;
use bytes::Bytes;
use moka::Expiry;
use moka::sync::Cache;

use super::{AnswerStore, CacheKey, CachedAnswer};

/// Answers in this process, bounded by their bytes; the least valuable go first
/// (moka's TinyLFU).
pub struct MemoryStore {
    answers: Cache<CacheKey, Kept>,
}

#[derive(Clone)]
struct Kept {
    body: Bytes,
    expires_at: Instant,
}

/// Each answer has its own time to live.
struct OwnTtl;

impl Expiry<CacheKey, Kept> for OwnTtl {
    fn expire_after_create(&self, _: &CacheKey, kept: &Kept, created_at: Instant) -> Option<Duration> {
        Some(kept.expires_at.saturating_duration_since(created_at))
    }

    fn expire_after_update(
        &self,
        _: &CacheKey,
        kept: &Kept,
        updated_at: Instant,
        _: Option<Duration>,
    ) -> Option<Duration> {
        Some(kept.expires_at.saturating_duration_since(updated_at))
    }
}

impl MemoryStore {
    /// Returns an empty store that holds at most `max_bytes` of keys and bodies.
    pub fn new(max_bytes: u64) -> Self {
        let weigh =
            |key: &CacheKey, kept: &Kept| u32::try_from(key.as_str().len() + kept.body.len()).unwrap_or(u32::MAX);
        Self { answers: Cache::builder().max_capacity(max_bytes).weigher(weigh).expire_after(OwnTtl).build() }
    }
}

#[async_trait]
impl AnswerStore for MemoryStore {
    async fn get(&self, key: &CacheKey) -> Option<CachedAnswer> {
        let kept = self.answers.get(key)?;
        let ttl_remaining = kept.expires_at.checked_duration_since(Instant::now())?;
        Some(CachedAnswer { body: kept.body, ttl_remaining })
    }

    async fn put(&self, key: &CacheKey, body: Bytes, ttl: Duration) {
        self.answers.insert(key.clone(), Kept { body, expires_at: Instant::now() + ttl });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str) -> CacheKey {
        CacheKey::new("test", &[("name", name)])
    }

    #[actix::test]
    async fn an_answer_is_there_for_its_time_and_not_longer() {
        let store = MemoryStore::new(1 << 20);
        store.put(&key("short"), Bytes::from_static(b"1"), Duration::from_millis(40)).await;
        store.put(&key("long"), Bytes::from_static(b"2"), Duration::from_secs(60)).await;
        let long = store.get(&key("long")).await.expect("kept");
        assert_eq!(long.body, "2");
        assert!(long.ttl_remaining > Duration::from_secs(50));
        tokio::time::sleep(Duration::from_millis(80)).await;
        assert_eq!(store.get(&key("short")).await, None);
        assert_eq!(store.get(&key("never")).await, None);
    }

    #[actix::test]
    async fn the_store_is_bounded_by_bytes() {
        let store = MemoryStore::new(10_000);
        for index in 0..100 {
            store.put(&key(&index.to_string()), Bytes::from(vec![b'x'; 1_000]), Duration::from_secs(60)).await;
        }
        store.answers.run_pending_tasks();
        assert!(store.answers.weighted_size() <= 10_000);
        assert!(store.answers.entry_count() > 0);
    }
}
