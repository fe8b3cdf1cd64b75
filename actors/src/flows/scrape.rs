use std::collections::BTreeMap;

use bytes::Bytes;
use serde::Serialize;
use url::Url;

use super::paid::{Answer, Finished, PaidRequest, paid_answer};
use super::{Caller, FlowError, WorkError};
use crate::cache::CacheKey;
use crate::page_loader::{LoadedPage, PageOrder, load_page};
use crate::system::Services;
use extract::{ContentOptions, Document, Format};

/// Order: a page as HTML, as it stands.
#[derive(Debug, Clone)]
pub struct ScrapeHtml {
    pub page: PageOrder,
    pub read_cache: bool,
}

/// Order: a page as Markdown.
#[derive(Debug, Clone)]
pub struct ScrapeMarkdown {
    pub page: PageOrder,
    pub options: MarkdownOptions,
    pub read_cache: bool,
}

/// Order: a page's content in one of three forms.
#[derive(Debug, Clone)]
pub struct ScrapeTemplate {
    pub page: PageOrder,
    pub format: TemplateFormat,
    pub options: MarkdownOptions,
    pub read_cache: bool,
}

/// The form of a page's content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum TemplateFormat {
    Markdown,
    /// The content's own elements, without scripts, styles and classes.
    Html,
    /// What a reader sees.
    Text,
}

/// A page's content.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct TemplateRecord {
    /// The URL that was asked for.
    pub url: Url,
    pub format: TemplateFormat,
    pub content: String,
    /// The target's own HTTP status.
    pub status_code: u16,
    /// Words as a reader counts them; a CJK character counts as one.
    pub word_count: usize,
    pub metadata: MarkdownMetadata,
}

/// What of a page becomes Markdown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MarkdownOptions {
    pub include_links: bool,
    pub include_images: bool,
    pub main_content_only: bool,
}

/// A page as HTML.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct HtmlRecord {
    /// The URL that was asked for.
    pub url: Url,
    /// The target's own HTTP status.
    pub status_code: u16,
    /// The document as rendered (or as served, with `javascript=false`), uncleaned.
    pub html: String,
    /// The target's response headers, names in lower case.
    pub headers: BTreeMap<String, String>,
    pub metadata: HtmlMetadata,
}

/// What the page says of itself.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct HtmlMetadata {
    pub title: Option<String>,
    pub description: Option<String>,
    /// Language code, as declared.
    pub language: Option<String>,
    pub canonical_url: Option<String>,
    /// Where the redirects ended.
    pub final_url: Url,
    /// Whether scripts ran.
    pub rendered: bool,
    /// Milliseconds from the request to the finished page.
    pub load_time_ms: u64,
}

/// A page as Markdown.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct MarkdownRecord {
    /// The URL that was asked for.
    pub url: Url,
    /// The target's own HTTP status.
    pub status_code: u16,
    /// CommonMark with GFM tables and strikethrough; URLs are absolute.
    pub markdown: String,
    /// Words as a reader counts them; a CJK character counts as one.
    pub word_count: usize,
    pub metadata: MarkdownMetadata,
}

/// What the page says of itself.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct MarkdownMetadata {
    pub title: Option<String>,
    pub author: Option<String>,
    /// `YYYY-MM-DD`.
    pub published_date: Option<String>,
    pub description: Option<String>,
    /// Language code, as declared.
    pub language: Option<String>,
    pub site_name: Option<String>,
    pub canonical_url: Option<String>,
    /// Where the redirects ended.
    pub final_url: Url,
    /// Whether scripts ran.
    pub rendered: bool,
    /// Milliseconds from the request to the finished page.
    pub load_time_ms: u64,
}

/// Scrapes a page to HTML, for 1 credit.
///
/// # Errors
/// [`FlowError`]; nothing is charged then.
pub async fn scrape_html(services: &Services, caller: &Caller, order: ScrapeHtml) -> Result<Answer, FlowError> {
    let endpoint = "web.scrape.html";
    let request = PaidRequest {
        caller,
        endpoint,
        price: 1,
        key: CacheKey::new(endpoint, &page_params(&order.page)),
        read_cache: order.read_cache,
        ttl: services.ttls.html,
        timeout: order.page.timeout,
    };
    paid_answer(services, request, async || {
        let page = load_page(&services.loader, &order.page).await?;
        let url = order.page.url.clone();
        services.loader.cpu.run(move || finish(page.status, &html_record(url, page))).await?
    })
    .await
}

/// Scrapes a page to Markdown, for 2 credits.
///
/// # Errors
/// [`FlowError`]; nothing is charged then.
pub async fn scrape_markdown(services: &Services, caller: &Caller, order: ScrapeMarkdown) -> Result<Answer, FlowError> {
    let endpoint = "web.scrape.markdown";
    let flags = order.options.cache_param();
    let mut params = page_params(&order.page);
    params.push(("options", &flags));
    let request = PaidRequest {
        caller,
        endpoint,
        price: 2,
        key: CacheKey::new(endpoint, &params),
        read_cache: order.read_cache,
        ttl: services.ttls.markdown,
        timeout: order.page.timeout,
    };
    paid_answer(services, request, async || {
        let page = load_page(&services.loader, &order.page).await?;
        let (url, options) = (order.page.url.clone(), order.options);
        services.loader.cpu.run(move || finish(page.status, &markdown_record(url, page, options))).await?
    })
    .await
}

/// Scrapes a page's content in one of three forms, for 1 credit.
///
/// # Errors
/// [`FlowError`]; nothing is charged then.
pub async fn scrape_template(services: &Services, caller: &Caller, order: ScrapeTemplate) -> Result<Answer, FlowError> {
    let endpoint = "web.scrape.template";
    let flags = format!("{:?} {}", order.format, order.options.cache_param());
    let mut params = page_params(&order.page);
    params.push(("options", &flags));
    let request = PaidRequest {
        caller,
        endpoint,
        price: 1,
        key: CacheKey::new(endpoint, &params),
        read_cache: order.read_cache,
        ttl: services.ttls.markdown,
        timeout: order.page.timeout,
    };
    paid_answer(services, request, async || {
        let page = load_page(&services.loader, &order.page).await?;
        let (url, format, options) = (order.page.url.clone(), order.format, order.options);
        services.loader.cpu.run(move || finish(page.status, &template_record(url, page, format, options))).await?
    })
    .await
}

/// What of a page order decides its answer. The time-out does not.
fn page_params(page: &PageOrder) -> Vec<(&'static str, &str)> {
    vec![
        ("url", page.url.as_str()),
        ("javascript", if page.javascript { "true" } else { "false" }),
        ("wait_for", page.wait_for.as_deref().unwrap_or_default()),
    ]
}

impl MarkdownOptions {
    fn cache_param(self) -> String {
        format!("links={} images={} main={}", self.include_links, self.include_images, self.main_content_only)
    }
}

fn finish<T: Serialize>(status: u16, record: &T) -> Result<Finished, WorkError> {
    let json = serde_json::to_vec(record).map_err(|error| WorkError::Internal(error.to_string()))?;
    // An error page today says nothing about tomorrow's page.
    Ok(Finished { body: Bytes::from(json), cacheable: (200..300).contains(&status), is_free: false })
}

fn html_record(url: Url, page: LoadedPage) -> HtmlRecord {
    let described = if page.is_html {
        Document::parse(&page.text, Some(&page.final_url)).metadata()
    } else {
        extract::Metadata::default()
    };
    HtmlRecord {
        url,
        status_code: page.status,
        headers: joined(page.headers),
        html: page.text,
        metadata: HtmlMetadata {
            title: described.title,
            description: described.description,
            language: described.language,
            canonical_url: described.canonical_url,
            final_url: page.final_url,
            rendered: page.rendered,
            load_time_ms: page.load_time.as_millis() as u64,
        },
    }
}

fn markdown_record(url: Url, page: LoadedPage, options: MarkdownOptions) -> MarkdownRecord {
    let status_code = page.status;
    let ReadContent { text, word_count, metadata } = read_content(page, Format::Markdown, options);
    MarkdownRecord { url, status_code, markdown: text, word_count, metadata }
}

fn template_record(url: Url, page: LoadedPage, format: TemplateFormat, options: MarkdownOptions) -> TemplateRecord {
    let status_code = page.status;
    let ReadContent { text, word_count, metadata } = read_content(page, format.into(), options);
    TemplateRecord { url, format, content: text, status_code, word_count, metadata }
}

struct ReadContent {
    text: String,
    word_count: usize,
    metadata: MarkdownMetadata,
}

/// Reads a page's content; what is no HTML is its own content in any form.
fn read_content(page: LoadedPage, format: Format, options: MarkdownOptions) -> ReadContent {
    let (described, text, word_count) = if page.is_html {
        let document = Document::parse(&page.text, Some(&page.final_url));
        let content = document.content(format, options.into());
        (document.metadata(), content.text, content.word_count)
    } else {
        let word_count = extract::word_count(&page.text);
        (extract::Metadata::default(), page.text, word_count)
    };
    let metadata = MarkdownMetadata {
        title: described.title,
        author: described.author,
        published_date: described.published_date,
        description: described.description,
        language: described.language,
        site_name: described.site_name,
        canonical_url: described.canonical_url,
        final_url: page.final_url,
        rendered: page.rendered,
        load_time_ms: page.load_time.as_millis() as u64,
    };
    ReadContent { text, word_count, metadata }
}

impl From<TemplateFormat> for Format {
    fn from(format: TemplateFormat) -> Self {
        match format {
            TemplateFormat::Markdown => Self::Markdown,
            TemplateFormat::Html => Self::Html,
            TemplateFormat::Text => Self::Text,
        }
    }
}

impl From<MarkdownOptions> for ContentOptions {
    fn from(options: MarkdownOptions) -> Self {
        Self {
            main_content_only: options.main_content_only,
            include_links: options.include_links,
            include_images: options.include_images,
        }
    }
}

/// Repeated headers as one, in the way RFC 9110 section 5.3 allows; `set-cookie`
/// may not be joined by commas and gets a line each.
fn joined(headers: Vec<(String, String)>) -> BTreeMap<String, String> {
    let mut joined = BTreeMap::<String, String>::new();
    for (name, value) in headers {
        let separator = if name == "set-cookie" { "\n" } else { ", " };
        joined
            .entry(name)
            .and_modify(|before| {
                before.push_str(separator);
                before.push_str(&value);
            })
            .or_insert(value);
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_headers_are_joined_and_cookies_get_a_line_each() {
        let headers = [("vary", "a"), ("set-cookie", "x=1"), ("vary", "b"), ("set-cookie", "y=2")];
        let joined = joined(headers.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec());
        assert_eq!(joined["vary"], "a, b");
        assert_eq!(joined["set-cookie"], "x=1\ny=2");
    }
}
