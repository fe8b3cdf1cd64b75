use actix_web::web::Data;
use actors::flows::{ImagesRecord, ScrapeImages, scrape_images};

use super::page_params::PageParams;
use crate::auth::Authorized;
use crate::envelope::{DataAndMeta, Described};
use crate::error::{ApiResult, ErrorBody};
use crate::routes::to_the_end;
use crate::state::AppState;

/// Lists the images of a page after its scripts have run. 1 credit.
///
/// `src`, the densest or widest of `srcset`, the sources of `<picture>`, lazy
/// loading attributes and inline backgrounds; no data URIs. Sizes are those
/// declared, else those of the layout. When no browser is available the page is
/// fetched plainly.
#[utoipa::path(
    get,
    path = "/v1/web/scrape/images",
    tag = "web",
    params(PageParams),
    responses(
        (status = 200, body = DataAndMeta<ImagesRecord>),
        (status = 400, body = ErrorBody, description = "A parameter is wrong, or the address is private"),
        (status = 401, body = ErrorBody), (status = 402, body = ErrorBody), (status = 429, body = ErrorBody),
        (status = 502, body = ErrorBody, description = "The page could not be read; `details.reason` says why"),
    ),
    security(("api_key" = [])),
)]
pub async fn scrape(request: Authorized<PageParams>, state: Data<AppState>) -> ApiResult<Described> {
    let Authorized { caller, params } = request;
    let order = ScrapeImages { read_cache: params.cache, page: params.order() };
    let services = state.services.clone();
    let answer = to_the_end(async move { scrape_images(&services, &caller, order).await }).await?;
    Ok(Described(answer))
}
