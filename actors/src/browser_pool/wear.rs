use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use tokio::time::Instant;

/// Memory and broken state pile up in a browser; it is replaced after so many
/// pages or so long, whichever is first.
const PAGES_PER_LIFE: usize = 200;
const LIFE: Duration = Duration::from_secs(30 * 60);

/// Pages in a row that used up their time. One may be the page's fault; the
/// second makes the browser suspect.
const LATE_IN_A_ROW: usize = 2;

/// What a browser's pages have done to it, and when that is enough.
#[derive(Debug)]
pub(super) struct Wear {
    started: Instant,
    begun: AtomicUsize,
    open: AtomicUsize,
    rendered: AtomicUsize,
    late: AtomicUsize,
    heavy: AtomicBool,
    /// Bytes that the browser's processes may hold together.
    pub memory_limit: u64,
}

impl Wear {
    /// A new browser's.
    pub fn new(memory_limit: u64) -> Self {
        Self {
            started: Instant::now(),
            begun: AtomicUsize::new(0),
            open: AtomicUsize::new(0),
            rendered: AtomicUsize::new(0),
            late: AtomicUsize::new(0),
            heavy: AtomicBool::new(false),
            memory_limit,
        }
    }

    /// Whether the browser should be replaced.
    pub fn is_enough(&self) -> bool {
        self.begun.load(Ordering::Relaxed) >= PAGES_PER_LIFE
            || self.late.load(Ordering::Relaxed) >= LATE_IN_A_ROW
            || self.heavy.load(Ordering::Relaxed)
            || self.started.elapsed() >= LIFE
    }

    /// Whether pages are open.
    pub fn is_in_use(&self) -> bool {
        self.open.load(Ordering::Relaxed) > 0
    }

    /// Whether a page was ever rendered: then a death is not the executable's
    /// fault.
    pub fn has_rendered(&self) -> bool {
        self.rendered.load(Ordering::Relaxed) > 0
    }

    /// Counts a page that is opened.
    pub fn enter(&self) {
        self.begun.fetch_add(1, Ordering::Relaxed);
        self.open.fetch_add(1, Ordering::Relaxed);
    }

    /// A page is gone.
    pub fn leave(&self) {
        self.open.fetch_sub(1, Ordering::Relaxed);
    }

    /// A page was answered in time.
    pub fn note_in_time(&self) {
        self.rendered.fetch_add(1, Ordering::Relaxed);
        self.late.store(0, Ordering::Relaxed);
    }

    /// A page used up its time.
    pub fn note_late(&self) {
        self.late.fetch_add(1, Ordering::Relaxed);
    }

    /// The processes hold more than they may.
    pub fn note_heavy(&self) {
        self.heavy.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn two_late_pages_in_a_row_are_enough_and_one_is_not() {
        let wear = Wear::new(0);
        wear.note_late();
        wear.note_in_time();
        wear.note_late();
        assert!(!wear.is_enough());
        wear.note_late();
        assert!(wear.is_enough());
    }

    #[tokio::test]
    async fn too_much_memory_is_enough() {
        let wear = Wear::new(0);
        wear.note_heavy();
        assert!(wear.is_enough());
    }
}
