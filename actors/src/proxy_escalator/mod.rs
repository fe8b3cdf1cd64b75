//! Fetches a page through the cheapest way that works: direct, then the proxy
//! tiers in order.

mod messages;

pub use messages::{FetchPage, FetchedPage, Tier};
