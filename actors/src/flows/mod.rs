//! Plain async functions over gates: hold → fetch → extract → settle. What an
//! endpoint does, from a typed order to a paid answer, without HTTP.

mod account;
mod caller;
mod cpu;
mod error;
mod load;
mod media;
mod paid;
mod readiness;
mod render;
mod scrape;
mod webhooks;

pub use account::{AccountRecord, UsageToday, account, balance};
pub use caller::{Caller, admit};
pub use cpu::CpuPool;
pub use error::{FlowError, WorkError};
pub use load::{PageOrder, load_page};
pub use paid::{Answer, Charged};
pub use readiness::{Check, readiness};
pub use scrape::{
    HtmlMetadata, HtmlRecord, MarkdownMetadata, MarkdownOptions, MarkdownRecord, ScrapeHtml, ScrapeMarkdown,
    scrape_html, scrape_markdown,
};
pub use webhooks::{
    WebhookDeliveriesRecord, WebhookDeliveryRecord, WebhookSecretRecord, resend_webhook, webhook_deliveries,
    webhook_secret,
};
