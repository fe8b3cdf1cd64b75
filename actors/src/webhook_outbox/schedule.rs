//! What follows an attempt. Pure: the clock and the dice come in as arguments.

use std::time::Duration;

use super::attempt::{Failure, Outcome};

/// Pauses after the first attempt, the second, and so on. Together 17.6 hours:
/// the result of a crawl lives for 24.
const PAUSES_S: [u64; 6] = [5, 5 * 60, 30 * 60, 2 * 3600, 5 * 3600, 10 * 3600];

/// The first attempt and one after each pause.
pub(super) const MOST_ATTEMPTS: i32 = PAUSES_S.len() as i32 + 1;

/// Share by which a pause is made longer or shorter, so that what failed
/// together does not come again together.
const JITTER: f64 = 0.1;

/// The longest that a receiver may ask to be left alone.
const LONGEST_RETRY_AFTER: Duration = Duration::from_secs(3600);

/// What becomes of a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    Delivered,
    /// Again after this pause.
    Again(Duration),
    /// Not again, unless the owner asks.
    Failed,
}

/// Decides after the attempt of number `attempts`, counted from 1. `dice` is
/// uniform in [0, 1).
pub(super) fn next(attempts: i32, outcome: &Outcome, dice: f64) -> Next {
    match outcome {
        Outcome::Accepted { .. } => Next::Delivered,
        // What is gone does not come back: the specification has senders stop at 410.
        Outcome::Failed { failure: Failure::Gone | Failure::Expired, .. } => Next::Failed,
        Outcome::Failed { retry_after, .. } => match pause_after(attempts, dice) {
            Some(pause) => Next::Again(pause.max(retry_after.unwrap_or_default().min(LONGEST_RETRY_AFTER))),
            None => Next::Failed,
        },
    }
}

fn pause_after(attempts: i32, dice: f64) -> Option<Duration> {
    let index = usize::try_from(attempts).ok()?.checked_sub(1)?;
    let pause = Duration::from_secs(*PAUSES_S.get(index)?);
    Some(pause.mul_f64(1.0 - JITTER + 2.0 * JITTER * dice))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed(failure: Failure) -> Outcome {
        Outcome::Failed { failure, status_code: None, excerpt: None, retry_after: None }
    }

    fn asks_for(seconds: u64) -> Outcome {
        let retry_after = Some(Duration::from_secs(seconds));
        Outcome::Failed { failure: Failure::Status, status_code: Some(503), excerpt: None, retry_after }
    }

    #[test]
    fn the_pauses_are_those_of_the_reference_and_then_it_ends() {
        let after = |attempts| next(attempts, &failed(Failure::Status), 0.5);
        let pauses: Vec<_> = (1..MOST_ATTEMPTS).map(after).collect();
        let expected = PAUSES_S.map(|seconds| Next::Again(Duration::from_secs(seconds)));
        assert_eq!(pauses, expected);
        assert_eq!(after(MOST_ATTEMPTS), Next::Failed);
        assert_eq!(after(MOST_ATTEMPTS + 1), Next::Failed);
    }

    #[test]
    fn jitter_stays_within_a_tenth() {
        for (dice, seconds) in [(0.0, 270.0), (0.5, 300.0), (1.0, 330.0)] {
            let pause = pause_after(2, dice).expect("a pause").as_secs_f64();
            assert!((pause - seconds).abs() < 1e-6, "{dice}: {pause}");
        }
    }

    #[test]
    fn what_is_gone_is_not_asked_again() {
        assert_eq!(next(1, &failed(Failure::Gone), 0.5), Next::Failed);
        assert_eq!(next(1, &failed(Failure::Expired), 0.5), Next::Failed);
    }

    #[test]
    fn a_receiver_may_ask_for_more_time_within_bounds() {
        assert_eq!(next(1, &asks_for(60), 0.5), Next::Again(Duration::from_secs(60)));
        assert_eq!(next(2, &asks_for(60), 0.5), Next::Again(Duration::from_secs(300)), "never for less");
        assert_eq!(next(1, &asks_for(1_000_000), 0.5), Next::Again(LONGEST_RETRY_AFTER));
    }
}
