use std::time::Duration;

use bytes::Bytes;
use tokio::time::{Instant, timeout_at};
use uuid::Uuid;

use super::{Caller, FlowError, WorkError};
use crate::cache::{CacheKey, LookUp, Role, StoreAnswer};
use crate::credit_ledger::{Balance, CaptureHold, ChargeCredits, HoldCredits, VoidHold};
use crate::system::Services;

/// Time a hold outlives the work it is for, so that a slow settlement still
/// finds it.
const HOLD_GRACE: Duration = Duration::from_secs(60);

/// One answer to be given for credits.
pub(super) struct PaidRequest<'a> {
    pub caller: &'a Caller,
    /// The endpoint's name in the ledger and the cache, e.g. `web.scrape.html`.
    pub endpoint: &'static str,
    pub price: i64,
    pub key: CacheKey,
    /// Whether a cached answer will do.
    pub read_cache: bool,
    pub ttl: Duration,
    /// The longest the work can take.
    pub timeout: Duration,
}

/// An answer and its price.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The JSON of the envelope's `data`.
    pub body: Bytes,
    pub cached: bool,
    pub charged: Charged,
    /// From the order to the answer.
    pub took: Duration,
}

/// What a request cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Charged {
    pub used: i64,
    /// Credits the account can still spend; `None` where none are counted.
    pub remaining: Option<i64>,
}

/// A piece of work that succeeded.
#[derive(Debug, Clone)]
pub(crate) struct Finished {
    pub body: Bytes,
    /// Whether others may be given this answer later.
    pub cacheable: bool,
    /// Whether it is worth nothing to anybody: then it costs nothing, and must
    /// not be cached, for what is cached has its price.
    pub is_free: bool,
}

/// Answers from the cache or does the work, and settles: a cached answer is
/// charged at once; work is paid from a hold taken before it begins, which is
/// released when it fails.
pub(super) async fn paid_answer<W>(services: &Services, request: PaidRequest<'_>, work: W) -> Result<Answer, FlowError>
where
    W: AsyncFn() -> Result<Finished, WorkError>,
{
    let started = Instant::now();
    if request.read_cache
        && let Some(hit) = services.cache.ask(LookUp { key: request.key.clone() }).await?
    {
        let charged = charge(services, &request).await?;
        return Ok(Answer { body: hit.body, cached: true, charged, took: started.elapsed() });
    }
    let hold = hold(services, &request).await?;
    match do_once(services, &request, work).await {
        Ok(Finished { body, is_free, .. }) => {
            let charged =
                if is_free { waive(services, hold).await? } else { capture(services, &request, hold).await? };
            Ok(Answer { body, cached: false, charged, took: started.elapsed() })
        }
        Err(failure) => {
            release(services, hold).await;
            Err(failure.into())
        }
    }
}

/// Joins the same work of somebody else, or does it and keeps the answer.
async fn do_once<W>(services: &Services, request: &PaidRequest<'_>, work: W) -> Result<Finished, WorkError>
where
    W: AsyncFn() -> Result<Finished, WorkError>,
{
    if !request.read_cache {
        // Who asks past the cache asks for work that begins now.
        return keep(services, request, work().await).await;
    }
    let deadline = Instant::now() + request.timeout;
    loop {
        match services.flights.join(&request.key) {
            Role::Follow(flight) => match timeout_at(deadline, flight.outcome()).await {
                Ok(Some(outcome)) => return outcome,
                // The leader vanished: somebody else leads now.
                Ok(None) => {}
                Err(_) => return Err(WorkError::Late),
            },
            Role::Lead(lead) => {
                // Between the miss and here another leader may have finished.
                if let Some(hit) = services.cache.ask(LookUp { key: request.key.clone() }).await? {
                    let finished = Finished { body: hit.body, cacheable: false, is_free: false };
                    lead.finish(Ok(finished.clone()));
                    return Ok(finished);
                }
                let outcome = keep(services, request, work().await).await;
                lead.finish(outcome.clone());
                return outcome;
            }
        }
    }
}

async fn keep(
    services: &Services,
    request: &PaidRequest<'_>,
    finished: Result<Finished, WorkError>,
) -> Result<Finished, WorkError> {
    let finished = finished?;
    if finished.cacheable && !finished.is_free {
        let body = finished.body.clone();
        services.cache.ask(StoreAnswer { key: request.key.clone(), body, ttl: request.ttl }).await?;
    }
    Ok(finished)
}

async fn charge(services: &Services, request: &PaidRequest<'_>) -> Result<Charged, FlowError> {
    let Caller::Keyed(principal) = request.caller else { return Ok(Charged::nothing_counted()) };
    let order = ChargeCredits {
        user: principal.user_id,
        amount: request.price,
        purpose: request.endpoint,
        reference: Uuid::now_v7(),
    };
    Ok(Charged::new(request.price, services.ledger.ask(order).await??))
}

async fn hold(services: &Services, request: &PaidRequest<'_>) -> Result<Option<Uuid>, FlowError> {
    let Caller::Keyed(principal) = request.caller else { return Ok(None) };
    let order = HoldCredits {
        user: principal.user_id,
        amount: request.price,
        purpose: request.endpoint,
        // Never the request id: a client may choose that one, and a reference
        // used twice is paid once.
        reference: Uuid::now_v7(),
        ttl: request.timeout + HOLD_GRACE,
    };
    Ok(Some(services.ledger.ask(order).await??.id))
}

async fn capture(services: &Services, request: &PaidRequest<'_>, hold: Option<Uuid>) -> Result<Charged, FlowError> {
    let Some(hold) = hold else { return Ok(Charged::nothing_counted()) };
    Ok(Charged::new(request.price, services.ledger.ask(CaptureHold { hold, amount: request.price }).await??))
}

/// Gives a hold back for an answer that costs nothing.
async fn waive(services: &Services, hold: Option<Uuid>) -> Result<Charged, FlowError> {
    let Some(hold) = hold else { return Ok(Charged::nothing_counted()) };
    Ok(Charged::new(0, services.ledger.ask(VoidHold { hold }).await??))
}

/// Gives a hold back. If that fails, its time runs out and the sweeper does it.
async fn release(services: &Services, hold: Option<Uuid>) {
    let Some(hold) = hold else { return };
    match services.ledger.ask(VoidHold { hold }).await {
        Ok(Ok(_)) => {}
        Ok(Err(error)) => tracing::warn!(hold.id = %hold, %error, "a hold was not released, it will expire"),
        Err(error) => tracing::warn!(hold.id = %hold, %error, "a hold was not released, it will expire"),
    }
}

impl Charged {
    fn new(used: i64, balance: Balance) -> Self {
        Self { used, remaining: Some(balance.available()) }
    }

    fn nothing_counted() -> Self {
        Self { used: 0, remaining: None }
    }
}
