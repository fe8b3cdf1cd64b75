//! New users, new keys, and the end of old ones.

use sea_orm::DatabaseTransaction;
use uuid::Uuid;

use super::key::{ApiKey, Digest};
use super::store::{self, NewKey};
use super::{CreateKey, CreatedKey, KeyRingError, Plan, Ring, Scope, email};
use crate::credit_ledger::GrantCredits;
use crate::credit_ledger::store as ledger;
use crate::database::{now, write};

/// A new user's credits.
const SIGN_UP_CREDITS: i64 = 100;
const ADMIN_EMAIL: &str = "admin@localhost";
const ADMIN_CREDITS: i64 = 1_000_000;
/// How long a rotated key stays valid, in milliseconds.
const ROTATION_GRACE: i64 = 24 * 60 * 60 * 1000;

impl Ring {
    /// Makes a key, and when needed its user with an account: all or nothing.
    pub(super) async fn create(&self, asked: CreateKey) -> Result<CreatedKey, KeyRingError> {
        let email = email::normalise(&asked.email)?;
        let (key, digest) = self.generate().await?;
        write(&self.db, async |txn| {
            let user = match store::insert_user(txn, &email, asked.plan.unwrap_or(Plan::Free)).await? {
                Some(user) => {
                    ledger::open_account(txn, user, asked.credits.unwrap_or(SIGN_UP_CREDITS)).await?;
                    user
                }
                None => top_up(txn, &email, &asked).await?,
            };
            insert_key(txn, &key, NewKey::of(user, &asked.name, digest)).await
        })
        .await
    }

    /// Makes the first user when there is none. Of processes that start
    /// together, one gets the key.
    pub(super) async fn create_first_admin(&self) -> Result<Option<CreatedKey>, KeyRingError> {
        let (key, digest) = self.generate().await?;
        write(&self.db, async |txn| {
            let Some(user) = store::insert_first_user(txn, ADMIN_EMAIL, Plan::Enterprise).await? else {
                return Ok(None);
            };
            ledger::open_account(txn, user, ADMIN_CREDITS).await?;
            insert_key(txn, &key, NewKey::of(user, "admin", digest)).await.map(Some)
        })
        .await
    }

    /// Makes a key with the old one's name and scopes, and lets the old one
    /// run out; one that ends sooner anyway is not prolonged.
    pub(super) async fn rotate(&self, old: Uuid) -> Result<CreatedKey, KeyRingError> {
        let (key, digest) = self.generate().await?;
        write(&self.db, async |txn| {
            let now = now();
            let replaced = store::let_run_out(txn, old, now, now + ROTATION_GRACE).await?;
            let replaced = replaced.ok_or(KeyRingError::Unknown)?;
            let (user, name, scopes) = (replaced.user, &*replaced.name, replaced.scopes);
            insert_key(txn, &key, NewKey { user, name, digest, scopes, rotated_from: Some(old) }).await
        })
        .await
    }

    /// Ends a key now. Ending it again changes nothing.
    pub(super) async fn revoke(&self, key: Uuid) -> Result<(), KeyRingError> {
        let digest = store::revoke(&self.db, key).await?.ok_or(KeyRingError::Unknown)?;
        self.recent.forget(&digest);
        Ok(())
    }

    async fn generate(&self) -> Result<(ApiKey, Digest), KeyRingError> {
        let key = ApiKey::generate()?;
        let digest = self.digest(&key).await?;
        Ok((key, digest))
    }
}

/// Gives a known user the plan and the credits that were asked for, if any.
async fn top_up(txn: &DatabaseTransaction, email: &str, asked: &CreateKey) -> Result<Uuid, KeyRingError> {
    let user = store::user_with(txn, email).await?;
    if let Some(plan) = asked.plan {
        store::set_plan(txn, user, plan).await?;
    }
    if let Some(amount) = asked.credits.filter(|amount| *amount != 0) {
        // Each call is a grant of its own: the caller has no key by which to repeat one.
        let idempotency_key = format!("top_up:{}", Uuid::now_v7());
        ledger::grant(txn, &GrantCredits { user, amount, purpose: "top_up", idempotency_key }).await?;
    }
    Ok(user)
}

async fn insert_key(txn: &DatabaseTransaction, key: &ApiKey, new: NewKey<'_>) -> Result<CreatedKey, KeyRingError> {
    let user_id = new.user;
    let key_id = store::insert_key(txn, key.prefix(), new).await?;
    Ok(CreatedKey { key: key.reveal().to_owned(), key_id, user_id })
}

impl<'a> NewKey<'a> {
    fn of(user: Uuid, name: &'a str, digest: Digest) -> Self {
        Self { user, name, digest, scopes: Scope::ALL.map(Scope::as_str).join(" "), rotated_from: None }
    }
}
