use serde::Serialize;
use time::OffsetDateTime;
use time::serde::rfc3339;
use uuid::Uuid;

use super::{Caller, FlowError};
use crate::system::Services;
use crate::webhook_outbox::{Cursor, Delivery, GetSigningSecret, ListDeliveries, ResendDelivery};

/// What an account's webhooks are signed with.
#[derive(Serialize, utoipa::ToSchema)]
pub struct WebhookSecretRecord {
    /// `whsec_` and Base64, as the libraries of Standard Webhooks take it.
    pub secret: String,
}

/// A page of webhook deliveries, newest first.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct WebhookDeliveriesRecord {
    pub deliveries: Vec<WebhookDeliveryRecord>,
    /// To be sent as `cursor` for the next page; `null` at the end.
    #[schema(required = true)]
    pub next_cursor: Option<String>,
}

/// A webhook delivery as its owner sees it.
#[derive(Serialize, utoipa::ToSchema)]
pub struct WebhookDeliveryRecord {
    /// The event's id, sent as `webhook-id` and `event_id`.
    pub id: Uuid,
    /// `crawl.completed` or `crawl.failed`.
    #[serde(rename = "type")]
    pub event_type: String,
    /// What the event is about: the crawl's id.
    pub subject: Uuid,
    pub url: String,
    /// `pending`, `delivered` or `failed`.
    pub status: &'static str,
    /// Attempts begun since the event or the last resend.
    pub attempts: u32,
    /// The status that the last attempt was answered with.
    #[schema(required = true)]
    pub status_code: Option<u16>,
    /// Why the last attempt failed: `status` (neither 2xx nor 410), `gone`
    /// (410), `expired` (there is nothing to send any more), `interrupted`,
    /// `timeout`, `dns`, `tls`, `refused`, `too_large`, `private_address`,
    /// `bad_url`.
    #[schema(required = true)]
    pub failure: Option<String>,
    /// The beginning of the last answer's body, at most 1 KiB.
    #[schema(required = true)]
    pub response_excerpt: Option<String>,
    #[serde(with = "rfc3339")]
    #[schema(value_type = String, format = DateTime)]
    pub created_at: OffsetDateTime,
    #[serde(with = "rfc3339::option")]
    #[schema(value_type = Option<String>, format = DateTime, required = true)]
    pub attempted_at: Option<OffsetDateTime>,
    /// `null` while an attempt is under way, and when there will be none.
    #[serde(with = "rfc3339::option")]
    #[schema(value_type = Option<String>, format = DateTime, required = true)]
    pub next_attempt_at: Option<OffsetDateTime>,
    /// When it was last answered with 2xx.
    #[serde(with = "rfc3339::option")]
    #[schema(value_type = Option<String>, format = DateTime, required = true)]
    pub delivered_at: Option<OffsetDateTime>,
}

impl std::fmt::Debug for WebhookDeliveryRecord {
    /// Leaves out the address, which may hold a token, and the excerpt.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = f.debug_struct("WebhookDeliveryRecord");
        shown.field("id", &self.id).field("status", &self.status).finish_non_exhaustive()
    }
}

impl From<Delivery> for WebhookDeliveryRecord {
    fn from(delivery: Delivery) -> Self {
        Self {
            id: delivery.id,
            event_type: delivery.event_type,
            subject: delivery.subject,
            url: delivery.url,
            status: delivery.state.as_str(),
            attempts: delivery.attempts,
            status_code: delivery.status_code,
            failure: delivery.failure,
            response_excerpt: delivery.excerpt,
            created_at: delivery.created_at,
            attempted_at: delivery.attempted_at,
            next_attempt_at: delivery.next_attempt_at,
            delivered_at: delivery.delivered_at,
        }
    }
}

/// Returns what the caller's webhooks are signed with. Free of charge.
///
/// # Errors
/// When the outbox cannot answer.
pub async fn webhook_secret(services: &Services, caller: &Caller) -> Result<WebhookSecretRecord, FlowError> {
    let secret = services.webhooks.ask(GetSigningSecret { user: caller.user_id() }).await??;
    Ok(WebhookSecretRecord { secret: secret.reveal() })
}

/// Returns a page of the caller's deliveries. Free of charge.
///
/// # Errors
/// When the outbox cannot answer.
pub async fn webhook_deliveries(
    services: &Services,
    caller: &Caller,
    limit: u64,
    after: Option<Cursor>,
) -> Result<WebhookDeliveriesRecord, FlowError> {
    let page = services.webhooks.ask(ListDeliveries { user: caller.user_id(), limit, after }).await??;
    Ok(WebhookDeliveriesRecord {
        deliveries: page.deliveries.into_iter().map(WebhookDeliveryRecord::from).collect(),
        next_cursor: page.next.map(Cursor::to_text),
    })
}

/// Has one of the caller's deliveries sent now and returns it; `None` when they
/// have no such delivery. Free of charge.
///
/// # Errors
/// When the outbox cannot answer.
pub async fn resend_webhook(
    services: &Services,
    caller: &Caller,
    id: Uuid,
) -> Result<Option<WebhookDeliveryRecord>, FlowError> {
    let resent = services.webhooks.ask(ResendDelivery { user: caller.user_id(), id }).await??;
    Ok(resent.map(WebhookDeliveryRecord::from))
}
