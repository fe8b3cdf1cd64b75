use actix_web::web::{Data, Path};
use actors::crawl_job::CrawlSummary;
use actors::flows::{cancel_crawl, crawl};

use super::{job_id, no_such_crawl};
use crate::auth::Authorized;
use crate::envelope::{SuccessBody, SuccessData};
use crate::error::{ApiResult, ErrorBody};
use crate::state::AppState;

/// Ends a crawl. The pages fetched so far stay, and are charged; a crawl that
/// runs ends within about a second, as `failed` with the reason `cancelled`. A
/// crawl that has ended stays as it is. Free.
#[utoipa::path(
    delete,
    path = "/v1/web/crawl/{jobId}",
    tag = "web",
    params(("jobId" = Uuid, Path)),
    responses(
        (status = 200, body = SuccessBody<CrawlSummary>),
        (status = 401, body = ErrorBody), (status = 404, body = ErrorBody), (status = 429, body = ErrorBody),
    ),
    security(("api_key" = [])),
)]
pub async fn cancel(
    request: Authorized<()>,
    path: Path<String>,
    state: Data<AppState>,
) -> ApiResult<SuccessData<CrawlSummary>> {
    let id = job_id(&path)?;
    cancel_crawl(&state.services, &request.caller, id).await?;
    let record = crawl(&state.services, &request.caller, id, None).await?.ok_or_else(no_such_crawl)?;
    Ok(SuccessData(record.summary))
}
