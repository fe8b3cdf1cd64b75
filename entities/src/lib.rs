//! The database's tables as SeaORM entities, one per file.
//!
//! Moments are Unix milliseconds (UTC).

pub mod api_key;
pub mod crawl;
pub mod crawl_page;
pub mod crawl_url;
pub mod credit_account;
pub mod credit_entry;
pub mod credit_hold;
pub mod credit_txn;
pub mod job;
pub mod rate_bucket;
pub mod secret;
pub mod user;
pub mod webhook_delivery;
