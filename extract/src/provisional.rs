use crate::Document;
use crate::dom::{NodeId, Tag};
use serde::Serialize;
use url::Url;
#[derive(Debug, Serialize)]
pub struct Image {
    pub url: Url,
}
pub struct Link {
    pub url: Url,
    pub nofollow: bool,
}
impl Document {
    pub fn links(&self) -> Vec<Link> {
        let Some(base) = self.base() else { return Vec::new() };
        self.dom()
            .elements(NodeId::DOCUMENT, Tag::A)
            .filter_map(|a| self.dom().attribute(a, "href"))
            .filter_map(|h| base.join(h).ok())
            .map(|url| Link { url, nofollow: false })
            .collect()
    }
    pub fn images(&self) -> Vec<Image> {
        Vec::new()
    }
    pub fn has_scripts(&self) -> bool {
        self.dom().elements(NodeId::DOCUMENT, Tag::Script).next().is_some()
    }
}
