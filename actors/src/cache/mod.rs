//! Finished answers by key, kept for their time to live, and the rule that a
//! piece of work under one key is under way once at a time.
//!
//! An answer is the JSON of an envelope's `data`, ready to be sent. Keys have
//! the form `svc:cache:{endpoint}:{hash(params)}`. What is cached may be lost at
//! any moment; nothing here is worth an error to a client.

mod handlers;
mod key;
mod memory;
mod messages;
mod shared;
mod single_flight;

use std::sync::Arc;

use actix::{Actor, Context};
use async_trait::async_trait;
use bytes::Bytes;

pub use key::CacheKey;
pub use memory::MemoryStore;
pub use messages::{CachedAnswer, LookUp, StoreAnswer};
pub use single_flight::{Flight, Lead, Role, SingleFlight};

use crate::supervise::Lifeline;

/// Where answers are kept. A store that fails reports a miss.
#[async_trait]
pub trait AnswerStore: Send + Sync {
    /// Returns the answer under `key` and what is left of its time.
    async fn get(&self, key: &CacheKey) -> Option<CachedAnswer>;
    /// Keeps `body` for `ttl`.
    async fn put(&self, key: &CacheKey, body: Bytes, ttl: std::time::Duration);
}

/// Owns the store of finished answers.
pub struct CacheActor {
    store: Arc<dyn AnswerStore>,
    _lifeline: Lifeline,
}

impl CacheActor {
    /// Returns the actor over a store that outlives its restarts.
    pub fn new(store: Arc<dyn AnswerStore>, lifeline: Lifeline) -> Self {
        Self { store, _lifeline: lifeline }
    }
}

impl Actor for CacheActor {
    type Context = Context<Self>;
}
