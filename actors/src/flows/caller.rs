use std::sync::Arc;

use uuid::Uuid;

use super::FlowError;
use crate::key_ring::{Plan, Principal, ResolveKey};
use crate::rate_limiter::{CheckRate, RateDecision};
use crate::system::Services;

/// Who makes a request.
#[derive(Debug, Clone)]
pub enum Caller {
    /// The holder of an API key.
    Keyed(Arc<Principal>),
    /// Anybody, while authentication is switched off for development: no rate
    /// limit, and nothing is charged.
    Local,
}

impl Caller {
    /// The account's id; nil for the local user.
    pub fn user_id(&self) -> Uuid {
        match self {
            Self::Keyed(principal) => principal.user_id,
            Self::Local => Uuid::nil(),
        }
    }

    /// The plan whose limits apply.
    pub fn plan(&self) -> Plan {
        match self {
            Self::Keyed(principal) => principal.plan,
            Self::Local => Plan::Enterprise,
        }
    }
}

/// Finds out who presents a key and counts the request against its limits.
/// `None` when the key is not valid; the decision says whether to go on.
///
/// # Errors
/// When the key ring or the limiter cannot answer.
pub async fn admit(services: &Services, presented: String) -> Result<Option<(Caller, RateDecision)>, FlowError> {
    let Some(principal) = services.keys.ask(ResolveKey { presented }).await?? else {
        return Ok(None);
    };
    let limits = services.plans.limits(principal.plan);
    let decision = services.rates.ask(CheckRate { key_id: principal.key_id, limits }).await?;
    Ok(Some((Caller::Keyed(principal), decision)))
}
