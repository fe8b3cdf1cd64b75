use actix_web::web::Data;
use actors::crawl_job::CrawlSummary;
use actors::flows::crawls;

use crate::auth::Authorized;
use crate::envelope::{SuccessBody, SuccessData};
use crate::error::{ApiResult, ErrorBody};
use crate::state::AppState;

/// Lists the account's crawls of the last 24 hours, newest first, at most 100,
/// without their pages. Free.
#[utoipa::path(
    get,
    path = "/v1/web/crawl",
    tag = "web",
    responses(
        (status = 200, body = SuccessBody<Vec<CrawlSummary>>),
        (status = 401, body = ErrorBody), (status = 429, body = ErrorBody),
    ),
    security(("api_key" = [])),
)]
pub async fn list(request: Authorized<()>, state: Data<AppState>) -> ApiResult<SuccessData<Vec<CrawlSummary>>> {
    Ok(SuccessData(crawls(&state.services, &request.caller).await?))
}
