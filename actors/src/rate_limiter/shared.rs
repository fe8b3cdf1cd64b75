use std::sync::{Arc, LazyLock};

use actix::Response;
use uuid::Uuid;

use super::account::Accounts;
use super::log::Fill;
use super::window::Tally;
use super::{CheckRate, RateDecision, RateLimits};
use crate::shared_store::{Script, SharedStore, StoreError};

const CHECK: &str = include_str!("check.lua");

/// With the store's own time, so that replicas whose clocks differ agree.
static CHECK_NOW: LazyLock<Script> = LazyLock::new(|| Script::new(&[include_str!("server_time.lua"), CHECK]));

/// The same with the time as an argument.
#[cfg(test)]
pub(super) static CHECK_AT: LazyLock<Script> =
    LazyLock::new(|| Script::new(&["local now = tonumber(ARGV[5])\n", CHECK]));

/// Requests that were admitted without the store's knowledge.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Owed {
    /// Of the last minute.
    pub minute: u32,
    /// Of the last day.
    pub day: u32,
}

/// Limits by what the shared store counts. This process remembers what it
/// admitted itself, and while the store is away it decides for its part.
#[derive(Clone)]
pub(super) struct SharedLimits {
    accounts: Arc<Accounts>,
    store: SharedStore,
}

impl SharedLimits {
    pub(super) fn new(store: SharedStore) -> Self {
        Self { accounts: Arc::new(Accounts::new()), store }
    }

    pub(super) fn check(&self, request: CheckRate) -> Response<RateDecision> {
        let CheckRate { key_id, limits } = request;
        let owed = self.accounts.with(key_id, |account, now| {
            // What was admitted here alone is the limit: nobody need be asked,
            // and a store that has forgotten cannot give it again.
            if account.windows.has_room(now, limits) {
                Ok(account.take_owed(self.store.losses()))
            } else {
                Err(account.windows.tally(now, limits, false).decision(limits))
            }
        });
        match owed {
            Err(refused) => Response::reply(refused),
            Ok(owed) => {
                let this = self.clone();
                Response::fut(async move {
                    let answer = check(&this.store, key_id, limits, owed).await;
                    this.conclude(request, owed, answer)
                })
            }
        }
    }

    fn conclude(&self, request: CheckRate, owed: Owed, answer: Result<Tally, StoreError>) -> RateDecision {
        let CheckRate { key_id, limits } = request;
        self.accounts.with(key_id, |account, now| {
            let error = match answer {
                Ok(tally) => {
                    if tally.allowed {
                        account.windows.record(now, limits);
                    }
                    return tally.decision(limits);
                }
                Err(error) => error,
            };
            let part = share(limits, self.store.replicas());
            let tally = account.windows.check(now, part);
            // What was on its way has been counted, or is counted when the store
            // goes on; telling it twice would lock clients of a slow store out.
            if error.is_unsent() {
                account.owe(owed.day + u32::from(tally.allowed));
            }
            metrics::counter!("blazon_rate_checks_without_store_total").increment(1);
            tally.decision(part)
        })
    }

    /// Forgets what no longer counts; the store does so by itself.
    pub(super) fn sweep(&self) {
        self.accounts.with_all(|accounts, now| accounts.retain(|_, account| !account.windows.is_idle(now)));
    }
}

/// The part of the limits that falls to each of several replicas.
fn share(limits: RateLimits, replicas: u32) -> RateLimits {
    let part = |limit: u32| if limit == 0 { 0 } else { (limit / replicas).max(1) };
    RateLimits { per_minute: part(limits.per_minute), per_day: part(limits.per_day) }
}

/// Decides on one more request in the windows that all replicas share, and
/// counts it there.
async fn check(store: &SharedStore, key: Uuid, limits: RateLimits, owed: Owed) -> Result<Tally, StoreError> {
    let args = [limits.per_minute, limits.per_day, owed.minute, owed.day].map(i64::from);
    run(store, &CHECK_NOW, key, &args).await
}

pub(super) async fn run(store: &SharedStore, script: &Script, key: Uuid, args: &[i64]) -> Result<Tally, StoreError> {
    // One hash tag, so that a cluster keeps both on one node.
    let (minute, day) = (format!("{{svc:rl:{key}}}:m"), format!("{{svc:rl:{key}}}:d"));
    let answer = store.run(script, &[&minute, &day], args).await?;
    tally(&answer).ok_or_else(|| StoreError::Nonsense(format!("{answer:?}")))
}

fn tally(answer: &[i64]) -> Option<Tally> {
    let &[allowed, in_minute, minute_wait, in_day, day_wait] = answer else { return None };
    let fill =
        |count: i64, wait: i64| Some(Fill { count: u32::try_from(count).ok()?, wait_ms: u64::try_from(wait).ok()? });
    Some(Tally { allowed: allowed == 1, minute: fill(in_minute, minute_wait)?, day: fill(in_day, day_wait)? })
}
