//! The windows against a log of everything that was admitted, on a clock of the
//! test's own.

use super::Numbers;
use crate::rate_limiter::window::{BUCKET_MS, KeyWindows};
use crate::rate_limiter::{RateDecision, RateLimits};

const MINUTE_MS: u64 = 60_000;

fn check(windows: &mut KeyWindows, now: u64, limits: RateLimits) -> RateDecision {
    windows.check(now, limits).decision(limits)
}

#[test]
fn no_trailing_minute_ever_holds_more_than_its_limit_and_none_is_refused_below_it() {
    let limits = RateLimits { per_minute: 20, per_day: u32::MAX };
    let (mut windows, mut admitted, mut numbers, mut now) = (KeyWindows::default(), Vec::new(), Numbers(7), 0);
    for _ in 0..100_000 {
        now += numbers.below(6_000);
        let in_minute = admitted.iter().rev().take_while(|at| now - **at < MINUTE_MS).count();
        let decision = check(&mut windows, now, limits);
        assert_eq!(decision.allowed, in_minute < 20, "at {now}");
        if decision.allowed {
            admitted.push(now);
        }
    }
}

#[test]
fn a_large_minute_is_counted_by_the_second_and_never_in_the_clients_favour() {
    let limits = RateLimits { per_minute: 2_000, per_day: u32::MAX };
    let (mut windows, mut admitted, mut numbers, mut now) = (KeyWindows::default(), Vec::new(), Numbers(3), 0);
    let mut refused = 0;
    for _ in 0..30_000 {
        now += numbers.below(50);
        let within = |span: u64| admitted.len() - admitted.partition_point(|at| *at + span <= now);
        let (in_minute, in_minute_and_second) = (within(MINUTE_MS), within(MINUTE_MS + 1_000));
        let decision = check(&mut windows, now, limits);
        assert!(!decision.allowed || in_minute < 2_000, "over the limit at {now}");
        assert!(decision.allowed || in_minute_and_second >= 2_000, "refused too early at {now}");
        assert!(windows.memory() <= 62 + 98, "{} entries", windows.memory());
        if decision.allowed {
            admitted.push(now);
        } else {
            refused += 1;
        }
    }
    assert!(refused > 1_000, "the limit was reached: {refused}");
}

#[test]
fn no_trailing_day_ever_holds_more_than_its_limit_and_the_error_is_at_most_a_bucket() {
    let limits = RateLimits { per_minute: u32::MAX, per_day: 500 };
    let (mut windows, mut admitted, mut numbers, mut now) = (KeyWindows::default(), Vec::new(), Numbers(11), 0);
    for _ in 0..100_000 {
        now += numbers.below(240_000);
        let count_within = |span: u64| admitted.len() - admitted.partition_point(|at| *at + span <= now);
        let (in_day, in_day_and_bucket) = (count_within(86_400_000), count_within(86_400_000 + BUCKET_MS));
        let allowed = check(&mut windows, now, limits).allowed;
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
        assert!(check(&mut windows, now, limits).allowed);
    }
    let refused = check(&mut windows, 30_000, limits);
    assert_eq!((refused.allowed, refused.minute.remaining, refused.minute.reset_s), (false, 0, 30));
    assert!(check(&mut windows, 60_000, limits).allowed);
    assert!(check(&mut windows, 70_000, limits).allowed);
    let refused = check(&mut windows, 200_000, limits);
    assert_eq!((refused.allowed, refused.day.remaining), (false, 0));
    let after = 200_000 + u64::from(refused.day.reset_s) * 1_000;
    assert!(check(&mut windows, after, limits).allowed);
}

#[test]
fn a_limit_that_was_lowered_says_when_there_is_room_under_the_new_one() {
    let (wide, narrow) = (RateLimits { per_minute: 5, per_day: 100 }, RateLimits { per_minute: 2, per_day: 100 });
    let mut windows = KeyWindows::default();
    for now in [0, 1_000, 2_000, 3_000, 4_000] {
        assert!(check(&mut windows, now, wide).allowed);
    }
    // Four have to end before one of two is free.
    let refused = check(&mut windows, 10_000, narrow);
    assert_eq!((refused.allowed, refused.minute.remaining, refused.minute.reset_s), (false, 0, 53));
    assert!(!check(&mut windows, 62_999, narrow).allowed);
    assert!(check(&mut windows, 63_000, narrow).allowed);
}

#[test]
fn a_clock_that_goes_back_gives_nothing_away() {
    let limits = RateLimits { per_minute: 2, per_day: 10 };
    let mut windows = KeyWindows::default();
    assert!(check(&mut windows, 100_000, limits).allowed);
    assert!(check(&mut windows, 50_000, limits).allowed);
    assert!(!check(&mut windows, 10, limits).allowed);
}

#[test]
fn a_clock_that_goes_back_an_hour_locks_nobody_out_for_longer_than_a_window() {
    let limits = RateLimits { per_minute: 2, per_day: 10 };
    let mut windows = KeyWindows::default();
    assert!(check(&mut windows, 3_700_000, limits).allowed);
    assert!(check(&mut windows, 3_700_000, limits).allowed);
    let refused = check(&mut windows, 100_000, limits);
    assert_eq!((refused.allowed, refused.minute.reset_s), (false, 60));
    assert!(!check(&mut windows, 159_999, limits).allowed);
    assert!(check(&mut windows, 160_000, limits).allowed);
}

#[test]
fn an_idle_key_is_known_as_such() {
    let mut windows = KeyWindows::default();
    check(&mut windows, 0, RateLimits { per_minute: 1, per_day: 1 });
    assert!(!windows.is_idle(86_400_000));
    assert!(windows.is_idle(86_400_000 + 2 * BUCKET_MS));
}
