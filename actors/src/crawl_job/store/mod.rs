//! The crawls' SQL. What changes a crawl takes an open transaction, so that
//! pages, links, counters and credits are changed together or not at all.

mod commit;
mod create;
mod finish;
mod money;
mod read;
mod resume;

pub(super) use commit::{Batch, SettledUrl, StoredPage, commit};
pub(super) use create::create;
pub(super) use finish::{Ending, cancel, expire, finish};
pub(super) use money::Money;
pub(super) use read::{get, list, whole};
pub(super) use resume::{is_cancelled, keep_robots, resume};

/// The kind of the jobs in the queue, and the purpose of their charges.
pub(super) const KIND: &str = "web.crawl";
