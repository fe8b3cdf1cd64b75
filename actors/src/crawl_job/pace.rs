//! How fast a site is asked: as fast as it answers gladly, and slower as soon as
//! it says that this is too fast. Pure; the clock is the caller's.

use std::time::Duration;

use tokio::time::Instant;

/// Pages asked for at once in the beginning, and at most.
const FIRST: usize = 8;
const MOST: usize = 16;
/// Good answers in a row that earn one more at a time.
const EARNED: usize = 8;
/// The longest pause a site may ask for, by `crawl-delay` and by `Retry-After`.
const LONGEST_DELAY: Duration = Duration::from_secs(10);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// The pace of one crawl: additive increase, multiplicative decrease.
#[derive(Debug)]
pub(super) struct Pace {
    at_once: usize,
    good: usize,
    delay: Duration,
    next: Option<Instant>,
}

impl Pace {
    /// Begins at a moderate pace, one page at a time where the site's
    /// `crawl-delay` says so.
    pub(super) fn new(crawl_delay: Option<Duration>) -> Self {
        let delay = crawl_delay.unwrap_or_default().min(LONGEST_DELAY);
        Self { at_once: if delay.is_zero() { FIRST } else { 1 }, good: 0, delay, next: None }
    }

    /// Pages that may be under way at once.
    pub(super) fn at_once(&self) -> usize {
        self.at_once
    }

    /// Takes the next turn and returns when it is.
    pub(super) fn turn(&mut self, now: Instant) -> Instant {
        let turn = self.next.map_or(now, |next| next.max(now));
        self.next = Some(turn + self.delay);
        turn
    }

    /// Notes an answer that shows no strain.
    pub(super) fn went_well(&mut self) {
        self.good += 1;
        if self.good >= EARNED && self.delay.is_zero() {
            self.good = 0;
            self.at_once = (self.at_once + 1).min(MOST);
        }
    }

    /// Notes a 429 or 503: half the pace, and a pause as long as the site asks.
    pub(super) fn too_fast(&mut self, now: Instant, retry_after: Option<Duration>) {
        self.good = 0;
        self.at_once = (self.at_once / 2).max(1);
        let pause = now + retry_after.unwrap_or(Duration::from_secs(1)).min(LONGEST_PAUSE);
        self.next = Some(self.next.map_or(pause, |next| next.max(pause)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_that_answers_gladly_is_asked_faster_and_one_that_does_not_slower() {
        let mut pace = Pace::new(None);
        let now = Instant::now();
        for _ in 0..1_000 {
            assert_eq!(pace.turn(now), now);
            pace.went_well();
        }
        assert_eq!(pace.at_once(), MOST);
        pace.too_fast(now, Some(Duration::from_secs(7)));
        pace.too_fast(now, None);
        assert_eq!(pace.at_once(), MOST / 4);
        assert_eq!(pace.turn(now), now + Duration::from_secs(7));
        pace.too_fast(now, Some(Duration::from_secs(86_400)));
        assert_eq!(pace.turn(now), now + LONGEST_PAUSE);
    }

    #[test]
    fn a_crawl_delay_is_kept_between_any_two_pages() {
        let mut pace = Pace::new(Some(Duration::from_secs(3600)));
        let now = Instant::now();
        (0..20).for_each(|_| pace.went_well());
        assert_eq!(pace.at_once(), 1);
        assert_eq!([pace.turn(now), pace.turn(now)], [now, now + LONGEST_DELAY]);
    }
}
