use std::time::Duration;

use tokio::time::Instant;
use url::Url;

use super::media::{Media, classify};
use super::render::render;
use super::{PageLoader, WorkError};
use crate::browser_pool::{RenderError, RenderedPage};
use crate::proxy_escalator::FetchPage;

/// Bytes of one inflated body, as decided for every endpoint.
const MAX_BODY_BYTES: usize = 20 << 20;

/// A page to load.
#[derive(Debug, Clone)]
pub struct PageOrder {
    pub url: Url,
    /// Whether scripts run, in a browser.
    pub javascript: bool,
    /// A CSS selector to wait for; needs `javascript`.
    pub wait_for: Option<String>,
    /// Whether a rendered page's images tell where they stand; see
    /// [`crate::browser_pool::RenderPage::measure`].
    pub measure: bool,
    /// Bounds the loading.
    pub timeout: Duration,
}

/// A page as text, whatever its status.
#[derive(Debug, Clone)]
pub struct LoadedPage {
    pub final_url: Url,
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub text: String,
    /// Whether the text is an HTML document; else it is to be passed on as it is.
    pub is_html: bool,
    pub rendered: bool,
    pub load_time: Duration,
}

/// Loads a page, in the browser or by a plain fetch.
///
/// Content that is no document (plain text, JSON, …) is fetched plainly even
/// when `javascript` is on: a browser would wrap it in markup of its own.
///
/// # Errors
/// [`WorkError`]; a page with an error status is not an error.
pub async fn load_page(loader: &PageLoader, order: &PageOrder) -> Result<LoadedPage, WorkError> {
    let started = Instant::now();
    let deadline = started + order.timeout;
    let mut page = if order.javascript {
        match render(loader, order, deadline).await {
            Err(WorkError::Render(RenderError::NotHtml { .. })) => fetch(loader, &order.url, deadline).await?,
            rendered => rendered?.into(),
        }
    } else {
        fetch(loader, &order.url, deadline).await?
    };
    page.load_time = started.elapsed();
    Ok(page)
}

async fn fetch(loader: &PageLoader, url: &Url, deadline: Instant) -> Result<LoadedPage, WorkError> {
    let request = FetchPage { url: url.clone(), deadline, max_bytes: MAX_BODY_BYTES };
    let page = loader.escalator.ask_until(deadline + loader.reply_grace, request).await??;
    let content_type = page.headers.iter().find(|(name, _)| name == "content-type").map(|(_, value)| value.clone());
    let media = classify(content_type.as_deref(), &page.body);
    if media == Media::Other {
        return Err(WorkError::ContentType(content_type.unwrap_or_else(|| "binary".into())));
    }
    let body = page.body;
    let text = loader.cpu.run(move || extract::decode(&body, content_type.as_deref())).await?;
    Ok(LoadedPage {
        final_url: page.final_url,
        status: page.status,
        headers: page.headers,
        text,
        is_html: media == Media::Html,
        rendered: false,
        load_time: Duration::ZERO,
    })
}

impl From<RenderedPage> for LoadedPage {
    fn from(page: RenderedPage) -> Self {
        Self {
            final_url: page.final_url,
            status: page.status,
            headers: page.headers,
            text: page.html,
            is_html: true,
            rendered: true,
            load_time: Duration::ZERO,
        }
    }
}
