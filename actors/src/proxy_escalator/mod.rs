//! Loads a page through the cheapest way that works: direct, then the proxy
//! tiers in order.
//!
//! ```text
//! FetchPage ─→ memory: where to begin ─→ climb ─(ladder: what next)→ egress
//! flow with a browser ─ChooseTier→ memory … climb … ─TierWorked→ memory
//! ```

mod climb;
mod handlers;
mod ladder;
mod memory;
mod messages;
#[cfg(any(test, feature = "testing"))]
pub mod testing;

use std::sync::Arc;

use actix::{Actor, Context};

use crate::egress::Egress;
use crate::supervise::Lifeline;
pub(crate) use climb::climb;
pub use ladder::{Ladder, Outcome, ProxyConfig};
use memory::TierMemory;
pub use messages::{ChooseTier, FetchPage, FetchedPage, Tier, TierWorked};

/// Answers [`FetchPage`], and remembers for a while which tier a host needed. A
/// restart forgets it, which costs some refusals.
pub struct ProxyEscalatorActor {
    egress: Egress,
    config: Arc<ProxyConfig>,
    memory: TierMemory,
    _lifeline: Lifeline,
}

impl ProxyEscalatorActor {
    /// Returns an escalator over the tiers of `config`.
    pub fn new(egress: Egress, config: Arc<ProxyConfig>, lifeline: Lifeline) -> Self {
        let memory = TierMemory::new(config.tiers());
        Self { egress, config, memory, _lifeline: lifeline }
    }
}

impl Actor for ProxyEscalatorActor {
    type Context = Context<Self>;
}

#[cfg(test)]
mod tests;
