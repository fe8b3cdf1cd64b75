use std::collections::BTreeMap;

use serde::Serialize;
use url::Url;

/// URLs named of each group.
const MAX_SAMPLES: usize = 5;

/// Some of a site's URLs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Group {
    pub count: usize,
    /// The first five.
    pub samples: Vec<String>,
}

/// Groups URLs by the first part of their path; those of a start page are under
/// `/`, which no part of a path can be.
pub fn groups<'a>(urls: impl IntoIterator<Item = &'a str>) -> BTreeMap<String, Group> {
    let mut groups: BTreeMap<String, Group> = BTreeMap::new();
    for text in urls {
        let url = Url::parse(text).ok();
        let part = url.as_ref().and_then(|url| url.path_segments()?.find(|part| !part.is_empty()));
        let group = groups.entry(part.unwrap_or("/").to_owned()).or_default();
        group.count += 1;
        if group.samples.len() < MAX_SAMPLES {
            group.samples.push(text.to_owned());
        }
    }
    groups
}
