use bytes::Bytes;
use extract::{Document, Image};
use serde::Serialize;
use url::Url;

use super::paid::{Answer, Finished, PaidRequest, paid_answer};
use super::{Caller, FlowError, WorkError};
use crate::browser_pool::RenderError;
use crate::cache::CacheKey;
use crate::page_loader::{LoadedPage, PageOrder, load_page};
use crate::system::Services;

/// Order: the images of a page.
#[derive(Debug, Clone)]
pub struct ScrapeImages {
    pub page: PageOrder,
    pub read_cache: bool,
}

/// The images of a page.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct ImagesRecord {
    /// The URL that was asked for.
    pub url: Url,
    /// In the page's order, each URL once.
    #[schema(value_type = Vec<ImageSchema>)]
    pub images: Vec<Image>,
    pub count: usize,
}

/// An image of a page.
#[derive(utoipa::ToSchema)]
#[schema(as = Image)]
#[expect(dead_code, reason = "describes the JSON of another crate's type")]
pub struct ImageSchema {
    /// Absolute.
    url: String,
    /// Empty where there is none.
    alt: String,
    /// CSS pixels, as declared, or as laid out by the browser.
    width: Option<u32>,
    height: Option<u32>,
    /// `logo`, `hero`, `product`, `icon` or `decorative`.
    role: String,
}

/// Scrapes the images of a page as it is after its scripts have run, for 1
/// credit. Without a browser the page is fetched plainly.
///
/// # Errors
/// [`FlowError`]; nothing is charged then.
pub async fn scrape_images(services: &Services, caller: &Caller, order: ScrapeImages) -> Result<Answer, FlowError> {
    let endpoint = "web.scrape.images";
    let javascript = if order.page.javascript { "true" } else { "false" };
    let params = [("url", order.page.url.as_str()), ("javascript", javascript)];
    let request = PaidRequest {
        caller,
        endpoint,
        price: 1,
        key: CacheKey::new(endpoint, &params),
        read_cache: order.read_cache,
        ttl: services.ttls.html,
        timeout: order.page.timeout,
    };
    paid_answer(services, request, async || {
        let page = load(services, &order.page).await?;
        let url = order.page.url.clone();
        services.loader.cpu.run(move || finish(url, page)).await?
    })
    .await
}

/// Loads the page; in the browser if there is one.
async fn load(services: &Services, order: &PageOrder) -> Result<LoadedPage, WorkError> {
    let order = PageOrder { measure: order.javascript, ..order.clone() };
    match load_page(&services.loader, &order).await {
        Err(WorkError::Render(RenderError::Unavailable(_) | RenderError::Crashed)) => {
            load_page(&services.loader, &PageOrder { javascript: false, measure: false, ..order }).await
        }
        loaded => loaded,
    }
}

fn finish(url: Url, page: LoadedPage) -> Result<Finished, WorkError> {
    let images = if page.is_html { Document::parse(&page.text, Some(&page.final_url)).images() } else { Vec::new() };
    let record = ImagesRecord { url, count: images.len(), images };
    let json = serde_json::to_vec(&record).map_err(|error| WorkError::Internal(error.to_string()))?;
    Ok(Finished { body: Bytes::from(json), cacheable: (200..300).contains(&page.status), is_free: false })
}
