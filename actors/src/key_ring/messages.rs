use std::sync::Arc;

use actix::Message;
use time::OffsetDateTime;
use uuid::Uuid;

/// Request: who presents this key? `None` for a malformed, unknown, expired or
/// revoked one. Answers from memory for at most one second, so that a
/// revocation is in force within that time on every replica.
#[derive(Clone, Message)]
#[rtype(result = "Result<Option<Arc<Principal>>, KeyRingError>")]
pub struct ResolveKey {
    pub presented: String,
}

/// Who makes a request, and what they may do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Principal {
    pub user_id: Uuid,
    pub key_id: Uuid,
    pub email: String,
    pub plan: Plan,
    pub scopes: Vec<Scope>,
}

/// A plan's name; its limits are settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Plan {
    Free,
    Starter,
    Pro,
    Enterprise,
}

impl Plan {
    pub const ALL: [Self; 4] = [Self::Free, Self::Starter, Self::Pro, Self::Enterprise];

    /// The name in the API, the command line and the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Free => "free",
            Self::Starter => "starter",
            Self::Pro => "pro",
            Self::Enterprise => "enterprise",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|plan| plan.as_str() == name)
    }
}

/// A group of endpoints that a key opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scope {
    Web,
    Brand,
    Ai,
    Account,
}

impl Scope {
    pub const ALL: [Self; 4] = [Self::Web, Self::Brand, Self::Ai, Self::Account];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Web => "web",
            Self::Brand => "brand",
            Self::Ai => "ai",
            Self::Account => "account",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.as_str() == name)
    }
}

impl std::fmt::Debug for ResolveKey {
    /// Shows nothing of what was presented, which may be a valid key.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ResolveKey").finish_non_exhaustive()
    }
}

/// Request: make a key, and the user when there is none with this e-mail. A new
/// user begins with `credits`, or 100; a known one is granted `credits` more.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<CreatedKey, KeyRingError>")]
pub struct CreateKey {
    pub email: String,
    /// A new user's plan (default free); changes a known user's when given.
    pub plan: Option<Plan>,
    pub credits: Option<i64>,
    pub name: String,
}

/// A new key. `key` is shown here and never again.
#[derive(Clone)]
pub struct CreatedKey {
    pub key: String,
    pub key_id: Uuid,
    pub user_id: Uuid,
}

impl std::fmt::Debug for CreatedKey {
    /// Leaves the key out.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = f.debug_struct("CreatedKey");
        shown.field("key_id", &self.key_id).field("user_id", &self.user_id).finish_non_exhaustive()
    }
}

/// Request: when there is no user at all, make `admin@localhost` on the
/// enterprise plan with 1,000,000 credits and a key named `admin`. `None` when
/// there are users; when processes start together, one of them gets the key.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<Option<CreatedKey>, KeyRingError>")]
pub struct CreateFirstAdmin;

/// Request: all keys, newest first, of one user or of all.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<Vec<KeySummary>, KeyRingError>")]
pub struct ListKeys {
    pub email: Option<String>,
}

/// What may be shown of a key after its creation.
#[derive(Debug, Clone)]
pub struct KeySummary {
    pub key_id: Uuid,
    pub email: String,
    pub plan: Plan,
    pub name: String,
    /// The key's first 12 characters.
    pub prefix: String,
    pub created_at: OffsetDateTime,
    pub expires_at: Option<OffsetDateTime>,
    pub revoked_at: Option<OffsetDateTime>,
}

/// Request: end a key now.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<(), KeyRingError>")]
pub struct RevokeKey {
    pub key_id: Uuid,
}

/// Request: a new key in place of an old one, which stays valid for 24 hours.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<CreatedKey, KeyRingError>")]
pub struct RotateKey {
    pub key_id: Uuid,
}

/// Why the key ring refused.
#[derive(Debug, thiserror::Error)]
pub enum KeyRingError {
    #[error("no such key")]
    Unknown,
    #[error("{0} is not an e-mail address")]
    BadEmail(String),
    #[error("the system's random source failed")]
    Random(#[from] rand::rand_core::OsError),
    #[error("the key ring's database failed")]
    Store(#[from] sea_orm::DbErr),
    #[error("the opening balance could not be granted")]
    Ledger(#[from] crate::credit_ledger::LedgerError),
}
