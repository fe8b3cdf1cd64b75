use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use super::RateLimits;

/// The present bucket of a key, counted in the database ahead of time: what is
/// stored is never less than what was admitted, so that a crash errs against
/// the client, by one step at most.
#[derive(Debug, Default)]
pub(super) struct Reserve {
    bucket: u64,
    used: i64,
    stored: Arc<Stored>,
}

/// How much of a bucket was asked of the database, and how much it has
/// confirmed.
#[derive(Debug, Default)]
pub(super) struct Stored {
    asked: AtomicI64,
    confirmed: AtomicI64,
}

/// What is to be added to a bucket in the database.
#[derive(Debug, Clone)]
pub(super) struct Change {
    pub bucket: u64,
    pub delta: i64,
    pub stored: Arc<Stored>,
}

impl Reserve {
    /// Begins with what the database holds of the present bucket.
    pub(super) fn recalled(bucket: u64, count: u32) -> Self {
        let count = i64::from(count);
        let stored = Stored { asked: count.into(), confirmed: count.into() };
        Self { bucket, used: count, stored: Arc::new(stored) }
    }

    /// Goes over to `bucket`; returns what the last one did not need.
    pub(super) fn turn(&mut self, bucket: u64) -> Option<Change> {
        if self.bucket == bucket {
            return None;
        }
        let left = self.release();
        *self = Self::recalled(bucket, 0);
        left
    }

    /// Returns what the bucket does not need after all.
    pub(super) fn release(&mut self) -> Option<Change> {
        let delta = self.used - self.stored.asked.load(Ordering::Relaxed);
        (delta < 0).then(|| self.change(delta))
    }

    /// Uses one of the reserve; returns by how much it is to grow, if it is to.
    pub(super) fn take(&mut self, limits: RateLimits) -> Option<Change> {
        self.used += 1;
        // A hundredth of the day's limit: the most that a crash costs a client.
        let step = i64::from((limits.per_day / 100).clamp(1, 1_000));
        let asked = self.stored.asked.load(Ordering::Relaxed);
        (self.used + step / 2 > asked).then(|| self.change(self.used + step - asked))
    }

    /// Whether the database has confirmed all that was used.
    pub(super) fn is_confirmed(&self) -> bool {
        self.used <= self.stored.confirmed.load(Ordering::Relaxed)
    }

    /// A change of nothing, for who wants to wait for those before it.
    pub(super) fn nothing(&self) -> Change {
        Change { bucket: self.bucket, delta: 0, stored: self.stored.clone() }
    }

    fn change(&self, delta: i64) -> Change {
        self.stored.asked.fetch_add(delta, Ordering::Relaxed);
        Change { delta, ..self.nothing() }
    }
}

impl Change {
    /// Notes how the change went.
    pub(super) fn settle(&self, done: bool) {
        let counter = if done { &self.stored.confirmed } else { &self.stored.asked };
        counter.fetch_add(if done { self.delta } else { -self.delta }, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: RateLimits = RateLimits { per_minute: 20, per_day: 1_000 };

    #[test]
    fn the_stored_count_is_ahead_of_the_true_one_by_at_most_a_step() {
        let mut reserve = Reserve::default();
        let mut stored = 0;
        reserve.turn(7);
        for used in 1..=1_000 {
            if let Some(change) = reserve.take(LIMITS) {
                assert_eq!(change.bucket, 7);
                assert!(!reserve.is_confirmed() || stored >= used);
                stored += change.delta;
                change.settle(true);
            }
            assert!(reserve.is_confirmed());
            assert!((used..=used + 10).contains(&stored), "{stored} for {used}");
        }
        let left = reserve.turn(8).expect("something is left");
        assert_eq!((left.bucket, stored + left.delta), (7, 1_000));
        assert!(reserve.release().is_none(), "the new bucket has reserved nothing");
    }

    #[test]
    fn a_change_that_failed_is_asked_for_again() {
        let mut reserve = Reserve::recalled(1, 5);
        let first = reserve.take(LIMITS).expect("six of five");
        assert!(!reserve.is_confirmed());
        first.settle(false);
        let second = reserve.take(LIMITS).expect("still not stored");
        assert_eq!((first.delta, second.delta), (11, 12));
        second.settle(true);
        assert!(reserve.is_confirmed());
    }
}
