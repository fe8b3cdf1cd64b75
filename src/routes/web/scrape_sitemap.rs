use actix_web::web::Data;
use actors::egress::EgressError;
use actors::flows::{FlowError, ScrapeSitemap, SitemapRecord, WorkError, scrape_sitemap};
use utoipa::IntoParams;

use crate::auth::Authorized;
use crate::envelope::{DataAndMeta, Described};
use crate::error::{ApiError, ApiResult, ErrorBody};
use crate::params::{FromParams, Params};
use crate::routes::to_the_end;
use crate::state::AppState;

/// Whose sitemap is wanted.
#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct SitemapParams {
    /// The site: a host name such as `example.com`, in Unicode or punycode. Of a
    /// URL the host name alone counts.
    pub domain: String,
    /// `false`: do not read the cache; the fresh result is still kept.
    #[param(value_type = Option<bool>, default = true)]
    pub cache: bool,
}

impl FromParams for SitemapParams {
    fn from_params(params: &Params) -> ApiResult<Self> {
        Ok(Self { domain: params.domain("domain")?, cache: params.boolean("cache", true)? })
    }
}

/// Lists the URLs of a site's sitemap. 1 credit; none when no URL is found.
///
/// Looks for it where `/robots.txt` says, then at `/sitemap.xml`,
/// `/sitemap_index.xml` and `/sitemap-index.xml`, over HTTPS or, where the site
/// does not speak it, HTTP. Reads XML, plain text, RSS and Atom, gzipped or not,
/// and what indexes list: at most 50 files, three indexes within each other, for
/// 20 seconds. A site that cannot be reached has no sitemap.
#[utoipa::path(
    get,
    path = "/v1/web/scrape/sitemap",
    tag = "web",
    params(SitemapParams),
    responses(
        (status = 200, body = DataAndMeta<SitemapRecord>),
        (status = 400, body = ErrorBody, description = "A parameter is wrong, or the address is private"),
        (status = 401, body = ErrorBody), (status = 402, body = ErrorBody), (status = 429, body = ErrorBody),
    ),
    security(("api_key" = [])),
)]
pub async fn scrape(request: Authorized<SitemapParams>, state: Data<AppState>) -> ApiResult<Described> {
    let Authorized { caller, params: SitemapParams { domain, cache } } = request;
    let services = state.services.clone();
    let order = ScrapeSitemap { domain, read_cache: cache };
    let answer = to_the_end(async move { scrape_sitemap(&services, &caller, order).await.map_err(explained) }).await?;
    Ok(Described(answer))
}

/// An address that may not be reached is the parameter's fault.
fn explained(error: FlowError) -> ApiError {
    match error {
        FlowError::Work(WorkError::Egress(error @ EgressError::PrivateAddress(_))) => {
            ApiError::refused_address("domain", &error)
        }
        error => error.into(),
    }
}
