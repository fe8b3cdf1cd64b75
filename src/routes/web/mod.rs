//! `/v1/web/*`: pages and sites.

pub mod content_params;
pub mod crawl;
pub mod page_params;
pub mod scrape_html;
pub mod scrape_images;
pub mod scrape_markdown;
pub mod scrape_sitemap;
pub mod scrape_template;
