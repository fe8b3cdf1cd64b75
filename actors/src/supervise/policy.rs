use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Decides when a dead actor is started again: exponential back-off, and a
/// limit on deaths within a sliding window.
///
/// Pure: time comes in as an argument.
#[derive(Debug, Clone)]
pub struct RestartPolicy {
    base: Duration,
    cap: Duration,
    window: Duration,
    max_restarts: usize,
    deaths: VecDeque<Instant>,
}

impl RestartPolicy {
    /// Returns a policy that waits `base · 2ⁿ` (at most `cap`) before the n-th
    /// restart within `window`, and gives up after `max_restarts` of them.
    pub fn new(base: Duration, cap: Duration, window: Duration, max_restarts: usize) -> Self {
        Self { base, cap, window, max_restarts, deaths: VecDeque::new() }
    }

    /// The pause before the next start, or `None` when the actor has died too
    /// often to try again.
    pub fn next_delay(&mut self, now: Instant) -> Option<Duration> {
        while self.deaths.front().is_some_and(|death| now.duration_since(*death) > self.window) {
            self.deaths.pop_front();
        }
        if self.deaths.len() >= self.max_restarts {
            return None;
        }
        let factor = 1_u32 << self.deaths.len().min(16);
        self.deaths.push_back(now);
        Some(self.base.saturating_mul(factor).min(self.cap))
    }
}

impl Default for RestartPolicy {
    /// Ten restarts a minute, starting at 20 ms: a glitch is not noticed, a
    /// fault that persists for a minute ends the process.
    fn default() -> Self {
        Self::new(Duration::from_millis(20), Duration::from_secs(5), Duration::from_secs(60), 10)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy() -> RestartPolicy {
        RestartPolicy::new(Duration::from_millis(10), Duration::from_millis(60), Duration::from_secs(1), 4)
    }

    #[test]
    fn the_pause_doubles_up_to_the_cap() {
        let (mut policy, now) = (policy(), Instant::now());
        let pauses: Vec<_> = (0..4).map(|_| policy.next_delay(now).map(|pause| pause.as_millis())).collect();
        assert_eq!(pauses, [Some(10), Some(20), Some(40), Some(60)]);
    }

    #[test]
    fn too_many_deaths_in_the_window_give_up_and_old_ones_are_forgotten() {
        let (mut policy, now) = (policy(), Instant::now());
        for _ in 0..4 {
            policy.next_delay(now);
        }
        assert_eq!(policy.next_delay(now + Duration::from_millis(900)), None);
        assert_eq!(policy.next_delay(now + Duration::from_millis(1100)), Some(Duration::from_millis(10)));
    }
}
