//! What operators and orchestrators ask. No key is needed.

use std::sync::atomic::Ordering;

use actix_web::HttpResponse;
use actix_web::http::header::ContentType;
use actix_web::web::Data;
use actors::flows::readiness;
use serde_json::{Map, Value, json};

use crate::error::{ApiError, ApiResult};
use crate::state::AppState;

/// Says that the process lives; 503 once it is shutting down, so that no new
/// requests are sent here.
#[utoipa::path(get, path = "/healthz", tag = "operations", responses((status = 200), (status = 503)))]
pub async fn healthz(state: Data<AppState>) -> ApiResult<HttpResponse> {
    if state.draining.load(Ordering::Relaxed) {
        return Err(ApiError::unavailable("the service is shutting down"));
    }
    Ok(HttpResponse::Ok().json(json!({ "status": "ok" })))
}

/// Checks the database, the cache and the browser; 503 names what does not work.
#[utoipa::path(get, path = "/readyz", tag = "operations", responses((status = 200), (status = 503)))]
pub async fn readyz(state: Data<AppState>) -> HttpResponse {
    let checks = readiness(&state.services).await;
    let ready = checks.iter().all(|check| check.problem.is_none());
    let shown: Map<String, Value> = checks
        .into_iter()
        .map(|check| (check.name.to_owned(), check.problem.map_or_else(|| json!("ok"), |problem| json!(problem))))
        .collect();
    let status = if ready { "ready" } else { "not ready" };
    let mut response = if ready { HttpResponse::Ok() } else { HttpResponse::ServiceUnavailable() };
    response.json(json!({ "status": status, "checks": shown }))
}

/// Metrics in Prometheus' text format.
#[utoipa::path(get, path = "/metrics", tag = "operations", responses((status = 200, content_type = "text/plain")))]
pub async fn metrics(state: Data<AppState>) -> HttpResponse {
    HttpResponse::Ok().content_type(ContentType::plaintext()).body(state.metrics.render())
}
