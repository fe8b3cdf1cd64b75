//! Plain async functions over gates: hold → fetch → extract → settle. What an
//! endpoint does, from a typed order to a paid answer, without HTTP.

mod account;
mod caller;
mod crawl;
mod error;
mod images;
mod paid;
mod readiness;
mod scrape;
mod sitemap;
mod webhooks;

pub use crate::page_loader::{PageOrder, WorkError};
pub use account::{AccountRecord, UsageToday, account, balance};
pub use caller::{Caller, admit};
pub use crawl::{CrawlOrder, cancel_crawl, crawl, crawls, start_crawl, watch_crawl};
pub use error::FlowError;
pub use images::{ImageSchema, ImagesRecord, ScrapeImages, scrape_images};
pub(crate) use paid::Finished;
pub use paid::{Answer, Charged};
pub use readiness::{Check, readiness};
pub use scrape::{
    HtmlMetadata, HtmlRecord, MarkdownMetadata, MarkdownOptions, MarkdownRecord, ScrapeHtml, ScrapeMarkdown,
    ScrapeTemplate, TemplateFormat, TemplateRecord, scrape_html, scrape_markdown, scrape_template,
};
pub use sitemap::{ScrapeSitemap, SitemapRecord, UrlGroup, scrape_sitemap};
pub use webhooks::{
    WebhookDeliveriesRecord, WebhookDeliveryRecord, WebhookSecretRecord, resend_webhook, webhook_deliveries,
    webhook_secret,
};
