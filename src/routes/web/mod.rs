//! `/v1/web/*`: pages and sites.

pub mod page_params;
pub mod scrape_html;
pub mod scrape_markdown;
