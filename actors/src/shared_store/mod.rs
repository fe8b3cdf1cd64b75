//! The one connection to the store that several replicas share: Redis itself,
//! or a Redis that is spoken to over HTTP.
//!
//! What is kept there may be lost, and the store may die at any moment; nothing
//! here is worth an error to a client. A question waits for a small, fixed time.
//! The first one that fails opens the circuit, and from then on questions are
//! refused at once; only the heartbeat goes on asking, and closes the circuit
//! when the store is back.
//!
//! ```text
//! cache, limiter ─→ SharedStore ─(circuit, patience)→ Backend: redis | rest
//!                        ▲ state, replicas, losses
//!                   heartbeat (every second)
//! ```

mod backend;
mod circuit;
mod heartbeat;
mod redis;
mod rest;
mod script;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use actix::ArbiterHandle;
use bytes::Bytes;
use tokio::time::timeout;
use uuid::Uuid;

use backend::Backend;
pub(crate) use backend::{Kept, StoreError};
use circuit::Circuit;
use redis::Redis;
use rest::Rest;
pub(crate) use script::Script;

/// How long a question waits for a store in the same network, and for one that
/// is reached over HTTP and perhaps over the internet.
const REDIS_PATIENCE: Duration = Duration::from_millis(100);
const REST_PATIENCE: Duration = Duration::from_millis(250);

/// What a write may take besides, for each byte: a store that swallows less
/// than 16 MB/s is as good as down.
const WRITE_PER_MEGABYTE: Duration = Duration::from_millis(64);

/// A store that was configured and not yet asked.
#[derive(Clone)]
pub struct SharedStoreConfig {
    backend: Arc<dyn Backend>,
    patience: Duration,
}

/// Why a store cannot be set up. No message shows the address, which may hold
/// a password.
#[derive(Debug, thiserror::Error)]
pub enum StoreSetupError {
    #[error(
        "the address is not one of a Redis server; write for example `redis://user:password@cache.example:6379/0` ({0})"
    )]
    Redis(String),
    #[error("the address must begin with redis://, rediss://, http:// or https://")]
    Scheme,
    #[error("an http:// or https:// store needs a token")]
    Token,
    #[error(transparent)]
    Http(#[from] crate::egress::EgressSetupError),
}

impl SharedStoreConfig {
    /// Returns the store at `url`: `redis://` or `rediss://` with credentials
    /// and database number, or `http://` or `https://` with a token.
    ///
    /// # Errors
    /// [`StoreSetupError`]; nothing is connected yet.
    pub fn new(url: &str, token: Option<&str>) -> Result<Self, StoreSetupError> {
        let scheme = url.split_once("://").map_or("", |(scheme, _)| scheme).to_ascii_lowercase();
        match scheme.as_str() {
            "redis" | "rediss" => Ok(Self { backend: Arc::new(Redis::new(url)?), patience: REDIS_PATIENCE }),
            "http" | "https" => {
                let backend = Arc::new(Rest::new(url, token.ok_or(StoreSetupError::Token)?)?);
                Ok(Self { backend, patience: REST_PATIENCE })
            }
            _ => Err(StoreSetupError::Scheme),
        }
    }

    /// Returns it with another bound on each question.
    pub fn patience(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }
}

/// The store, for those who keep something in it. Cheap to clone.
#[derive(Clone)]
pub struct SharedStore(Arc<Shared>);

struct Shared {
    backend: Arc<dyn Backend>,
    circuit: Circuit,
    patience: Duration,
    /// Names this process among the replicas.
    member: Uuid,
    replicas: AtomicU32,
    losses: AtomicU64,
}

impl SharedStore {
    /// Begins to connect, on `arbiter`. Returns at once: what is asked before
    /// the first contact waits for it within its own time.
    pub fn start(config: SharedStoreConfig, arbiter: &ArbiterHandle) -> Self {
        let store = Self(Arc::new(Shared {
            backend: config.backend,
            circuit: Circuit::new(),
            patience: config.patience,
            member: Uuid::now_v7(),
            replicas: AtomicU32::new(1),
            losses: AtomicU64::new(0),
        }));
        let beating = heartbeat::beat(Arc::downgrade(&store.0));
        arbiter.spawn(beating);
        store
    }

    /// The value under `key` and what is left of its time.
    ///
    /// # Errors
    /// [`StoreError`] when the store is down or does not answer in time.
    pub(crate) async fn fetch(&self, key: &str) -> Result<Option<Kept>, StoreError> {
        self.ask(self.0.patience, self.0.backend.fetch(key)).await
    }

    /// Keeps `body` under `key` for `ttl`.
    ///
    /// # Errors
    /// As [`SharedStore::fetch`].
    pub(crate) async fn keep(&self, key: &str, body: Bytes, ttl: Duration) -> Result<(), StoreError> {
        let megabytes = body.len() as f64 / 1_048_576.0;
        let allowed = self.0.patience + WRITE_PER_MEGABYTE.mul_f64(megabytes);
        self.ask(allowed, self.0.backend.keep(key, body, ttl)).await
    }

    /// Runs a script that answers with whole numbers.
    ///
    /// # Errors
    /// As [`SharedStore::fetch`]; the script may have run all the same.
    pub(crate) async fn run(&self, script: &Script, keys: &[&str], args: &[i64]) -> Result<Vec<i64>, StoreError> {
        let args = args.iter().map(i64::to_string).collect();
        self.ask(self.0.patience, self.0.backend.run(script, keys, args)).await
    }

    /// How many processes use the store now; the last known number while it is
    /// down, at least 1.
    pub(crate) fn replicas(&self) -> u32 {
        self.0.replicas.load(Ordering::Relaxed).max(1)
    }

    /// How many times the store was found to have lost what was kept in it.
    pub(crate) fn losses(&self) -> u64 {
        self.0.losses.load(Ordering::Relaxed)
    }

    /// What is wrong with the store, in words for the operator; waits for the
    /// first contact.
    pub async fn problem(&self) -> Option<String> {
        match timeout(heartbeat::PATIENCE * 2, self.0.circuit.settled()).await {
            Ok(problem) => problem,
            Err(_) => Some("the shared store has not answered yet".to_owned()),
        }
    }

    /// Takes this process off the count of replicas and closes the connection.
    pub async fn leave(&self) {
        if let Err(error) = heartbeat::leave(&self.0).await {
            tracing::debug!(%error, "the shared store was not told of the end");
        }
        self.0.backend.close().await;
    }

    async fn ask<T>(
        &self,
        patience: Duration,
        question: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        let asking = async {
            if self.0.circuit.settled().await.is_some() {
                return Err(StoreError::Down);
            }
            let answer = question.await;
            if let Err(error) = &answer {
                self.0.circuit.open(error);
            }
            answer
        };
        timeout(patience, asking).await.unwrap_or_else(|_| {
            let error = StoreError::Timeout(patience);
            self.0.circuit.open(&error);
            Err(error)
        })
    }
}
