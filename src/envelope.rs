//! The two shapes of a successful answer, and the headers that go with every
//! authenticated one.

use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{ContentType, HeaderMap, HeaderName, HeaderValue};
use actix_web::middleware::Next;
use actix_web::web::Data;
use actix_web::{HttpMessage, HttpRequest, HttpResponse, Responder};
use actors::flows::{Answer, Caller, Charged, balance};
use actors::rate_limiter::{RateDecision, WindowState};
use serde::Serialize;
use uuid::Uuid;

use crate::auth::Admitted;
use crate::request_id;
use crate::state::AppState;

const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
const X_RATE_LIMIT_LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
const X_RATE_LIMIT_REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");
const X_RATE_LIMIT_RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");
const X_CREDITS_USED: HeaderName = HeaderName::from_static("x-credits-used");
const X_CREDITS_REMAINING: HeaderName = HeaderName::from_static("x-credits-remaining");
const X_CACHE: HeaderName = HeaderName::from_static("x-cache");

/// Envelope A: `{data, _meta}`.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct DataAndMeta<T> {
    pub data: T,
    #[serde(rename = "_meta")]
    pub meta: Meta,
}

/// What is said about an answer beside it. Empty where an endpoint lists
/// nothing.
#[derive(Debug, Default, Serialize, utoipa::ToSchema)]
pub struct Meta {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache: Option<CacheMeta>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timing: Option<TimingMeta>,
}

/// Where an answer comes from.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct CacheMeta {
    /// Whether it was there already.
    pub hit: bool,
}

/// What an answer took.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct TimingMeta {
    /// Milliseconds on the server, from the order to the answer.
    pub total_ms: u64,
}

impl<T: Serialize> Responder for DataAndMeta<T> {
    type Body = actix_web::body::BoxBody;

    fn respond_to(self, _: &HttpRequest) -> HttpResponse {
        HttpResponse::Ok().json(self)
    }
}

/// Envelope A around a finished answer: `{data, _meta}` with `_meta.cache.hit`
/// and `_meta.timing.total_ms`. The data is JSON already, so the envelope is
/// written around it and nothing is parsed again.
pub struct Described(pub Answer);

impl Responder for Described {
    type Body = actix_web::body::BoxBody;

    fn respond_to(self, request: &HttpRequest) -> HttpResponse {
        let Self(Answer { body, cached, charged, took }) = self;
        request.extensions_mut().insert(charged);
        let total_ms = took.as_millis() as u64;
        let tail = format!(r#","_meta":{{"cache":{{"hit":{cached}}},"timing":{{"total_ms":{total_ms}}}}}}}"#);
        around(br#"{"data":"#, &body, &tail, cached)
    }
}

/// Envelope B as the document describes it; the server writes it around data
/// that is JSON already.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct SuccessBody<T> {
    /// Always `true`.
    pub success: bool,
    pub data: T,
    pub credits_used: i64,
    pub request_id: Uuid,
}

/// Envelope B around a finished answer: `{success, data, credits_used,
/// request_id}`. The data is JSON already, so the envelope is written around it
/// and nothing is parsed again.
pub struct Success(pub Answer);

impl Responder for Success {
    type Body = actix_web::body::BoxBody;

    fn respond_to(self, request: &HttpRequest) -> HttpResponse {
        let Self(Answer { body, cached, charged, .. }) = self;
        request.extensions_mut().insert(charged);
        let tail = format!(r#","credits_used":{},"request_id":"{}"}}"#, charged.used, request_id::current());
        around(br#"{"success":true,"data":"#, &body, &tail, cached)
    }
}

/// An answer of JSON between the two ends of its envelope.
fn around(head: &[u8], body: &[u8], tail: &str, cached: bool) -> HttpResponse {
    let json = [head, body, tail.as_bytes()].concat();
    let cache = if cached { "hit" } else { "miss" };
    HttpResponse::Ok().content_type(ContentType::json()).insert_header((X_CACHE, cache)).body(json)
}

/// Envelope B around data that costs nothing: `{success, data, request_id}`.
pub struct SuccessData<T>(pub T);

impl<T: Serialize> Responder for SuccessData<T> {
    type Body = actix_web::body::BoxBody;

    fn respond_to(self, _: &HttpRequest) -> HttpResponse {
        let body = SuccessBody { success: true, data: self.0, credits_used: 0, request_id: request_id::current() };
        HttpResponse::Ok().json(body)
    }
}

/// Middleware: writes the rate-limit and credit headers onto every answer to an
/// authenticated request, errors included.
///
/// # Errors
/// Those of the inner service.
pub async fn account_headers<B: MessageBody>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<B>, actix_web::Error> {
    let mut response = next.call(request).await?;
    let (admitted, caller, charged) = noted(response.request());
    if let Some(Admitted(decision)) = admitted {
        rate_headers(response.headers_mut(), &decision);
    }
    if let Some(caller) = caller {
        let charged = match charged {
            Some(charged) => Some(charged),
            None => nothing_used(response.request(), &caller).await,
        };
        if let Some(charged) = charged {
            credit_headers(response.headers_mut(), charged);
        }
    }
    Ok(response)
}

/// What the extractor and the handler left in the request.
fn noted(request: &HttpRequest) -> (Option<Admitted>, Option<Caller>, Option<Charged>) {
    let extensions = request.extensions();
    (extensions.get().copied(), extensions.get().cloned(), extensions.get().copied())
}

/// What an answer that charged nothing says of credits; nothing when the ledger
/// cannot be asked, for the answer itself is fine.
async fn nothing_used(request: &HttpRequest, caller: &Caller) -> Option<Charged> {
    let state = request.app_data::<Data<AppState>>()?;
    let balance = balance(&state.services, caller).await.ok()??;
    Some(Charged { used: 0, remaining: Some(balance.available()) })
}

fn credit_headers(headers: &mut HeaderMap, charged: Charged) {
    headers.insert(X_CREDITS_USED, HeaderValue::from(charged.used));
    if let Some(remaining) = charged.remaining {
        headers.insert(X_CREDITS_REMAINING, HeaderValue::from(remaining));
    }
}

/// `RateLimit-Policy` and `RateLimit` in the syntax of
/// draft-ietf-httpapi-ratelimit-headers-10, and the older `X-RateLimit-*` for
/// the window that is nearer its end.
fn rate_headers(headers: &mut HeaderMap, decision: &RateDecision) {
    let RateDecision { minute, day, .. } = decision;
    let policy = format!(r#""minute";q={};w=60, "day";q={};w=86400"#, minute.limit, day.limit);
    let state =
        format!(r#""minute";r={};t={}, "day";r={};t={}"#, minute.remaining, minute.reset_s, day.remaining, day.reset_s);
    for (name, value) in [(RATE_LIMIT_POLICY, policy), (RATE_LIMIT, state)] {
        if let Ok(value) = HeaderValue::from_str(&value) {
            headers.insert(name, value);
        }
    }
    let WindowState { limit, remaining, reset_s } = if day.remaining < minute.remaining { day } else { minute };
    headers.insert(X_RATE_LIMIT_LIMIT, HeaderValue::from(*limit));
    headers.insert(X_RATE_LIMIT_REMAINING, HeaderValue::from(*remaining));
    headers.insert(X_RATE_LIMIT_RESET, HeaderValue::from(*reset_s));
}
