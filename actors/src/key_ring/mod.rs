//! Users, their plans and their API keys.

mod messages;

pub use messages::{
    CreateKey, CreatedKey, KeyRingError, KeySummary, ListKeys, Plan, Principal, ResolveKey, RevokeKey, RotateKey, Scope,
};
