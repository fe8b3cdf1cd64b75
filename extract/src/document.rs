use kuchikiki::NodeRef;
use url::Url;

use crate::content::{self, Content, ContentOptions, Format};
use crate::dom::Dom;
use crate::metadata::{self, Metadata};
use crate::tree;

/// A parsed page. Not `Send`: parse and read it in one place.
pub struct Document {
    root: NodeRef,
    dom: Dom,
    url: Option<Url>,
}

impl Document {
    /// Parses any text as HTML. `url` is where the page is from; without it
    /// relative URLs stay as they are.
    pub fn parse(html: &str, url: Option<&Url>) -> Self {
        let root = tree::parse(html);
        let base = tree::base(&root, url);
        tree::resolve_urls(&root, base.as_ref());
        Self { root, dom: Dom::parse(html), url: base }
    }

    /// Returns what the page says of itself.
    pub fn metadata(&self) -> Metadata {
        metadata::read(&self.root, self.url.as_ref())
    }

    /// Returns the page's content in a format.
    pub fn content(&self, format: Format, options: ContentOptions) -> Content {
        content::read(&self.root, &self.dom, self.url.as_ref(), format, options)
    }
}
