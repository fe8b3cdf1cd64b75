use std::collections::VecDeque;

use super::{RateDecision, RateLimits, WindowState};

/// A request counts for this long in the minute window.
const MINUTE_MS: u64 = 60_000;

/// The day is counted in buckets of 15 minutes.
const BUCKET_MS: u64 = 15 * 60_000;
const BUCKETS_PER_DAY: u64 = 96;

/// The requests of one key. Time comes in as milliseconds on any clock; one that
/// goes back is treated as standing still.
#[derive(Debug, Default)]
pub(super) struct KeyWindows {
    /// Times of the last minute's requests, ascending.
    log: VecDeque<u64>,
    /// Counts per bucket, oldest first; buckets without requests are absent.
    ///
    /// The bucket that is only partly inside the last 24 hours counts whole, so
    /// the error (at most a 96th of a day) is never in the client's favour.
    buckets: VecDeque<Bucket>,
    latest_ms: u64,
}

#[derive(Debug, Clone, Copy)]
struct Bucket {
    number: u64,
    count: u32,
}

impl KeyWindows {
    /// Decides on one more request at `now_ms`, and counts it when both windows
    /// have room.
    pub(super) fn check(&mut self, now_ms: u64, limits: RateLimits) -> RateDecision {
        self.latest_ms = self.latest_ms.max(now_ms);
        let now = self.latest_ms;
        self.forget(now);
        let allowed = self.minute_count() < limits.per_minute && self.day_count() < limits.per_day;
        if allowed {
            self.count(now);
        }
        RateDecision {
            allowed,
            minute: self.minute_state(now, limits.per_minute),
            day: self.day_state(now, limits.per_day),
        }
    }

    /// Whether nothing counts any more.
    pub(super) fn is_idle(&self, now_ms: u64) -> bool {
        let now = self.latest_ms.max(now_ms);
        self.buckets.back().is_none_or(|bucket| !in_last_day(bucket.number, now))
    }

    fn forget(&mut self, now: u64) {
        while self.log.front().is_some_and(|at| at + MINUTE_MS <= now) {
            self.log.pop_front();
        }
        while self.buckets.front().is_some_and(|bucket| !in_last_day(bucket.number, now)) {
            self.buckets.pop_front();
        }
    }

    fn count(&mut self, now: u64) {
        self.log.push_back(now);
        let number = now / BUCKET_MS;
        match self.buckets.back_mut() {
            Some(bucket) if bucket.number == number => bucket.count += 1,
            _ => self.buckets.push_back(Bucket { number, count: 1 }),
        }
    }

    fn minute_count(&self) -> u32 {
        u32::try_from(self.log.len()).unwrap_or(u32::MAX)
    }

    fn day_count(&self) -> u32 {
        self.buckets.iter().fold(0, |sum, bucket| sum.saturating_add(bucket.count))
    }

    fn minute_state(&self, now: u64, limit: u32) -> WindowState {
        let remaining = limit.saturating_sub(self.minute_count());
        // With nothing left: until the oldest request no longer counts. Else:
        // until none does.
        let decisive = if remaining == 0 { self.log.front() } else { self.log.back() };
        let reset_ms = decisive.map_or(0, |at| at + MINUTE_MS - now);
        WindowState { limit, remaining, reset_s: seconds(reset_ms) }
    }

    fn day_state(&self, now: u64, limit: u32) -> WindowState {
        let remaining = limit.saturating_sub(self.day_count());
        let decisive = if remaining == 0 { self.buckets.front() } else { self.buckets.back() };
        let reset_ms = decisive.map_or(0, |bucket| (bucket.number + 1 + BUCKETS_PER_DAY) * BUCKET_MS - now);
        WindowState { limit, remaining, reset_s: seconds(reset_ms) }
    }
}

/// Whether any part of the bucket is less than 24 hours old.
fn in_last_day(number: u64, now: u64) -> bool {
    (number + 1 + BUCKETS_PER_DAY) * BUCKET_MS > now
}

/// Rounded up: who waits this long may ask again.
fn seconds(milliseconds: u64) -> u32 {
    u32::try_from(milliseconds.div_ceil(1_000)).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A deterministic pseudo-random sequence (Knuth's MMIX constants).
    struct Numbers(u64);

    impl Numbers {
        fn below(&mut self, bound: u64) -> u64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) % bound
        }
    }

    #[test]
    fn no_trailing_minute_ever_holds_more_than_its_limit_and_none_is_refused_below_it() {
        let limits = RateLimits { per_minute: 20, per_day: u32::MAX };
        let (mut windows, mut admitted, mut numbers, mut now) = (KeyWindows::default(), Vec::new(), Numbers(7), 0);
        for _ in 0..100_000 {
            now += numbers.below(6_000);
            let in_minute = admitted.iter().rev().take_while(|at| now - **at < MINUTE_MS).count();
            let decision = windows.check(now, limits);
            assert_eq!(decision.allowed, in_minute < 20, "at {now}");
            if decision.allowed {
                admitted.push(now);
            }
        }
    }

    #[test]
    fn no_trailing_day_ever_holds_more_than_its_limit_and_the_error_is_at_most_a_bucket() {
        let limits = RateLimits { per_minute: u32::MAX, per_day: 500 };
        let (mut windows, mut admitted, mut numbers, mut now) = (KeyWindows::default(), Vec::new(), Numbers(11), 0);
        for _ in 0..100_000 {
            now += numbers.below(240_000);
            let count_within = |span: u64| admitted.iter().rev().take_while(|at| now - **at < span).count();
            let (in_day, in_day_and_bucket) = (count_within(86_400_000), count_within(86_400_000 + BUCKET_MS));
            let allowed = windows.check(now, limits).allowed;
            assert!(!allowed || in_day < 500, "over the limit at {now}");
            assert!(allowed || in_day_and_bucket >= 500, "refused too early at {now}");
            if allowed {
                admitted.push(now);
            }
        }
    }

    #[test]
    fn who_waits_as_told_is_admitted() {
        let limits = RateLimits { per_minute: 3, per_day: 5 };
        let mut windows = KeyWindows::default();
        for now in [0, 10_000, 20_500] {
            assert!(windows.check(now, limits).allowed);
        }
        let refused = windows.check(30_000, limits);
        assert_eq!((refused.allowed, refused.minute.remaining, refused.minute.reset_s), (false, 0, 30));
        assert!(windows.check(60_000, limits).allowed);
        assert!(windows.check(70_000, limits).allowed);
        let refused = windows.check(200_000, limits);
        assert_eq!((refused.allowed, refused.day.remaining), (false, 0));
        let after = 200_000 + u64::from(refused.day.reset_s) * 1_000;
        assert!(windows.check(after, limits).allowed);
    }

    #[test]
    fn a_clock_that_goes_back_gives_nothing_away() {
        let limits = RateLimits { per_minute: 2, per_day: 10 };
        let mut windows = KeyWindows::default();
        assert!(windows.check(100_000, limits).allowed);
        assert!(windows.check(50_000, limits).allowed);
        assert!(!windows.check(10, limits).allowed);
    }

    #[test]
    fn an_idle_key_is_known_as_such() {
        let mut windows = KeyWindows::default();
        windows.check(0, RateLimits { per_minute: 1, per_day: 1 });
        assert!(!windows.is_idle(86_400_000));
        assert!(windows.is_idle(86_400_000 + 2 * BUCKET_MS));
    }
}
