use std::collections::VecDeque;

/// Counted requests in the order in which they stop counting; those that stop
/// together are one entry. Time comes in as milliseconds on any clock.
#[derive(Debug, Default)]
pub(super) struct Log {
    entries: VecDeque<Entry>,
    count: u32,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    ends: u64,
    count: u32,
}

/// One window after a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fill {
    pub count: u32,
    /// Milliseconds until there is room again when there is none, else until
    /// nothing counts any more.
    pub wait_ms: u64,
}

impl Log {
    /// How many requests count.
    pub(super) fn count(&self) -> u32 {
        self.count
    }

    /// Forgets what no longer counts at `now`. `latest` is when a request made
    /// now would stop to count: what claims to count for longer was made before
    /// the clock went back, and is taken for a request made now.
    pub(super) fn forget(&mut self, now: u64, latest: u64) {
        while let Some(entry) = self.entries.front().filter(|entry| entry.ends <= now) {
            self.count -= entry.count;
            self.entries.pop_front();
        }
        if self.entries.back().is_some_and(|entry| entry.ends > latest) {
            self.entries.clear();
            self.entries.push_back(Entry { ends: latest, count: self.count });
        }
    }

    /// Counts `count` requests until `ends`, which is not before any earlier one's.
    pub(super) fn record(&mut self, ends: u64, count: u32) {
        if count == 0 {
            return;
        }
        self.count = self.count.saturating_add(count);
        match self.entries.back_mut() {
            Some(entry) if entry.ends == ends => entry.count = entry.count.saturating_add(count),
            _ => self.entries.push_back(Entry { ends, count }),
        }
    }

    /// The state of the window at `now`.
    pub(super) fn fill(&self, now: u64, limit: u32) -> Fill {
        let decisive = if self.count < limit { self.entries.back() } else { self.makes_room(limit) };
        Fill { count: self.count, wait_ms: decisive.map_or(0, |entry| entry.ends - now) }
    }

    /// The entry whose end brings the count below `limit`.
    fn makes_room(&self, limit: u32) -> Option<&Entry> {
        let mut left = self.count;
        let decisive = self.entries.iter().find(|entry| {
            left -= entry.count;
            left < limit
        });
        decisive.or(self.entries.back())
    }

    #[cfg(test)]
    pub(super) fn entries(&self) -> usize {
        self.entries.len()
    }
}
