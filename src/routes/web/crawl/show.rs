use actix_web::web::{Data, Path};
use actors::crawl_job::{CrawlRecord, PageRange};
use actors::flows::crawl;
use utoipa::IntoParams;

use super::{job_id, no_such_crawl};
use crate::auth::Authorized;
use crate::envelope::{SuccessBody, SuccessData};
use crate::error::{ApiError, ApiResult, ErrorBody};
use crate::params::{FromParams, Params};
use crate::state::AppState;

/// Which of the pages come.
#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PagesParams {
    /// Pages in the answer; without it all come.
    #[param(value_type = Option<u64>, minimum = 1, maximum = 10000)]
    limit: Option<u64>,
    /// `next_cursor` of the answer before.
    #[param(value_type = Option<String>)]
    cursor: Option<i64>,
}

impl FromParams for PagesParams {
    fn from_params(params: &Params) -> ApiResult<Self> {
        let limit = params.text("limit").map(|_| params.integer("limit", 1, 1..=10_000)).transpose()?;
        let cursor = params.text("cursor").map(|text| text.parse::<i64>().ok().filter(|seq| *seq >= 0));
        match cursor {
            Some(None) => Err(ApiError::invalid("cursor", "is not a next_cursor of this crawl")),
            cursor => Ok(Self { limit, cursor: cursor.flatten() }),
        }
    }
}

/// Shows a crawl with the pages fetched so far. Free.
#[utoipa::path(
    get,
    path = "/v1/web/crawl/{jobId}",
    tag = "web",
    params(("jobId" = Uuid, Path), PagesParams),
    responses(
        (status = 200, body = SuccessBody<CrawlRecord>),
        (status = 401, body = ErrorBody), (status = 404, body = ErrorBody), (status = 429, body = ErrorBody),
    ),
    security(("api_key" = [])),
)]
pub async fn show(
    request: Authorized<PagesParams>,
    path: Path<String>,
    state: Data<AppState>,
) -> ApiResult<SuccessData<CrawlRecord>> {
    let id = job_id(&path)?;
    let Authorized { caller, params } = request;
    let limit = params.limit.and_then(|limit| i64::try_from(limit).ok()).unwrap_or(i64::MAX - 1);
    let range = PageRange { after: params.cursor.unwrap_or(-1), limit };
    let record = crawl(&state.services, &caller, id, Some(range)).await?.ok_or_else(no_such_crawl)?;
    Ok(SuccessData(record))
}
