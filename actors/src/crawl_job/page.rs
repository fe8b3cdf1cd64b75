//! What a crawl keeps of a page. Pure.

use extract::{ContentOptions, Document, Format, Image, Link, LinkKind};
use serde::Serialize;
use url::Url;

use super::frontier::number;
use super::options::CrawlOptions;
use crate::page_loader::LoadedPage;

/// Images listed per page.
const MAX_IMAGES: usize = 200;
/// Outgoing links listed, and looked at, per page.
const MAX_LINKS: usize = 10_000;
/// Words of a page below which its like are not taken for duplicates: many
/// pages say only "not available".
const COMPARABLE_WORDS: usize = 20;
/// Words of a page with scripts below which it is taken for a shell that they
/// fill.
const SHELL_WORDS: usize = 30;

/// A page as the API shows it.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct CrawlPage {
    /// The URL as it was met.
    pub url: Url,
    pub title: String,
    pub status_code: u16,
    /// Of the answer; empty where it said none.
    pub content_type: String,
    /// Words of the main content.
    pub word_count: usize,
    /// The main content.
    pub markdown: String,
    /// Links from the seed.
    pub depth: u32,
    /// Whether scripts ran.
    pub rendered: bool,
    /// All links out of the page, when asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub links: Option<Vec<Url>>,
    /// The first 200 images, when asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<Object>>)]
    pub images: Option<Vec<Image>>,
}

/// A page that was read.
#[derive(Debug)]
pub(super) struct ReadPage {
    pub final_url: Url,
    pub status: u16,
    /// [`CrawlPage`] as JSON.
    pub json: String,
    /// 0 where the content is too little to be compared.
    pub content_hash: i64,
    /// Links that may be followed, in the page's order.
    pub links: Vec<Url>,
}

/// Reads a page; `None` when it is a shell that only scripts can fill and they
/// have not run.
pub(super) fn read(url: &Url, depth: u32, page: LoadedPage, options: &CrawlOptions) -> Result<Read, serde_json::Error> {
    let content_type = page.headers.iter().find(|(name, _)| name == "content-type").map(|(_, value)| value.clone());
    let mut kept = CrawlPage {
        url: url.clone(),
        title: String::new(),
        status_code: page.status,
        content_type: content_type.unwrap_or_default(),
        word_count: 0,
        markdown: String::new(),
        depth,
        rendered: page.rendered,
        links: None,
        images: None,
    };
    let mut followed = Vec::new();
    let mut is_shell = false;
    if page.is_html {
        let document = Document::parse(&page.text, Some(&page.final_url));
        let content = document.content(Format::Markdown, ContentOptions::default());
        is_shell = !page.rendered && content.word_count < SHELL_WORDS && is_filled_by_script(&document);
        let links = document.links();
        let url = |link: &Link| Url::parse(&link.url).ok();
        (kept.word_count, kept.markdown) = (content.word_count, content.text);
        kept.title = document.metadata().title.unwrap_or_default();
        kept.links = options.include_links.then(|| {
            let outgoing = links.iter().filter(|link| link.kind == LinkKind::Anchor);
            outgoing.filter_map(url).take(MAX_LINKS).collect()
        });
        kept.images = options.include_images.then(|| document.images().into_iter().take(MAX_IMAGES).collect());
        followed = links.iter().filter(|link| !link.is_nofollow).filter_map(url).take(MAX_LINKS).collect();
    } else {
        (kept.word_count, kept.markdown) = (extract::word_count(&page.text), page.text);
    }
    let content_hash = match kept.word_count {
        COMPARABLE_WORDS.. => number(kept.markdown.as_bytes()).cast_signed(),
        _ => 0,
    };
    let json = serde_json::to_string(&kept)?;
    Ok(Read {
        page: ReadPage { final_url: page.final_url, status: page.status, json, content_hash, links: followed },
        is_shell,
    })
}

/// A page, and whether its text is likely to come from scripts that have not
/// run.
pub(super) struct Read {
    pub page: ReadPage,
    pub is_shell: bool,
}

/// Whether scripts are all there is to fill the page: some are loaded, and the
/// whole body, navigation included, says next to nothing.
fn is_filled_by_script(document: &Document) -> bool {
    let whole = ContentOptions { main_content_only: false, ..ContentOptions::default() };
    document.has_scripts() && document.content(Format::Text, whole).word_count < SHELL_WORDS
}
