use actix_web::web::Data;
use actors::flows::{HtmlRecord, ScrapeHtml, scrape_html};

use super::page_params::PageParams;
use crate::auth::Authorized;
use crate::envelope::{Success, SuccessBody};
use crate::error::{ApiResult, ErrorBody};
use crate::routes::to_the_end;
use crate::state::AppState;

/// Scrapes one page to HTML. 1 credit.
///
/// Answers 200 whenever a page came back, whatever its own status, which is in
/// `data.status_code`. Text that is not HTML (plain text, Markdown, JSON, XML)
/// comes back as it is.
#[utoipa::path(
    get,
    path = "/v1/web/scrape/html",
    tag = "web",
    params(PageParams),
    responses(
        (status = 200, body = SuccessBody<HtmlRecord>),
        (status = 400, body = ErrorBody, description = "A parameter is wrong, or the address is private"),
        (status = 401, body = ErrorBody), (status = 402, body = ErrorBody), (status = 429, body = ErrorBody),
        (status = 502, body = ErrorBody, description = "The page could not be read; `details.reason` says why"),
        (status = 503, body = ErrorBody, description = "No browser is available"),
    ),
    security(("api_key" = [])),
)]
pub async fn scrape(request: Authorized<PageParams>, state: Data<AppState>) -> ApiResult<Success> {
    let Authorized { caller, params } = request;
    let order = ScrapeHtml { read_cache: params.cache, page: params.order() };
    let services = state.services.clone();
    let answer = to_the_end(async move { scrape_html(&services, &caller, order).await }).await?;
    Ok(Success(answer))
}
