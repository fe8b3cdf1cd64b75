//! From a presented key to who presents it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use moka::sync::Cache;
use sea_orm::DbErr;
use subtle::ConstantTimeEq;
use uuid::Uuid;

use super::key::{ApiKey, Digest};
use super::{KeyRingError, Principal, Ring, store};
use crate::database::now;

/// How long an answer is given again without asking the database, which is how
/// long a revocation on another replica may go unnoticed.
const FRESH: Duration = Duration::from_secs(1);
/// How exact `last_used_at` is.
const TOUCH_INTERVAL: Duration = Duration::from_secs(60);
const MAX_KEYS: u64 = 100_000;

/// The keys that were valid when they were last looked up, and those whose use
/// was noted lately.
#[derive(Clone)]
pub(super) struct RecentKeys {
    known: Cache<Digest, Known>,
    noted: Cache<Uuid, ()>,
}

#[derive(Clone)]
struct Known {
    principal: Arc<Principal>,
    /// Unix milliseconds.
    expires_at: Option<i64>,
    /// Before the database was asked, so that a slow answer is not fresh for longer.
    asked_at: Instant,
}

impl RecentKeys {
    pub(super) fn new() -> Self {
        Self {
            known: Cache::builder().max_capacity(MAX_KEYS).time_to_live(FRESH).build(),
            noted: Cache::builder().max_capacity(MAX_KEYS).time_to_live(TOUCH_INTERVAL).build(),
        }
    }

    fn get(&self, digest: &Digest) -> Option<Arc<Principal>> {
        let known = self.known.get(digest)?;
        let valid = known.asked_at.elapsed() < FRESH && known.expires_at.is_none_or(|end| now() < end);
        valid.then_some(known.principal)
    }

    /// Forgets a key that was revoked here.
    pub(super) fn forget(&self, digest: &Digest) {
        self.known.invalidate(digest);
    }
}

impl Ring {
    /// Returns who presents a key, or `None` when it opens nothing.
    pub(super) async fn resolve(&self, presented: &str) -> Result<Option<Arc<Principal>>, KeyRingError> {
        let Some(key) = ApiKey::parse(presented) else { return Ok(None) };
        let digest = self.digest(&key).await?;
        if let Some(principal) = self.recent.get(&digest) {
            return Ok(Some(principal));
        }
        let asked_at = Instant::now();
        let Some(found) = store::find(&self.db, &digest).await? else { return Ok(None) };
        // The index has compared the digests already, and not in constant time; what its
        // timing tells is of a digest that nobody can steer without the pepper.
        if !bool::from(found.digest.ct_eq(digest.as_slice())) || !found.is_valid(now()) {
            return Ok(None);
        }
        let known = Known { principal: Arc::new(found.principal), expires_at: found.expires_at, asked_at };
        let principal = known.principal.clone();
        self.recent.known.insert(digest, known);
        self.note_use(principal.key_id, found.last_used_at);
        Ok(Some(principal))
    }

    /// Stores that a key is in use, once a minute and behind the request's back.
    fn note_use(&self, key: Uuid, last_used_at: Option<i64>) {
        let stale = now().saturating_sub(TOUCH_INTERVAL.as_millis() as i64);
        if last_used_at.is_some_and(|last| last > stale) || !self.recent.noted.entry(key).or_insert(()).is_fresh() {
            return;
        }
        let db = self.db.clone();
        actix::spawn(async move {
            let noted: Result<(), DbErr> = store::note_use(&db, key, stale).await;
            if let Err(error) = noted {
                tracing::warn!(%error, %key, "the use of a key could not be noted");
            }
        });
    }
}
