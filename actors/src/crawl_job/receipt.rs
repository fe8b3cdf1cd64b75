//! What became of every URL that was discovered. Pure.

use serde::Serialize;

/// Why a URL was not fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum SkipReason {
    /// robots.txt says no.
    Robots,
    /// More links from the seed than `maxDepth`.
    Depth,
    /// `urlRegex` does not match.
    Regex,
    /// The crawl ended before its turn.
    Limit,
    /// The same page was fetched under another URL.
    Duplicate,
}

impl SkipReason {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Robots => "robots",
            Self::Depth => "depth",
            Self::Regex => "regex",
            Self::Limit => "limit",
            Self::Duplicate => "duplicate",
        }
    }
}

/// URLs counted by what became of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct Progress {
    /// All below, and those still waiting.
    pub discovered: i64,
    pub fetched: i64,
    pub failed: i64,
    /// The sum of `skipped`.
    pub skipped: i64,
}

/// Skipped URLs by the reason.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct Skipped {
    pub robots: i64,
    pub depth: i64,
    pub regex: i64,
    pub limit: i64,
    pub duplicate: i64,
}

/// The counters of a crawl. Each URL is waiting or in one of the others.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Receipt {
    pub discovered: i64,
    pub fetched: i64,
    pub failed: i64,
    pub skipped: Skipped,
}

impl Receipt {
    /// Counts a skipped URL, discovered before.
    pub(super) fn skip(&mut self, reason: SkipReason) {
        *match reason {
            SkipReason::Robots => &mut self.skipped.robots,
            SkipReason::Depth => &mut self.skipped.depth,
            SkipReason::Regex => &mut self.skipped.regex,
            SkipReason::Limit => &mut self.skipped.limit,
            SkipReason::Duplicate => &mut self.skipped.duplicate,
        } += 1;
    }

    /// URLs whose turn has not come.
    pub(super) fn waiting(&self) -> i64 {
        self.discovered - self.fetched - self.failed - self.skipped.sum()
    }

    /// Counts everything that waits as skipped: the crawl is over.
    pub(super) fn close(&mut self) {
        self.skipped.limit += self.waiting();
    }

    pub(super) fn progress(&self) -> Progress {
        let Self { discovered, fetched, failed, skipped } = *self;
        Progress { discovered, fetched, failed, skipped: skipped.sum() }
    }
}

impl Skipped {
    fn sum(self) -> i64 {
        self.robots + self.depth + self.regex + self.limit + self.duplicate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_closed_receipt_adds_up() {
        let mut receipt = Receipt { discovered: 9, fetched: 2, failed: 1, ..Receipt::default() };
        for reason in [SkipReason::Robots, SkipReason::Depth, SkipReason::Regex, SkipReason::Duplicate] {
            receipt.skip(reason);
        }
        assert_eq!(receipt.waiting(), 2);
        receipt.close();
        let Progress { discovered, fetched, failed, skipped } = receipt.progress();
        assert_eq!((receipt.skipped.limit, discovered), (2, fetched + failed + skipped));
    }
}
