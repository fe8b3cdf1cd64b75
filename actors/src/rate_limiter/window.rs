use super::log::{Fill, Log};
use super::{RateDecision, RateLimits, WindowState};

/// A request counts for this long in the minute window.
const MINUTE_MS: u64 = 60_000;

/// Up to this limit each request of the minute is remembered by itself; above
/// it by the second, which bounds the memory of a key: a request then counts
/// for up to a second longer.
const EXACT_UP_TO: u32 = 1_000;
const SECOND_MS: u64 = 1_000;

/// The day is counted in buckets of 15 minutes. The one that is only partly
/// within the last 24 hours counts whole, so the error (at most a 96th of a
/// day) is never in the client's favour.
pub(super) const BUCKET_MS: u64 = 15 * 60_000;
pub(super) const BUCKETS_PER_DAY: u64 = 96;

/// The requests of one key. Time comes in as milliseconds on any clock.
#[derive(Debug, Default)]
pub(super) struct KeyWindows {
    minute: Log,
    day: Log,
}

/// What a check found, whoever counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tally {
    pub allowed: bool,
    pub minute: Fill,
    pub day: Fill,
}

impl KeyWindows {
    /// Decides on one more request at `now`, and counts it when both windows
    /// have room.
    pub(super) fn check(&mut self, now: u64, limits: RateLimits) -> Tally {
        let allowed = self.has_room(now, limits);
        if allowed {
            self.record(now, limits);
        }
        self.tally(now, limits, allowed)
    }

    /// Whether both windows have room at `now`.
    pub(super) fn has_room(&mut self, now: u64, limits: RateLimits) -> bool {
        self.minute.forget(now, minute_end(now, limits.per_minute));
        self.day.forget(now, day_end(now / BUCKET_MS));
        self.minute.count() < limits.per_minute && self.day.count() < limits.per_day
    }

    /// Counts a request that was admitted at `now`.
    pub(super) fn record(&mut self, now: u64, limits: RateLimits) {
        self.minute.record(minute_end(now, limits.per_minute), 1);
        self.day.record(day_end(now / BUCKET_MS), 1);
    }

    /// Counts requests that an earlier life admitted in the day's bucket
    /// `number`; buckets come in ascending order. One that lies ahead, because
    /// the clock went back, counts as the present one.
    pub(super) fn recall(&mut self, now: u64, number: u64, count: u32) {
        self.day.record(day_end(number.min(now / BUCKET_MS)), count);
    }

    /// The windows at `now`, as [`KeyWindows::has_room`] has left them.
    pub(super) fn tally(&self, now: u64, limits: RateLimits, allowed: bool) -> Tally {
        let (minute, day) = (self.minute.fill(now, limits.per_minute), self.day.fill(now, limits.per_day));
        Tally { allowed, minute, day }
    }

    /// How many requests count in the minute and in the day.
    pub(super) fn counts(&self) -> (u32, u32) {
        (self.minute.count(), self.day.count())
    }

    #[cfg(test)]
    pub(super) fn memory(&self) -> usize {
        self.minute.entries() + self.day.entries()
    }

    /// Whether nothing counts any more.
    pub(super) fn is_idle(&mut self, now: u64) -> bool {
        self.day.forget(now, day_end(now / BUCKET_MS));
        self.day.count() == 0
    }
}

impl Tally {
    /// The answer to the caller.
    pub(super) fn decision(self, limits: RateLimits) -> RateDecision {
        RateDecision {
            allowed: self.allowed,
            minute: state(self.minute, limits.per_minute),
            day: state(self.day, limits.per_day),
        }
    }
}

fn state(fill: Fill, limit: u32) -> WindowState {
    // Rounded up: who waits this long may ask again.
    let reset_s = u32::try_from(fill.wait_ms.div_ceil(1_000)).unwrap_or(u32::MAX);
    WindowState { limit, remaining: limit.saturating_sub(fill.count), reset_s }
}

/// When a request made at `now` stops to count in the minute window.
fn minute_end(now: u64, limit: u32) -> u64 {
    if limit <= EXACT_UP_TO { now + MINUTE_MS } else { (now / SECOND_MS + 1) * SECOND_MS + MINUTE_MS }
}

/// When the requests of a day's bucket stop to count.
fn day_end(number: u64) -> u64 {
    (number + 1 + BUCKETS_PER_DAY) * BUCKET_MS
}
