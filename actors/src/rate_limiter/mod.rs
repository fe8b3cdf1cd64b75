//! How many requests a key may make: an exact sliding log for the minute, a
//! bucketed sliding counter for the day.

mod messages;

pub use messages::{CheckRate, RateDecision, RateLimits, WindowState};
