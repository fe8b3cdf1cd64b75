use serde_json::Value;

use super::vocabulary::{self, Marks, Region};
use crate::dom::{Dom, Element, NodeId, Tag};
use crate::{plain, structured_data};

/// Elements of one kind kept, so that a page cannot make the later passes long.
const MAX_KEPT: usize = 64;

/// What one walk over a page finds that may speak of its metadata. The later
/// passes look only at what is listed here.
#[derive(Debug)]
pub(super) struct Survey<'a> {
    pub(super) dom: &'a Dom,
    /// Names in lower case and contents, neither empty, in the order of the page.
    pub(super) metas: Vec<(String, &'a str)>,
    /// The `<title>` outside drawings.
    pub(super) tab: Option<String>,
    pub(super) canonical: Option<&'a str>,
    pub(super) language: Option<&'a str>,
    pub(super) headings: Vec<NodeId>,
    /// Headings of the second and third level.
    pub(super) minor_headings: Vec<NodeId>,
    /// Where a date may be: `<time>` and what a class calls one.
    pub(super) dates: Vec<NodeId>,
    /// Where an author may be, by `rel`, `itemprop`, class or address.
    pub(super) authors: Vec<NodeId>,
    /// From and behind what does not speak of the page, in document order.
    apart: Vec<(NodeId, NodeId)>,
    /// JSON-LD objects, the most telling of the page's content first.
    pub(super) described: Vec<Value>,
}

impl<'a> Survey<'a> {
    pub(super) fn of(dom: &'a Dom) -> Self {
        let mut survey = Self {
            dom,
            metas: Vec::new(),
            tab: None,
            canonical: None,
            language: None,
            headings: Vec::new(),
            minor_headings: Vec::new(),
            dates: Vec::new(),
            authors: Vec::new(),
            apart: Vec::new(),
            described: Vec::new(),
        };
        let mut scripts = Vec::new();
        // Comments and what is recommended name other people and other days.
        let mut apart_until = NodeId::DOCUMENT;
        for id in dom.all() {
            let Some(element) = dom.element(id) else { continue };
            survey.read_head(id, element, &mut scripts);
            if id < apart_until || matches!(element.tag, Tag::Meta | Tag::Link | Tag::Script | Tag::Html | Tag::Body) {
                continue;
            }
            let marks = Marks::of(element);
            if vocabulary::region(element, marks) == Region::Apart && !holds_heading(dom, id) {
                apart_until = dom.end(id);
                survey.apart.push((id, apart_until));
                continue;
            }
            survey.read_body(id, element, marks);
        }
        survey.described = structured_data::objects(scripts.iter().map(String::as_str));
        survey
    }

    fn read_head(&mut self, id: NodeId, element: &'a Element, scripts: &mut Vec<String>) {
        match element.tag {
            Tag::Meta => self.read_meta(element),
            Tag::Link if self.canonical.is_none() && has_word(element, "rel", "canonical") => {
                self.canonical = filled(element, "href");
            }
            Tag::Html => self.language = filled(element, "lang").or_else(|| filled(element, "xml:lang")),
            Tag::Script if element.attribute("type").is_some_and(structured_data::is_json_ld) => {
                scripts.push(self.dom.raw_text(id));
            }
            Tag::Title if self.tab.is_none() => self.tab = plain::line_of(self.dom, id),
            _ => {}
        }
    }

    fn read_meta(&mut self, element: &'a Element) {
        let named = ["property", "name", "itemprop", "http-equiv"].iter().find_map(|key| filled(element, key));
        if let (Some(name), Some(content)) = (named, filled(element, "content")) {
            self.metas.push((name.to_ascii_lowercase(), content));
        }
    }

    fn read_body(&mut self, id: NodeId, element: &Element, marks: Marks) {
        if element.tag == Tag::H1 && self.headings.len() < MAX_KEPT {
            self.headings.push(id);
        }
        if matches!(element.tag, Tag::H2 | Tag::H3) && self.minor_headings.len() < MAX_KEPT {
            self.minor_headings.push(id);
        }
        if vocabulary::may_be_date(element, marks) && self.dates.len() < MAX_KEPT {
            self.dates.push(id);
        }
        if vocabulary::author_mark(element, marks).is_some() && self.authors.len() < MAX_KEPT {
            self.authors.push(id);
        }
    }

    /// Returns the content of the first `<meta>` of one of these names, in the
    /// order of the names.
    pub(super) fn meta(&self, names: &[&str]) -> Option<&'a str> {
        names.iter().find_map(|name| self.metas_of(name).next())
    }

    /// Returns the contents of the `<meta>` of this name.
    pub(super) fn metas_of<'b>(&'b self, name: &'b str) -> impl Iterator<Item = &'a str> + 'b {
        self.metas.iter().filter(move |(own, _)| own == name).map(|(_, content)| *content)
    }

    /// Whether a node is in comments, related content and the like.
    pub(super) fn is_apart(&self, id: NodeId) -> bool {
        let at = self.apart.partition_point(|(from, _)| *from <= id);
        at > 0 && id < self.apart[at - 1].1
    }

    /// Returns the name the site gives itself.
    pub(super) fn site_name(&self) -> Option<String> {
        let declared = self.meta(&["og:site_name", "application-name", "al:ios:app_name"]);
        declared.and_then(plain::line).or_else(|| structured_data::site_name(&self.described))
    }
}

/// Whether a region holds a heading of the first level: then it is no side show
/// whatever it is called. Regions that are apart are not looked into again, so
/// that all these walks together are one walk.
fn holds_heading(dom: &Dom, id: NodeId) -> bool {
    dom.elements(id, Tag::H1).next().is_some()
}

fn filled<'a>(element: &'a Element, name: &str) -> Option<&'a str> {
    element.attribute(name).map(str::trim).filter(|value| !value.is_empty())
}

fn has_word(element: &Element, name: &str, word: &str) -> bool {
    element
        .attribute(name)
        .is_some_and(|value| value.split_ascii_whitespace().any(|own| own.eq_ignore_ascii_case(word)))
}
