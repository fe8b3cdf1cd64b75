use actix_web::web::Data;
use actors::flows::{ScrapeTemplate, TemplateFormat, TemplateRecord, scrape_template};
use serde_json::json;
use utoipa::IntoParams;

use super::content_params::ContentParams;
use super::page_params::PageParams;
use crate::auth::Authorized;
use crate::envelope::{Success, SuccessBody};
use crate::error::{ApiError, ApiResult, ErrorBody};
use crate::params::{FromParams, Params};
use crate::routes::to_the_end;
use crate::state::AppState;

/// The form of the content.
#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct FormatParams {
    #[param(value_type = Option<TemplateFormat>, default = "markdown")]
    pub format: TemplateFormat,
}

/// All parameters of this endpoint.
pub struct TemplateParams {
    page: PageParams,
    content: ContentParams,
    form: FormatParams,
}

impl FromParams for TemplateParams {
    fn from_params(params: &Params) -> ApiResult<Self> {
        let format = match params.text("format") {
            None | Some("markdown") => TemplateFormat::Markdown,
            Some("html") => TemplateFormat::Html,
            Some("text") => TemplateFormat::Text,
            Some(_) => {
                return Err(ApiError::not_allowed("format", "is not a format", json!(["markdown", "html", "text"])));
            }
        };
        let (page, content) = (PageParams::from_params(params)?, ContentParams::from_params(params)?);
        Ok(Self { page, content, form: FormatParams { format } })
    }
}

/// Scrapes one page to Markdown, clean HTML or text. 1 credit.
///
/// Text that is not HTML comes back as it is, in any format.
#[utoipa::path(
    get,
    path = "/v1/web/scrape/template",
    tag = "web",
    params(PageParams, FormatParams, ContentParams),
    responses(
        (status = 200, body = SuccessBody<TemplateRecord>),
        (status = 400, body = ErrorBody, description = "A parameter is wrong, or the address is private"),
        (status = 401, body = ErrorBody), (status = 402, body = ErrorBody), (status = 429, body = ErrorBody),
        (status = 502, body = ErrorBody, description = "The page could not be read; `details.reason` says why"),
        (status = 503, body = ErrorBody, description = "No browser is available"),
    ),
    security(("api_key" = [])),
)]
pub async fn scrape(request: Authorized<TemplateParams>, state: Data<AppState>) -> ApiResult<Success> {
    let Authorized { caller, params: TemplateParams { page, content, form } } = request;
    let (read_cache, options) = (page.cache, content.options());
    let order = ScrapeTemplate { page: page.order(), format: form.format, options, read_cache };
    let services = state.services.clone();
    let answer = to_the_end(async move { scrape_template(&services, &caller, order).await }).await?;
    Ok(Success(answer))
}
