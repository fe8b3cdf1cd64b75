use url::Url;

use crate::dom::{Dom, NodeId, Tag};

/// Returns what the relative URLs of a page from `url` refer to: the first
/// `<base>` with an address, else the page's own. Without `url` a relative
/// `<base>` is nothing.
pub(crate) fn base(dom: &Dom, url: Option<&Url>) -> Option<Url> {
    let declared = dom.elements(NodeId::DOCUMENT, Tag::Base).find_map(|id| dom.attribute(id, "href"));
    let declared = declared.and_then(|href| Url::options().base_url(url).parse(href).ok());
    declared.filter(|base| matches!(base.scheme(), "http" | "https")).or_else(|| url.cloned())
}
