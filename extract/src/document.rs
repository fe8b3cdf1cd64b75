use url::Url;

use crate::addresses::Base;
use crate::content::{self, Content, ContentOptions, Format};
use crate::dom::{Dom, Tag};
use crate::images::{self, Image};
use crate::links::{self, Link};
use crate::metadata::{self, Metadata};

/// A parsed page. Not `Send`: parse and read it in one place.
pub struct Document {
    dom: Dom,
    url: Option<Url>,
    base: Base,
}

impl Document {
    /// Parses any text as HTML. `url` is where the page is from; without it
    /// relative URLs stay as they are.
    pub fn parse(html: &str, url: Option<&Url>) -> Self {
        let dom = Dom::parse(html);
        let base = Base::of(&dom, url);
        Self { dom, url: url.cloned(), base }
    }

    /// Returns what the page says of itself.
    pub fn metadata(&self) -> Metadata {
        metadata::read(&self.dom, self.url.as_ref())
    }

    /// Returns the page's images in its order, each URL once.
    pub fn images(&self) -> Vec<Image> {
        images::read(&self.dom, self.url.as_ref())
    }

    /// Returns where the page leads, in its order, each place once.
    pub fn links(&self) -> Vec<Link> {
        links::read(&self.dom, self.url.as_ref())
    }

    /// Returns the page's content in a format.
    pub fn content(&self, format: Format, options: ContentOptions) -> Content {
        content::read(&self.dom, self.url.as_ref(), &self.base, format, options)
    }

    /// Whether the page loads or holds scripts.
    pub fn has_scripts(&self) -> bool {
        self.dom.first(Tag::Script).is_some()
    }
}
