use kuchikiki::NodeRef;
use serde::Serialize;
use serde_json::Value;
use url::Url;

use crate::{date, structured_data, tree};

/// What a page says of itself. Each field is the first that says something of:
/// JSON-LD, Open Graph and other `<meta>` elements, the visible page.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Metadata {
    /// Of the content: without the site's name behind a separator.
    pub title: Option<String>,
    pub description: Option<String>,
    pub author: Option<String>,
    /// `YYYY-MM-DD`.
    pub published_date: Option<String>,
    /// `YYYY-MM-DD`.
    pub modified_date: Option<String>,
    /// As declared, e.g. `en` or `pt-BR`.
    pub language: Option<String>,
    pub site_name: Option<String>,
    pub canonical_url: Option<String>,
}

/// Returns the title of the content alone.
pub(crate) fn title(document: &NodeRef) -> Option<String> {
    Page::of(document).title()
}

pub(crate) fn read(document: &NodeRef, base: Option<&Url>) -> Metadata {
    let page = Page::of(document);
    Metadata {
        title: page.title(),
        description: page.meta(&["og:description", "description", "twitter:description"]),
        author: page.author(),
        published_date: page.published(),
        modified_date: page.modified(),
        language: page.language(),
        canonical_url: page.canonical(base),
        site_name: page.site_name(),
    }
}

struct Page<'a> {
    document: &'a NodeRef,
    described: Value,
}

impl<'a> Page<'a> {
    fn of(document: &'a NodeRef) -> Self {
        Self { document, described: structured_data::content_object(document).unwrap_or_default() }
    }

    fn site_name(&self) -> Option<String> {
        self.meta(&["og:site_name", "application-name"])
    }

    /// The content of the first `<meta>` with one of these names, in the order
    /// of the names.
    fn meta(&self, names: &[&str]) -> Option<String> {
        let metas = tree::select(self.document, "meta[content]");
        names.iter().find_map(|name| {
            let named = metas.iter().find(|meta| {
                let own = tree::attribute(meta, "property").or_else(|| tree::attribute(meta, "name"));
                own.is_some_and(|own| own.eq_ignore_ascii_case(name))
            });
            named.and_then(|meta| tree::attribute(meta, "content"))
        })
    }

    fn first_text(&self, selector: &str) -> Option<String> {
        tree::select(self.document, selector).iter().map(text_of).find(|text| !text.is_empty())
    }

    fn title(&self) -> Option<String> {
        let of_the_tab = self.first_text("head > title, title");
        let shared = self.meta(&["og:title", "twitter:title"]);
        let headline = structured_data::text(&self.described, "headline");
        let title = headline.or(shared).or(of_the_tab).or_else(|| self.first_text("h1"))?;
        // Where the page's own heading begins the title, the rest is the site.
        let heading = tree::select(self.document, "h1").iter().map(text_of).find(|heading| {
            title.strip_prefix(heading.as_str()).is_some_and(|rest| rest.trim_start().starts_with(SEPARATORS))
        });
        Some(heading.unwrap_or_else(|| without_site(&title, self.site_name().as_deref())))
    }

    fn author(&self) -> Option<String> {
        let declared = structured_data::names(&self.described, "author");
        let declared = declared.or_else(|| self.meta(&["author", "article:author", "parsely-author", "dc.creator"]));
        let visible =
            "[rel=author], [itemprop=author] [itemprop=name], [itemprop=author], .author .name, .byline .author";
        declared.filter(|name| !name.starts_with("http")).or_else(|| self.first_text(visible))
    }

    fn published(&self) -> Option<String> {
        let declared = ["datePublished", "dateCreated", "uploadDate"];
        let declared = declared.iter().filter_map(|name| structured_data::text(&self.described, name));
        let names =
            ["article:published_time", "og:article:published_time", "date", "pubdate", "dc.date", "publish_date"];
        let metas = names.iter().filter_map(|name| self.meta(&[name]));
        let visible = self.times("[itemprop=datePublished], time[pubdate], article time[datetime], time[datetime]");
        declared.chain(metas).chain(visible).find_map(|text| date::iso_day(&text))
    }

    fn modified(&self) -> Option<String> {
        let declared = structured_data::text(&self.described, "dateModified");
        let metas = self.meta(&["article:modified_time", "og:updated_time", "last-modified"]);
        let visible = self.times("[itemprop=dateModified]");
        declared.into_iter().chain(metas).chain(visible).find_map(|text| date::iso_day(&text))
    }

    fn times(&self, selector: &str) -> Vec<String> {
        let stated = |node: &NodeRef| tree::attribute(node, "datetime").or_else(|| tree::attribute(node, "content"));
        tree::select(self.document, selector).iter().map(|node| stated(node).unwrap_or_else(|| text_of(node))).collect()
    }

    fn language(&self) -> Option<String> {
        let root = tree::select(self.document, "html[lang]").first().and_then(|html| tree::attribute(html, "lang"));
        root.or_else(|| self.meta(&["content-language", "language", "og:locale"])).map(|code| code.replace('_', "-"))
    }

    fn canonical(&self, base: Option<&Url>) -> Option<String> {
        let links = tree::select(self.document, "link[rel~=canonical][href]");
        let declared = links.first().and_then(|link| tree::attribute(link, "href"));
        declared.or_else(|| self.meta(&["og:url"])).map(|reference| tree::absolute(&reference, base))
    }
}

/// What stands between a title and the name of its site.
const SEPARATORS: [char; 7] = ['|', '–', '—', '·', '»', '-', ':'];

/// Cuts the site's name off when it stands behind a separator.
fn without_site(title: &str, site_name: Option<&str>) -> String {
    let Some(site_name) = site_name else { return title.to_owned() };
    let cut = title.strip_suffix(site_name).map(str::trim_end).and_then(|rest| rest.strip_suffix(SEPARATORS));
    cut.map(str::trim_end).filter(|rest| !rest.is_empty()).unwrap_or(title).to_owned()
}

fn text_of(node: &NodeRef) -> String {
    node.text_contents().split_whitespace().collect::<Vec<_>>().join(" ")
}
