//! Remembers, without I/O or a clock of its own, which tier a host needed.

use std::collections::HashMap;
use std::time::Duration;

use tokio::time::Instant;

use super::Tier;

/// How long a host is asked through the tier that worked before a cheaper one
/// is tried again.
const DECAY: Duration = Duration::from_secs(600);
/// Hosts remembered, at most about 300 bytes each.
const CAPACITY: usize = 4096;

/// The hosts that the cheapest tier did not serve.
#[derive(Debug)]
pub(super) struct TierMemory {
    tiers: Vec<Tier>,
    hosts: HashMap<String, Remembered>,
    decay: Duration,
    capacity: usize,
}

#[derive(Debug, Clone, Copy)]
struct Remembered {
    /// Index of the tier that worked.
    rung: usize,
    /// When a cheaper one is tried.
    probe_at: Instant,
}

impl TierMemory {
    /// Returns an empty memory over `tiers`, cheapest first.
    pub(super) fn new(tiers: Vec<Tier>) -> Self {
        Self { tiers, hosts: HashMap::new(), decay: DECAY, capacity: CAPACITY }
    }

    /// The tier to begin with, `None` for the cheapest. After each span of
    /// decay one caller is sent a tier lower; the others stay until it is back.
    pub(super) fn start(&mut self, host: &str, now: Instant) -> Option<Tier> {
        let known = self.hosts.get_mut(host)?;
        let Some(late) = now.checked_duration_since(known.probe_at) else { return Some(self.tiers[known.rung]) };
        // A host that nobody asked for meanwhile has sunk as far as if they had.
        let sunk = 1 + (late.as_nanos() / self.decay.as_nanos().max(1)) as usize;
        known.probe_at = now + self.decay;
        Some(self.tiers[known.rung.saturating_sub(sunk)])
    }

    /// Takes note that `tier` served the host. A tier that is known to work
    /// gains no time by working again, or a busy host would never sink.
    pub(super) fn worked(&mut self, host: &str, tier: Tier, now: Instant) {
        let rung = self.tiers.iter().position(|known| *known == tier).unwrap_or_default();
        if rung == 0 {
            self.hosts.remove(host);
            return;
        }
        if self.hosts.get(host).is_some_and(|known| known.rung == rung) {
            return;
        }
        if self.hosts.len() >= self.capacity && !self.hosts.contains_key(host) {
            self.forget_one();
        }
        self.hosts.insert(host.to_owned(), Remembered { rung, probe_at: now + self.decay });
    }

    /// Makes room where the least is lost.
    fn forget_one(&mut self) {
        let oldest = self.hosts.iter().min_by_key(|(_, known)| known.probe_at).map(|(host, _)| host.clone());
        if let Some(oldest) = oldest {
            self.hosts.remove(&oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use Tier::{Datacenter, Direct, Isp, Residential};

    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    fn memory() -> (TierMemory, Instant) {
        (TierMemory::new(vec![Direct, Datacenter, Residential, Isp]), Instant::now())
    }

    #[test]
    fn a_host_begins_where_it_was_served_for_the_time_of_decay() {
        let (mut memory, now) = memory();
        assert_eq!(memory.start("shop.test", now), None);
        memory.worked("shop.test", Residential, now);
        for minutes in 0..10 {
            assert_eq!(memory.start("shop.test", now + minutes * MINUTE), Some(Residential));
            memory.worked("shop.test", Residential, now + minutes * MINUTE);
        }
        assert_eq!(memory.start("other.test", now), None);
    }

    #[test]
    fn then_one_caller_tries_a_tier_lower_and_the_rest_wait_for_what_it_finds() {
        let (mut memory, now) = memory();
        memory.worked("shop.test", Residential, now);
        let later = now + 10 * MINUTE;
        assert_eq!(memory.start("shop.test", later), Some(Datacenter));
        assert_eq!(memory.start("shop.test", later), Some(Residential));
        // It failed: the host was served by the old tier after all.
        memory.worked("shop.test", Residential, later);
        assert_eq!(memory.start("shop.test", later + 9 * MINUTE), Some(Residential));
        // It worked the next time.
        assert_eq!(memory.start("shop.test", later + 10 * MINUTE), Some(Datacenter));
        memory.worked("shop.test", Datacenter, later + 10 * MINUTE);
        assert_eq!(memory.start("shop.test", later + 19 * MINUTE), Some(Datacenter));
        assert_eq!(memory.start("shop.test", later + 20 * MINUTE), Some(Direct));
        memory.worked("shop.test", Direct, later + 20 * MINUTE);
        assert_eq!(memory.start("shop.test", later + 20 * MINUTE), None, "it is forgotten");
        assert!(memory.hosts.is_empty());
    }

    #[test]
    fn a_host_left_alone_sinks_a_tier_for_each_span() {
        for (minutes, expected) in [(9, Isp), (19, Residential), (29, Datacenter), (30, Direct), (3000, Direct)] {
            let (mut memory, now) = memory();
            memory.worked("shop.test", Isp, now);
            assert_eq!(memory.start("shop.test", now + minutes * MINUTE), Some(expected), "{minutes}");
        }
    }

    #[test]
    fn a_tier_that_a_climb_found_replaces_the_one_that_failed() {
        let (mut memory, now) = memory();
        memory.worked("shop.test", Datacenter, now);
        memory.worked("shop.test", Isp, now + MINUTE);
        assert_eq!(memory.start("shop.test", now + 10 * MINUTE), Some(Isp), "its own ten minutes");
    }

    #[test]
    fn the_host_next_to_sink_makes_room_for_a_new_one() {
        let (mut memory, now) = memory();
        memory.capacity = 2;
        for (host, minute) in [("a.test", 0), ("b.test", 1), ("c.test", 2)] {
            memory.worked(host, Datacenter, now + minute * MINUTE);
        }
        let later = now + 3 * MINUTE;
        assert_eq!(memory.hosts.len(), 2);
        assert_eq!(memory.start("a.test", later), None);
        assert_eq!(memory.start("c.test", later), Some(Datacenter));
    }
}
