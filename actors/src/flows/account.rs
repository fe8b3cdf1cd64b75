use serde::Serialize;
use uuid::Uuid;

use super::{Caller, FlowError};
use crate::credit_ledger::{Balance, GetBalance, GetUsage};
use crate::system::{PlanLimits, Services};

/// The largest integer that JSON clients read exactly; stands for "unlimited".
const UNLIMITED: i64 = (1 << 53) - 1;

/// An account as its owner sees it.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct AccountRecord {
    pub user_id: Uuid,
    pub email: String,
    /// `free`, `starter`, `pro` or `enterprise`.
    pub plan: &'static str,
    /// Credits owned, those on hold included.
    pub balance: i64,
    /// Credits on hold for work under way.
    pub held: i64,
    pub limits: PlanLimits,
    pub usage_today: UsageToday,
}

/// What was used since midnight UTC.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct UsageToday {
    /// Requests that were charged.
    pub requests: i64,
    pub credits: i64,
}

/// Returns the caller's account. Free of charge.
///
/// # Errors
/// When the ledger cannot answer.
pub async fn account(services: &Services, caller: &Caller) -> Result<AccountRecord, FlowError> {
    let limits = services.plans.of(caller.plan());
    let Caller::Keyed(principal) = caller else {
        return Ok(AccountRecord {
            user_id: Uuid::nil(),
            email: "local@localhost".into(),
            plan: caller.plan().as_str(),
            balance: UNLIMITED,
            held: 0,
            limits,
            usage_today: UsageToday { requests: 0, credits: 0 },
        });
    };
    let user = principal.user_id;
    let balance = services.ledger.ask(GetBalance { user }).await??;
    let usage = services.ledger.ask(GetUsage { user }).await??;
    Ok(AccountRecord {
        user_id: user,
        email: principal.email.clone(),
        plan: principal.plan.as_str(),
        balance: balance.balance,
        held: balance.held,
        limits,
        usage_today: UsageToday { requests: usage.charges, credits: usage.credits },
    })
}

/// Returns the caller's credits; `None` where none are counted.
///
/// # Errors
/// When the ledger cannot answer.
pub async fn balance(services: &Services, caller: &Caller) -> Result<Option<Balance>, FlowError> {
    let Caller::Keyed(principal) = caller else { return Ok(None) };
    Ok(Some(services.ledger.ask(GetBalance { user: principal.user_id }).await??))
}
