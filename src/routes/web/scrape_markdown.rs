use actix_web::web::Data;
use actors::flows::{MarkdownRecord, ScrapeMarkdown, scrape_markdown};

use super::content_params::ContentParams;
use super::page_params::PageParams;
use crate::auth::Authorized;
use crate::envelope::{Success, SuccessBody};
use crate::error::{ApiResult, ErrorBody};
use crate::params::{FromParams, Params};
use crate::routes::to_the_end;
use crate::state::AppState;

/// All parameters of this endpoint.
pub struct MarkdownParams {
    page: PageParams,
    content: ContentParams,
}

impl FromParams for MarkdownParams {
    fn from_params(params: &Params) -> ApiResult<Self> {
        Ok(Self { page: PageParams::from_params(params)?, content: ContentParams::from_params(params)? })
    }
}

/// Scrapes one page to Markdown. 2 credits.
///
/// The Markdown is CommonMark with GFM tables and strikethrough; link and image
/// URLs are absolute. Text that is not HTML comes back as it is.
#[utoipa::path(
    get,
    path = "/v1/web/scrape/markdown",
    tag = "web",
    params(PageParams, ContentParams),
    responses(
        (status = 200, body = SuccessBody<MarkdownRecord>),
        (status = 400, body = ErrorBody, description = "A parameter is wrong, or the address is private"),
        (status = 401, body = ErrorBody), (status = 402, body = ErrorBody), (status = 429, body = ErrorBody),
        (status = 502, body = ErrorBody, description = "The page could not be read; `details.reason` says why"),
        (status = 503, body = ErrorBody, description = "No browser is available"),
    ),
    security(("api_key" = [])),
)]
pub async fn scrape(request: Authorized<MarkdownParams>, state: Data<AppState>) -> ApiResult<Success> {
    let Authorized { caller, params: MarkdownParams { page, content } } = request;
    let order = ScrapeMarkdown { read_cache: page.cache, page: page.order(), options: content.options() };
    let services = state.services.clone();
    let answer = to_the_end(async move { scrape_markdown(&services, &caller, order).await }).await?;
    Ok(Success(answer))
}
