//! When the content was published and changed: declared, near the heading, or
//! in the address.

use url::Url;

use super::place::Place;
use super::survey::Survey;
use crate::date::{self, Order};
use crate::dom::{Dom, NodeId, Tag};
use crate::{plain, structured_data};

/// Characters of a text that is a date with its label and no prose.
const MAX_LABELLED: usize = 70;

const PUBLISHED_METAS: [&str; 27] = [
    "article:published_time",
    "og:article:published_time",
    "og:published_time",
    "article:published",
    "datepublished",
    "date",
    "pubdate",
    "publishdate",
    "publish_date",
    "publish-date",
    "published_date",
    "publication_date",
    "dc.date",
    "dc.date.issued",
    "dc.date.created",
    "dcterms.date",
    "dcterms.created",
    "dcterms.issued",
    "sailthru.date",
    "parsely-pub-date",
    "citation_publication_date",
    "citation_date",
    "datecreated",
    "uploaddate",
    "article.published",
    "article:post_date",
    "date_published",
];

const MODIFIED_METAS: [&str; 11] = [
    "article:modified_time",
    "og:article:modified_time",
    "og:updated_time",
    "og:modified_time",
    "datemodified",
    "last-modified",
    "lastmod",
    "dcterms.modified",
    "dc.date.modified",
    "revised",
    "article:modified",
];

/// Words before the day of a change, as beginnings.
const CHANGED: [&str; 16] = [
    "updated",
    "last updated",
    "last modified",
    "modified",
    "last edited",
    "edited",
    "last reviewed",
    "reviewed",
    "aktualisiert",
    "zuletzt",
    "stand",
    "mis à jour",
    "actualizado",
    "aggiornato",
    "atualizado",
    "bijgewerkt",
];

/// Words before the day of publishing, as beginnings.
const PUBLISHED: [&str; 15] = [
    "published",
    "posted",
    "created",
    "started",
    "date",
    "first published",
    "originally",
    "on ",
    "written",
    "asked",
    "veröffentlicht",
    "erstellt",
    "publié",
    "publicado",
    "pubblicato",
];

/// The days of a page, as `YYYY-MM-DD`.
#[derive(Debug, Default)]
pub(super) struct Days {
    pub(super) published: Option<String>,
    pub(super) modified: Option<String>,
}

/// Reads both days; a page that says only when it was changed has been
/// published then as far as a reader knows.
pub(super) fn read(survey: &Survey, url: Option<&Url>, place: Place, order: Order) -> Days {
    let shown = shown(survey, place, order);
    let best = |kind: Kind| {
        let of_kind = shown.iter().filter(|found| found.kind == kind);
        of_kind.reduce(|best, next| if next.score > best.score { next } else { best }).map(|found| found.day.clone())
    };
    let modified = described(survey, &["dateModified"], order)
        .or_else(|| of_metas(survey, &MODIFIED_METAS, order))
        .or_else(|| best(Kind::Changed));
    let published = described(survey, &["datePublished", "dateCreated", "uploadDate"], order)
        .or_else(|| of_metas(survey, &PUBLISHED_METAS, order))
        .or_else(|| of_other_metas(survey, order))
        .or_else(|| best(Kind::Published))
        .or_else(|| url.and_then(|url| date::day_of_path(url.path())))
        .or_else(|| best(Kind::Changed))
        .or_else(|| modified.clone());
    Days { published, modified }
}

fn described(survey: &Survey, properties: &[&str], order: Order) -> Option<String> {
    let content = survey.described.iter().filter(|object| structured_data::is_content(object));
    content
        .flat_map(|object| properties.iter().filter_map(|property| structured_data::text(object, property)))
        .find_map(|value| date::iso_day(value, order))
}

fn of_metas(survey: &Survey, names: &[&str], order: Order) -> Option<String> {
    names.iter().flat_map(|name| survey.metas_of(name)).find_map(|value| date::iso_day(value, order))
}

/// Returns the day in a `<meta>` that is called a date of publishing in a way of
/// its own, e.g. `vendor.publish-date`.
fn of_other_metas(survey: &Survey, order: Order) -> Option<String> {
    let is_publishing = |name: &str| {
        name.contains("publish") || name.contains("created") || name.ends_with("date") || name.ends_with("pubtime")
    };
    let is_other =
        |name: &str| ["modif", "updat", "expir", "event", "start", "end_", "review"].iter().any(|w| name.contains(w));
    let mut metas = survey.metas.iter().filter(|(name, _)| is_publishing(name) && !is_other(name));
    metas.find_map(|(_, value)| date::iso_day(value, order))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Published,
    Changed,
}

struct Found {
    kind: Kind,
    day: String,
    score: f32,
}

/// Returns the dates on the page: those of elements that say they are one, and
/// short texts near the heading.
fn shown(survey: &Survey, place: Place, order: Order) -> Vec<Found> {
    let marked = survey.dates.iter().filter_map(|id| of_marked(survey.dom, *id, place, order));
    let texts = place.texts(survey).filter_map(|(id, text)| of_text(survey.dom, id, text, place, order));
    marked.chain(texts).collect()
}

fn of_marked(dom: &Dom, id: NodeId, place: Place, order: Order) -> Option<Found> {
    const VALUES: [&str; 6] =
        ["datetime", "content", "data-datetime", "data-time", "data-timestamp", "created-timestamp"];
    let value = VALUES.iter().find_map(|name| date::iso_day(dom.attribute(id, name)?, order));
    let text = plain::line_of(dom, id).filter(|text| text.chars().count() <= MAX_LABELLED);
    let day = value.or_else(|| date::first_day(text.as_deref()?, order))?;
    let property = dom.attribute(id, "itemprop").unwrap_or_default();
    let class = dom.attribute(id, "class").unwrap_or_default().to_ascii_lowercase();
    let says_changed = class.contains("updated") && !class.contains("published") || class.contains("modif");
    let is_changed = property == "dateModified"
        || says_changed
        || text.as_deref().is_some_and(|text| begins(text, &CHANGED))
        || label_before(dom, id).is_some_and(|text| begins(text, &CHANGED));
    let base = match property {
        "datePublished" | "dateCreated" | "dateModified" => 4.0,
        _ if class.contains("publish") || dom.attribute(id, "pubdate").is_some() => 3.0,
        _ if dom.is(id, Tag::Time) => 2.0,
        _ => 1.5,
    };
    let kind = if is_changed { Kind::Changed } else { Kind::Published };
    Some(Found { kind, day, score: base - far(place.distance(id)) })
}

fn of_text(dom: &Dom, id: NodeId, text: &str, place: Place, order: Order) -> Option<Found> {
    let has_year = text.bytes().filter(u8::is_ascii_digit).count() >= 4;
    if !has_year || text.len() > 2 * MAX_LABELLED || text.chars().count() > MAX_LABELLED {
        return None;
    }
    let day = date::first_day(text, order)?;
    let label = if begins(text, &CHANGED) || begins(text, &PUBLISHED) { Some(text) } else { label_before(dom, id) };
    let is_changed = label.is_some_and(|label| begins(label, &CHANGED));
    let is_labelled = is_changed || label.is_some_and(|label| begins(label, &PUBLISHED));
    let base = if is_labelled { 2.2 } else { 1.0 };
    let kind = if is_changed { Kind::Changed } else { Kind::Published };
    Some(Found { kind, day, score: base - far(place.distance(id)) })
}

/// Returns the text right before a node, where the label of a date stands.
fn label_before(dom: &Dom, id: NodeId) -> Option<&str> {
    let before = dom.before(id).take(4);
    let mut texts = before.filter_map(|id| dom.text(id)).map(str::trim).filter(|text| !text.is_empty());
    texts.next().filter(|text| text.chars().count() <= 30)
}

fn begins(text: &str, words: &[&str]) -> bool {
    let head: String = text.chars().take(20).flat_map(char::to_lowercase).collect();
    let head = head.trim_start_matches(|c: char| !c.is_alphanumeric());
    words.iter().any(|word| head.starts_with(word))
}

/// What a distance takes off: nothing near, at most 3.
fn far(distance: usize) -> f32 {
    (distance as f32 / 150.0).min(3.0)
}
