use crate::Document;
use crate::dom::{NodeId, Tag};
use serde::Serialize;
use url::Url;
pub struct Robots(Vec<String>, Option<std::time::Duration>, Vec<String>);
impl Robots {
    pub fn parse(t: &[u8], _a: &str) -> Self {
        let t = String::from_utf8_lossy(t);
        Self(
            t.lines().filter_map(|l| l.strip_prefix("Disallow: ").map(|s| s.trim().to_owned())).collect(),
            t.lines().find_map(|l| l.strip_prefix("Crawl-delay: ")?.parse().ok().map(std::time::Duration::from_secs)),
            t.lines().filter_map(sitemap_line).take(1_000).collect(),
        )
    }
    pub fn allows(&self, u: &Url) -> bool {
        !self.0.iter().any(|p| u.path().starts_with(p.as_str()))
    }
    pub fn crawl_delay(&self) -> Option<std::time::Duration> {
        self.1
    }
    pub fn sitemaps(&self) -> &[String] {
        &self.2
    }
}
fn sitemap_line(line: &str) -> Option<String> {
    let (key, value) = line.trim_start_matches('\u{feff}').split_once(':')?;
    let value = value.split('#').next()?.trim();
    (key.trim().eq_ignore_ascii_case("sitemap") && !value.is_empty()).then(|| value.to_owned())
}
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
