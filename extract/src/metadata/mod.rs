//! What a page says of itself: in JSON-LD, in Open Graph and other `<meta>`
//! elements, in microdata, and where none of these speaks, to its readers.

mod author;
mod days;
mod names;
mod place;
mod site;
mod survey;
mod title;
mod vocabulary;
mod words;

#[cfg(test)]
mod tests;

use serde::Serialize;
use url::Url;

use crate::date::Order;
use crate::dom::Dom;
use crate::{language, links, plain, structured_data};
use place::Place;
use site::Site;
use survey::Survey;

/// What a page says of itself. Nothing stands for what it does not say.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Metadata {
    /// Of the content: without the site's name behind a separator.
    pub title: Option<String>,
    pub description: Option<String>,
    /// Several names are separated by `, `.
    pub author: Option<String>,
    /// `YYYY-MM-DD`.
    pub published_date: Option<String>,
    /// `YYYY-MM-DD`.
    pub modified_date: Option<String>,
    /// As declared, in the form of BCP 47, e.g. `en` or `pt-BR`.
    pub language: Option<String>,
    pub site_name: Option<String>,
    /// Absolute where the page's own URL is known.
    pub canonical_url: Option<String>,
}

/// Reads a page's metadata. `url` is where the page is from: it names the site,
/// the page and sometimes the day, and relative URLs refer to it or to `<base>`.
pub(crate) fn read(dom: &Dom, url: Option<&Url>) -> Metadata {
    let survey = Survey::of(dom);
    let language = language(&survey);
    let site = Site::new(survey.site_name(), url);
    let title = title::read(&survey, &site);
    let place = Place::of(&survey, title.as_deref());
    let days = days::read(&survey, url, place, order(language.as_deref(), url));
    Metadata {
        author: author::read(&survey, &site, place),
        published_date: days.published,
        modified_date: days.modified,
        description: description(&survey),
        canonical_url: canonical(&survey, links::base(dom, url).as_ref()),
        site_name: site.name,
        language,
        title,
    }
}

fn description(survey: &Survey) -> Option<String> {
    let declared = survey.meta(&["og:description", "description", "twitter:description", "dc.description"]);
    let described = || {
        let mut content = survey.described.iter().filter(|object| structured_data::is_content(object));
        content.find_map(|object| structured_data::text(object, "description"))
    };
    declared.or_else(described).and_then(|text| plain::line(&plain::unescaped(text)))
}

fn language(survey: &Survey) -> Option<String> {
    let described = || {
        let mut content = survey.described.iter().filter(|object| structured_data::is_content(object));
        content.find_map(|object| structured_data::text(object, "inLanguage"))
    };
    let metas = ["content-language", "language", "dc.language", "og:locale", "inlanguage"];
    let declared = survey.language.and_then(language::tag);
    let declared = declared.or_else(|| metas.iter().find_map(|name| survey.meta(&[name]).and_then(language::tag)));
    declared.or_else(|| described().and_then(language::tag))
}

fn canonical(survey: &Survey, base: Option<&Url>) -> Option<String> {
    let declared = survey.canonical.or_else(|| survey.meta(&["og:url", "twitter:url"]))?;
    match base {
        Some(base) => base.join(declared).ok().filter(|url| matches!(url.scheme(), "http" | "https")).map(String::from),
        None => Some(declared.to_owned()),
    }
}

/// Returns what comes first in a date of figures: the month in English but for
/// the countries whose English has the day, the day elsewhere.
fn order(language: Option<&str>, url: Option<&Url>) -> Order {
    const DAY_FIRST_ENDINGS: [&str; 7] = [".uk", ".au", ".nz", ".ie", ".in", ".za", ".eu"];
    const DAY_FIRST_REGIONS: [&str; 6] = ["en-GB", "en-AU", "en-NZ", "en-IE", "en-IN", "en-ZA"];
    let is_english = language.is_none_or(|tag| tag == "en" || tag.starts_with("en-"));
    let host = url.and_then(Url::host_str).unwrap_or_default();
    let is_day_first = DAY_FIRST_ENDINGS.iter().any(|ending| host.ends_with(ending))
        || language.is_some_and(|tag| DAY_FIRST_REGIONS.contains(&tag));
    if is_english && !is_day_first { Order::MonthFirst } else { Order::DayFirst }
}
