use actix_web::http::header::CACHE_CONTROL;
use actix_web::web::{Bytes, Data, Path};
use actix_web::{HttpRequest, HttpResponse};
use actors::crawl_job::CrawlSummary;
use actors::flows::{crawl, watch_crawl};
use futures::StreamExt as _;

use super::{job_id, no_such_crawl};
use crate::auth::Authorized;
use crate::error::{ApiResult, ErrorBody};
use crate::state::AppState;

/// Follows a crawl as server-sent events: `progress` whenever something has
/// changed, at the end `completed` or `failed`, each with the crawl without its
/// pages. With `Last-Event-ID` it goes on behind that event. Free.
#[utoipa::path(
    get,
    path = "/v1/web/crawl/{jobId}/events",
    tag = "web",
    params(("jobId" = Uuid, Path), ("Last-Event-ID" = Option<i64>, Header)),
    responses(
        (status = 200, content_type = "text/event-stream", body = CrawlSummary),
        (status = 401, body = ErrorBody), (status = 404, body = ErrorBody), (status = 429, body = ErrorBody),
    ),
    security(("api_key" = [])),
)]
pub async fn events(
    asked: Authorized<()>,
    path: Path<String>,
    request: HttpRequest,
    state: Data<AppState>,
) -> ApiResult<HttpResponse> {
    let id = job_id(&path)?;
    crawl(&state.services, &asked.caller, id, None).await?.ok_or_else(no_such_crawl)?;
    let last = request.headers().get("last-event-id").and_then(|id| id.to_str().ok());
    let seen = last.and_then(|id| id.trim().parse().ok());
    let changes = watch_crawl(state.services.clone(), asked.caller, id, seen);
    let body = changes.map(|(number, summary)| event(number, &summary));
    Ok(HttpResponse::Ok().content_type("text/event-stream").insert_header((CACHE_CONTROL, "no-store")).streaming(body))
}

fn event(number: i64, summary: &CrawlSummary) -> Result<Bytes, serde_json::Error> {
    let name = if summary.has_ended() { &summary.status } else { "progress" };
    let data = serde_json::to_string(summary)?;
    Ok(Bytes::from(format!("event: {name}\nid: {number}\ndata: {data}\n\n")))
}
