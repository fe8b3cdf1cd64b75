//! Everything of Blazon that has a lifetime: the supervised actors, the gates
//! through which they are asked, and the flows over them.
//!
//! This crate knows no HTTP server and no command line. What it refuses: a
//! connection that has not passed [`egress`], a balance kept in memory, a
//! handler that awaits I/O with its mailbox held.

pub mod browser_pool;
pub mod cache;
#[cfg(test)]
mod child;
pub mod crawl_job;
pub mod credit_ledger;
pub mod database;
pub mod egress;
pub mod flows;
pub mod job_queue;
pub mod key_ring;
pub mod page_loader;
pub mod proxy_escalator;
pub mod rate_limiter;
pub mod shared_store;
pub mod supervise;
pub mod system;
pub mod webhook_outbox;
