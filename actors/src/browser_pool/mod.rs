//! Own Chromium processes over CDP: one isolated context per request, which can
//! reach the network through the filtering proxy alone.
//!
//! ```text
//! RenderPage ─→ Pool ─(place, deadline)→ Slot ─→ Chromium   process, restarts
//!                 │                                 │ DevTools
//!                 └→ Context (own proxy) ─→ Tab ─→ Rendering  load, rest, read
//! ```
//!
//! A browser is taken to be hostile as soon as it has opened a page: it gets no
//! environment, no address but the proxy's, and nothing of it outlives the
//! request but the process.

mod answer;
mod body;
mod chromium;
mod config;
mod context;
mod devtools;
mod discover;
mod flags;
mod handlers;
mod leftovers;
mod messages;
mod navigation;
mod net_error;
mod pool;
mod procfs;
mod profile;
mod render;
mod scripts;
mod slot;
mod tab;
mod vitals;
mod wear;

use std::sync::Arc;

use actix::{Actor, Context};

pub use config::BrowserPoolConfig;
pub use messages::{BrowserHealth, Drain, GetBrowserHealth, RenderError, RenderPage, RenderedPage};
use pool::Pool;

use crate::egress::Egress;
use crate::supervise::Lifeline;

/// Keeps the browsers and renders pages in them. Without a browser it lives all
/// the same and says so to whoever asks for a page.
pub struct BrowserPoolActor {
    pool: Arc<Pool>,
    _lifeline: Lifeline,
}

impl BrowserPoolActor {
    /// Returns an actor whose browsers reach the network through `egress` alone.
    pub fn new(egress: Egress, config: &BrowserPoolConfig, lifeline: Lifeline) -> Self {
        Self { pool: Arc::new(Pool::new(egress, config)), _lifeline: lifeline }
    }
}

impl Actor for BrowserPoolActor {
    type Context = Context<Self>;

    fn started(&mut self, _: &mut Self::Context) {
        let pool = self.pool.clone();
        actix::spawn(async move { pool.warm_up().await });
    }
}

#[cfg(test)]
mod tests;
