use actix::Message;
use uuid::Uuid;

/// Request: may this key make one more request now? When yes, it is counted.
/// A refused request is not counted.
#[derive(Debug, Clone, Copy, Message)]
#[rtype(result = "RateDecision")]
pub struct CheckRate {
    pub key_id: Uuid,
    pub limits: RateLimits,
}

/// Requests per trailing window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimits {
    pub per_minute: u32,
    pub per_day: u32,
}

/// The answer, with what the `RateLimit` headers say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateDecision {
    pub allowed: bool,
    pub minute: WindowState,
    pub day: WindowState,
}

/// One window after the decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WindowState {
    pub limit: u32,
    pub remaining: u32,
    /// Whole seconds until a request is possible again when none remains, else
    /// until the window has emptied.
    pub reset_s: u32,
}

/// Request: bring the counts in the database down to what was used; asked once,
/// when no more requests come.
#[derive(Debug, Clone, Copy, Message)]
#[rtype(result = "()")]
pub struct SettleCounts;
