use dom_smoothie::{Config, Readability};
use kuchikiki::NodeRef;
use url::Url;

use crate::dom::Dom;
use crate::{main_content, metadata, repair, text, tree, words};

/// The form of the content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// CommonMark with GFM tables and strikethrough.
    Markdown,
    /// What a reader sees, a line a block.
    Text,
    /// HTML without scripts, styles and attributes of style.
    Html,
}

/// What of a page is content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContentOptions {
    /// Only the primary content: no navigation, header, footer, advertisement or
    /// cookie banner.
    pub main_content_only: bool,
    /// Links stay links; else their text alone stays.
    pub include_links: bool,
    pub include_images: bool,
}

impl Default for ContentOptions {
    fn default() -> Self {
        Self { main_content_only: true, include_links: true, include_images: true }
    }
}

/// A page's content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Content {
    /// In the format asked for.
    pub text: String,
    /// Words of the text a reader sees, whatever the format.
    pub word_count: usize,
}

/// Never content, on any page.
const MACHINERY: &str = "script, style, noscript, template, iframe, object, embed, link, meta, base, title, head";

/// Around the content, where no main content was found by its text.
const SURROUNDINGS: &str = "nav, header, footer, aside, form, dialog, [role=navigation], [role=banner], \
     [role=contentinfo], [role=search], [aria-hidden=true], [hidden], [id*=cookie], [class*=cookie], [id*=consent], \
     [class*=consent], [class*=share], [class*=advert]";

/// Characters of main content below which the library is taken to have missed
/// it. Pages of one short paragraph exist; a larger part of the page is then
/// better than too small a one.
const TOO_SHORT: usize = 140;

pub(crate) fn read(
    document: &NodeRef,
    dom: &Dom,
    base: Option<&Url>,
    format: Format,
    options: ContentOptions,
) -> Content {
    let plain = plain_text(dom, base, options);
    let word_count = words::word_count(&plain);
    if format == Format::Text {
        return Content { text: plain, word_count };
    }
    let body = if options.main_content_only { main_content(document, base) } else { whole_body(document) };
    if !options.include_images {
        tree::remove(&body, "img, picture, figure > figcaption:only-child");
    }
    if !options.include_links {
        tree::select(&body, "a").iter().for_each(tree::unwrap);
    }
    tree::plain_attributes(&body);
    let text = match format {
        Format::Text => plain,
        Format::Html => tree::inner_html(&body),
        Format::Markdown => markdown(&body),
    };
    Content { text, word_count }
}

fn plain_text(dom: &Dom, base: Option<&Url>, options: ContentOptions) -> String {
    let copy = main_content::without_scripts(dom);
    let dom = copy.as_ref().unwrap_or(dom);
    let selection =
        if options.main_content_only { main_content::select(dom, base) } else { main_content::everything(dom) };
    text::of(dom, &selection)
}

/// A copy of the body to take things out of.
fn whole_body(document: &NodeRef) -> NodeRef {
    let copy = tree::parse(&document.to_string());
    tree::remove(&copy, MACHINERY);
    body_of(copy)
}

fn body_of(document: NodeRef) -> NodeRef {
    tree::select(&document, "body").into_iter().next().unwrap_or(document)
}

fn main_content(document: &NodeRef, base: Option<&Url>) -> NodeRef {
    let html = document.to_string();
    if let Some(found) = readable(&html, base)
        && found.text_contents().chars().count() >= TOO_SHORT
    {
        with_title(&found, metadata::title(document));
        return found;
    }
    let body = whole_body(document);
    let everything = tree::inner_html(&body);
    tree::remove(&body, SURROUNDINGS);
    // A page that is nothing but surroundings is shown whole.
    if body.text_contents().trim().is_empty() { body_of(tree::parse(&everything)) } else { body }
}

fn readable(html: &str, base: Option<&Url>) -> Option<NodeRef> {
    // Classes are kept for those that name the language of code.
    let config = Config { keep_classes: true, ..Config::default() };
    let mut reader = Readability::new(html, base.map(Url::as_str), Some(config)).ok()?;
    let found = tree::parse(&reader.parse().ok()?.content);
    tree::remove(&found, MACHINERY);
    Some(body_of(found))
}

/// The library takes a page's own first heading for its title and leaves it
/// out; a reader expects it.
fn with_title(content: &NodeRef, title: Option<String>) {
    let (Some(title), true) = (title, tree::select(content, "h1").is_empty()) else { return };
    let heading = tree::parse("<h1></h1>");
    if let Some(heading) = tree::select(&heading, "h1").into_iter().next() {
        heading.append(NodeRef::new_text(title));
        content.prepend(heading);
    }
}

fn markdown(body: &NodeRef) -> String {
    repair::spaces_out_of_emphasis(body);
    repair::single_empty_lines(&mdka::html_to_markdown(&tree::inner_html(body)))
}
