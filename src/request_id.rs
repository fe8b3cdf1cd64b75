//! Every request has an id: a client's own valid UUID, or a new one (v7). It is
//! in the answer's `X-Request-Id`, in every error body and in every log line of
//! the request.

use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{HeaderName, HeaderValue};
use actix_web::middleware::Next;
use tracing::Instrument;
use uuid::Uuid;

/// The header's name, both ways.
pub const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

tokio::task_local! {
    static CURRENT: Uuid;
}

/// Returns the id of the request under way; nil outside of one.
pub fn current() -> Uuid {
    CURRENT.try_with(|id| *id).unwrap_or(Uuid::nil())
}

/// Middleware: gives the request its id, logs its end and writes the header.
///
/// The log line has the path without its query string, which may carry what is
/// nobody's business.
///
/// # Errors
/// Those of the inner service.
pub async fn identify<B: MessageBody>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<B>, actix_web::Error> {
    let sent = request.headers().get(X_REQUEST_ID).and_then(|id| id.to_str().ok());
    let id = sent.and_then(|id| Uuid::try_parse(id).ok()).unwrap_or_else(Uuid::now_v7);
    let span = tracing::info_span!("request", request.id = %id, method = %request.method(), path = request.path());
    CURRENT.scope(id, answer(id, request, next).instrument(span)).await
}

async fn answer<B: MessageBody>(
    id: Uuid,
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<B>, actix_web::Error> {
    let started = std::time::Instant::now();
    let mut response = next.call(request).await?;
    if let Ok(value) = HeaderValue::from_str(&id.to_string()) {
        response.headers_mut().insert(X_REQUEST_ID, value);
    }
    let (status, elapsed) = (response.status().as_u16(), started.elapsed());
    let route = response.request().match_pattern().unwrap_or_else(|| "unmatched".into());
    metrics::histogram!("blazon_http_request_duration_seconds", "route" => route, "status" => status.to_string())
        .record(elapsed);
    tracing::info!(status, duration_ms = elapsed.as_millis() as u64, "answered");
    Ok(response)
}

/// Runs `work` as a part of the request `id`, in whatever task.
pub async fn within<F: Future>(id: Uuid, work: F) -> F::Output {
    CURRENT.scope(id, work).in_current_span().await
}
