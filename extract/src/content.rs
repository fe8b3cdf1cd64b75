use url::Url;

use crate::addresses::{self, Base};
use crate::dom::{Dom, NodeId, Selection, Tag};
use crate::main_content::{self, MainContent};
use crate::{html, markdown, plain, text, words};

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

pub(crate) fn read(dom: &Dom, url: Option<&Url>, base: &Base, format: Format, options: ContentOptions) -> Content {
    let copy = main_content::without_scripts(dom);
    let dom = copy.as_ref().unwrap_or(dom);
    let (mut selection, pictures) = if options.main_content_only {
        let MainContent { selection, pictures, .. } = main_content::read(dom, url);
        (selection, pictures)
    } else {
        (main_content::everything(dom), Vec::new())
    };
    if !options.include_images {
        leave_captions_out(dom, &mut selection);
    }
    let plain = text::of(dom, &selection);
    if options.include_images {
        pictures.into_iter().for_each(|id| selection.take_back(id));
    }
    let word_count = words::word_count(&plain);
    let title = if options.main_content_only { missing_title(dom, &selection, &plain) } else { None };
    let write = |selection: &Selection| match format {
        Format::Html => html::write(dom, selection, base, options),
        _ => markdown::write(dom, selection, base, options),
    };
    let text = match (format, title) {
        (Format::Text, _) => plain,
        (_, None) => write(&selection),
        (_, Some(title)) => [write(&Selection::new(dom, vec![title])), write(&selection)].join("\n"),
    };
    Content { text, word_count }
}

/// Returns the page's own first heading where the main content begins behind
/// it; a reader expects it on top. Of several it is the one in the page's
/// `<title>`, else the last before the content.
fn missing_title(dom: &Dom, selection: &Selection, plain: &str) -> Option<NodeId> {
    let first = selection.nodes(dom).find(|id| dom.text(*id).is_some_and(|text| !text.trim().is_empty()))?;
    if selection.nodes(dom).any(|id| dom.is(id, Tag::H1)) {
        return None;
    }
    let headings = dom.elements(dom.body(), Tag::H1).filter(|id| *id < first);
    let headings: Vec<(NodeId, String)> =
        headings.filter_map(|id| Some((id, plain::line_of(dom, id)?))).take(MAX_HEADINGS).collect();
    let named = dom.first(Tag::Title).and_then(|title| plain::line_of(dom, title)).unwrap_or_default();
    let own = headings.iter().find(|(_, text)| named.contains(text.as_str())).or(headings.last())?;
    (!plain.starts_with(own.1.as_str())).then_some(own.0)
}

/// First headings looked at; pages have one or two.
const MAX_HEADINGS: usize = 20;

/// Leaves out the captions of pictures that are not shown.
fn leave_captions_out(dom: &Dom, selection: &mut Selection) {
    for caption in dom.elements(NodeId::DOCUMENT, Tag::Figcaption) {
        let figure = dom.parent(caption).filter(|around| dom.is(*around, Tag::Figure));
        let Some(figure) = figure else { continue };
        let is_said =
            |id: NodeId| !dom.contains(caption, id) && dom.text(id).is_some_and(|text| !text.trim().is_empty());
        let is_shown = |id: NodeId| dom.is(id, Tag::Img) && addresses::image_source(dom, id).is_some();
        if dom.descendants(figure).any(is_shown) && !dom.descendants(figure).any(is_said) {
            selection.leave_out(caption);
        }
    }
}
