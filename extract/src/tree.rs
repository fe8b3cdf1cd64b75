//! What is done to every tree before anything reads it.

use kuchikiki::NodeRef;
use kuchikiki::iter::NodeEdge;
use url::Url;

/// Levels of nesting kept. Real pages stay below 100; what is deeper is made to
/// exhaust the stack or the patience of whoever walks it.
const MAX_DEPTH: usize = 200;

/// Parses a document; what is nested deeper than 200 levels is lifted there.
pub(crate) fn parse(html: &str) -> NodeRef {
    let document = kuchikiki::traits::TendrilSink::one(kuchikiki::parse_html(), html).document_node;
    lift_the_deep(&document);
    document
}

/// Unwraps the elements below the deepest level allowed, their content stays.
/// Top-down, so that each node is moved once.
fn lift_the_deep(document: &NodeRef) {
    let (mut depth, mut deep) = (0, Vec::new());
    for edge in document.traverse_inclusive() {
        match edge {
            NodeEdge::Start(node) => {
                depth += 1;
                if depth > MAX_DEPTH && node.as_element().is_some() {
                    deep.push(node);
                }
            }
            NodeEdge::End(_) => depth -= 1,
        }
    }
    for node in deep {
        unwrap(&node);
    }
}

/// Puts an element's children in its place.
pub(crate) fn unwrap(node: &NodeRef) {
    while let Some(child) = node.first_child() {
        node.insert_before(child);
    }
    node.detach();
}

/// Removes the elements that match a selector.
pub(crate) fn remove(root: &NodeRef, selector: &str) {
    for node in select(root, selector) {
        node.detach();
    }
}

/// Returns the elements that match; none when the selector is not one, which the
/// tests of its users would show.
pub(crate) fn select(root: &NodeRef, selector: &str) -> Vec<NodeRef> {
    root.select(selector).map(|found| found.map(|element| element.as_node().clone()).collect()).unwrap_or_default()
}

/// Returns an element's attribute, trimmed, if it is not empty.
pub(crate) fn attribute(node: &NodeRef, name: &str) -> Option<String> {
    let attributes = node.as_element()?.attributes.borrow();
    attributes.get(name).map(str::trim).filter(|value| !value.is_empty()).map(str::to_owned)
}

/// Removes the attributes that say nothing of the content: all but those below,
/// the class of code, which names its language, and the state of a task's box.
pub(crate) fn plain_attributes(root: &NodeRef) {
    const KEPT: [&str; 10] = ["href", "src", "alt", "title", "colspan", "rowspan", "start", "datetime", "lang", "dir"];
    for node in select(root, "*") {
        let Some(element) = node.as_element() else { continue };
        let own: &[&str] = match &*element.name.local {
            "code" | "pre" => &["class"],
            "input" => &["type", "checked"],
            _ => &[],
        };
        let mut attributes = element.attributes.borrow_mut();
        attributes.map.retain(|name, _| KEPT.contains(&&*name.local) || own.contains(&&*name.local));
    }
}

/// Sets an element's attribute.
pub(crate) fn set_attribute(node: &NodeRef, name: &str, value: &str) {
    if let Some(element) = node.as_element() {
        element.attributes.borrow_mut().insert(name, value.to_owned());
    }
}

/// Returns the URL that the document's relative URLs start from.
pub(crate) fn base(document: &NodeRef, url: Option<&Url>) -> Option<Url> {
    let declared = select(document, "base[href]").first().and_then(|base| attribute(base, "href"));
    match (declared, url) {
        (Some(declared), Some(url)) => Some(url.join(&declared).unwrap_or_else(|_| url.clone())),
        (Some(declared), None) => Url::parse(&declared).ok(),
        (None, url) => url.cloned(),
    }
}

/// Makes the URLs of links and images absolute, takes the address out of links
/// that run script, and gives lazily loaded images their source.
pub(crate) fn resolve_urls(document: &NodeRef, base: Option<&Url>) {
    for image in select(document, "img") {
        let source = ["src", "data-src", "data-original", "data-lazy-src"]
            .into_iter()
            .filter_map(|name| attribute(&image, name))
            .find(|source| !source.starts_with("data:"));
        match source {
            Some(source) => set_attribute(&image, "src", &absolute(&source, base)),
            None => image.detach(),
        }
    }
    for link in select(document, "a[href]") {
        let Some(target) = attribute(&link, "href") else { continue };
        if target.to_ascii_lowercase().starts_with("javascript:") {
            unwrap(&link);
        } else {
            set_attribute(&link, "href", &absolute(&target, base));
        }
    }
}

/// Returns a URL resolved against the base; itself when that is not possible.
pub(crate) fn absolute(reference: &str, base: Option<&Url>) -> String {
    match base {
        Some(base) => base.join(reference).map_or_else(|_| reference.to_owned(), String::from),
        None => reference.to_owned(),
    }
}

/// Serialises the children of an element.
pub(crate) fn inner_html(node: &NodeRef) -> String {
    let mut html = Vec::new();
    for child in node.children() {
        // Writing into memory does not fail.
        let _ = child.serialize(&mut html);
    }
    String::from_utf8(html).unwrap_or_default()
}
