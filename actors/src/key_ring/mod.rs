//! Users, their plans and their API keys.
//!
//! Of a key only its HMAC-SHA256 digest and its first 12 characters are stored,
//! so nobody who reads the database can use one. Who presents a key that was
//! valid less than a second ago is answered from memory.

mod email;
mod handlers;
mod issue;
mod key;
mod messages;
mod resolve;
mod store;
#[cfg(test)]
mod tests;

pub use messages::{
    CreateFirstAdmin, CreateKey, CreatedKey, KeyRingError, KeySummary, ListKeys, Plan, Principal, ResolveKey,
    RevokeKey, RotateKey, Scope,
};

use std::sync::Arc;

use actix::{Actor, Context};
use sea_orm::{DatabaseConnection, DbErr};
use tokio::sync::OnceCell;

use crate::database::secrets;
use crate::supervise::Lifeline;
use key::{ApiKey, Digest, Pepper};
use resolve::RecentKeys;

/// Knows the keys.
pub struct KeyRingActor {
    ring: Ring,
    _lifeline: Lifeline,
}

impl KeyRingActor {
    /// Returns a key ring on a migrated database.
    pub fn new(db: DatabaseConnection, lifeline: Lifeline) -> Self {
        let ring = Ring { db, pepper: Arc::default(), recent: RecentKeys::new() };
        Self { ring, _lifeline: lifeline }
    }
}

impl Actor for KeyRingActor {
    type Context = Context<Self>;
}

/// What a handler takes along into its work.
#[derive(Clone)]
struct Ring {
    db: DatabaseConnection,
    pepper: Arc<OnceCell<Pepper>>,
    recent: RecentKeys,
}

impl Ring {
    /// The digest under which a key is stored. The pepper is read, or at the
    /// very first start made, with the first key.
    async fn digest(&self, key: &ApiKey) -> Result<Digest, DbErr> {
        let pepper = self.pepper.get_or_try_init(|| secrets::get_or_create(&self.db, "api_key_pepper")).await?;
        Ok(key.digest(pepper))
    }
}
