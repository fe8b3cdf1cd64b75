use actix_web::web::Data;
use actix_web::{HttpMessage, HttpRequest, HttpResponse};
use actors::crawl_job::{CrawlOptions, MAX_DEPTH, MAX_PAGES, url_regex};
use actors::flows::{Charged, CrawlOrder, balance, start_crawl};
use serde::Serialize;
use url::Url;
use uuid::Uuid;

use crate::body::{AuthorizedBody, Fields, FromBody};
use crate::error::{ApiError, ApiResult, ErrorBody};
use crate::request_id;
use crate::routes::to_the_end;
use crate::state::AppState;

const MAX_PATTERN_CHARS: usize = 1_000;
const MAX_KEY_CHARS: usize = 255;

/// A crawl to be started.
#[derive(utoipa::ToSchema)]
#[schema(rename_all = "camelCase")]
pub struct CrawlBody {
    /// Where to begin: an absolute `http` or `https` URL. Links are followed
    /// within its host, as it is after redirects; `www.` makes no difference.
    url: Url,
    #[schema(default = 100, minimum = 1, maximum = 10000)]
    max_pages: u32,
    /// Links from the seed.
    #[schema(default = 3, minimum = 0, maximum = 10)]
    max_depth: u32,
    /// Selects the URLs crawled: a regular expression (RE2 syntax) found
    /// anywhere in the full URL of a link. The seed is always crawled.
    #[schema(max_length = 1000)]
    url_regex: Option<String>,
    /// Whether pages list their outgoing links.
    #[schema(default = false)]
    include_links: bool,
    /// Whether pages list their images.
    #[schema(default = false)]
    include_images: bool,
    /// Whether the URLs of the site's sitemap count as links of the seed.
    #[schema(default = false)]
    use_sitemap: bool,
    /// Receives a signed POST with the whole result at the end.
    webhook_url: Option<Url>,
}

impl FromBody for CrawlBody {
    const FIELDS: &'static [&'static str] =
        &["url", "maxPages", "maxDepth", "urlRegex", "includeLinks", "includeImages", "useSitemap", "webhookUrl"];

    fn from_body(fields: &Fields) -> ApiResult<Self> {
        let pattern = fields.text("urlRegex", MAX_PATTERN_CHARS)?.filter(|pattern| !pattern.is_empty());
        if let Some(Err(reason)) = pattern.map(url_regex) {
            return Err(ApiError::invalid("urlRegex", reason));
        }
        Ok(Self {
            url: fields.url("url")?.ok_or_else(|| ApiError::invalid("url", "is required"))?,
            max_pages: fields.integer("maxPages", 100, 1..=MAX_PAGES)?,
            max_depth: fields.integer("maxDepth", 3, 0..=MAX_DEPTH)?,
            url_regex: pattern.map(str::to_owned),
            include_links: fields.boolean("includeLinks", false)?,
            include_images: fields.boolean("includeImages", false)?,
            use_sitemap: fields.boolean("useSitemap", false)?,
            webhook_url: fields.url("webhookUrl")?,
        })
    }
}

/// An accepted crawl.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AcceptedBody {
    /// Always `true`.
    success: bool,
    job_id: Uuid,
    /// Always `queued`.
    status: &'static str,
    url: Url,
    max_pages: u32,
    #[serde(rename = "credits_used")]
    credits_used: i64,
    #[serde(rename = "request_id")]
    request_id: Uuid,
}

/// Starts a crawl. 1 credit per page: 1 now, the others as pages come. A crawl
/// that fetches no page costs none.
///
/// With the header `Idempotency-Key` a repetition within 24 hours answers with
/// the crawl that was started first, and charges nothing.
#[utoipa::path(
    post,
    path = "/v1/web/crawl",
    tag = "web",
    request_body = CrawlBody,
    params(("Idempotency-Key" = Option<String>, Header, description = "At most 255 characters of the client's own")),
    responses(
        (status = 202, body = AcceptedBody),
        (status = 400, body = ErrorBody, description = "A field is wrong, an address is private, or the idempotency key was used for another crawl"),
        (status = 401, body = ErrorBody), (status = 402, body = ErrorBody),
        (status = 429, body = ErrorBody, description = "A rate limit is reached, or 100 crawls are waiting"),
    ),
    security(("api_key" = [])),
)]
pub async fn start(
    asked: AuthorizedBody<CrawlBody>,
    request: HttpRequest,
    state: Data<AppState>,
) -> ApiResult<HttpResponse> {
    let AuthorizedBody { caller, body } = asked;
    let (url, max_pages) = (body.url.clone(), body.max_pages);
    let order = body.order(idempotency_key(&request)?);
    let services = state.services.clone();
    let user = caller.clone();
    let started = to_the_end(async move { start_crawl(&services, &user, order).await }).await?;
    let remaining =
        balance(&state.services, &caller).await.ok().flatten().map(actors::credit_ledger::Balance::available);
    request.extensions_mut().insert(Charged { used: started.charged, remaining });
    Ok(HttpResponse::Accepted().json(AcceptedBody {
        success: true,
        job_id: started.id,
        status: "queued",
        url,
        max_pages,
        credits_used: started.charged,
        request_id: request_id::current(),
    }))
}

impl CrawlBody {
    fn order(self, idempotency_key: Option<String>) -> CrawlOrder {
        let options = CrawlOptions {
            url: self.url,
            max_pages: self.max_pages,
            max_depth: self.max_depth,
            url_regex: self.url_regex,
            include_links: self.include_links,
            include_images: self.include_images,
            use_sitemap: self.use_sitemap,
        };
        CrawlOrder { options, webhook_url: self.webhook_url, idempotency_key }
    }
}

fn idempotency_key(request: &HttpRequest) -> ApiResult<Option<String>> {
    let Some(value) = request.headers().get("idempotency-key") else { return Ok(None) };
    match value.to_str().map(str::trim) {
        Ok(key) if !key.is_empty() && key.len() <= MAX_KEY_CHARS => Ok(Some(key.to_owned())),
        _ => Err(ApiError::invalid("Idempotency-Key", "must be 1 to 255 visible ASCII characters")),
    }
}
