//! Fetches a page through the cheapest way that works: direct, then the proxy
//! tiers in order.

mod handlers;
mod ladder;
mod messages;

use std::sync::Arc;

use actix::{Actor, Context};

use crate::egress::Egress;
use crate::supervise::Lifeline;
pub use ladder::{Ladder, Outcome, ProxyConfig};
pub use messages::{FetchPage, FetchedPage, Tier};

/// Answers [`FetchPage`]. It keeps no state besides its configuration.
pub struct ProxyEscalatorActor {
    egress: Egress,
    config: Arc<ProxyConfig>,
    _lifeline: Lifeline,
}

impl ProxyEscalatorActor {
    /// Returns an escalator over the tiers of `config`.
    pub fn new(egress: Egress, config: Arc<ProxyConfig>, lifeline: Lifeline) -> Self {
        Self { egress, config, _lifeline: lifeline }
    }
}

impl Actor for ProxyEscalatorActor {
    type Context = Context<Self>;
}

#[cfg(test)]
mod tests;
