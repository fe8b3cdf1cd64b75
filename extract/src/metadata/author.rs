//! Who wrote the content: declared, or named near the heading.

use super::names;
use super::place::Place;
use super::site::Site;
use super::survey::Survey;
use super::vocabulary::{self, AuthorMark, Marks};
use crate::dom::{Dom, NodeId, Tag};
use crate::{plain, structured_data};

/// Authors of one text that are named.
const MAX_AUTHORS: usize = 12;

/// Nodes from the heading within which a link to a person is taken for a byline.
const NEAR: usize = 400;

/// Characters of a text that is a name or a byline and no biography.
const MAX_BYLINE: usize = 120;

/// Returns the author's name, several separated by `, `.
pub(super) fn read(survey: &Survey, site: &Site, place: Place) -> Option<String> {
    let declared = described(survey).or_else(|| of_metas(survey));
    match declared {
        // A site that signs everything itself may still name a person.
        Some(name) if site.is_name(&name) => visible(survey, place).or(Some(name)),
        Some(name) => Some(name),
        None => visible(survey, place),
    }
}

/// Returns the author that JSON-LD gives the content, or else the page.
fn described(survey: &Survey) -> Option<String> {
    let content = survey.described.iter().filter(|object| structured_data::is_content(object));
    content
        .flat_map(|object| {
            ["author", "creator"].map(|property| structured_data::names(object, property, &survey.described))
        })
        .find_map(|names| joined(names.into_iter().filter_map(names::declared)))
}

fn of_metas(survey: &Survey) -> Option<String> {
    const NAMES: [&str; 11] = [
        "author",
        "article:author",
        "parsely-author",
        "sailthru.author",
        "citation_author",
        "dc.creator",
        "dcterms.creator",
        "byl",
        "og:article:author",
        "dc.creator.personalname",
        "article.author",
    ];
    let named = NAMES.iter().find_map(|name| joined(survey.metas_of(name).filter_map(names::declared)));
    named.or_else(|| of_card(survey))
}

/// Returns the author of a preview card, which is a label and a value.
fn of_card(survey: &Survey) -> Option<String> {
    [("twitter:label1", "twitter:data1"), ("twitter:label2", "twitter:data2")].iter().find_map(|(label, value)| {
        let label = survey.meta(&[label])?.to_lowercase();
        let is_author =
            ["written by", "author", "by", "verfasst von", "écrit par", "escrito por"].contains(&label.trim());
        is_author.then(|| names::declared(survey.meta(&[value])?))?
    })
}

fn joined(names: impl Iterator<Item = String>) -> Option<String> {
    let mut kept: Vec<String> = Vec::new();
    for name in names.take(MAX_AUTHORS) {
        if !kept.iter().any(|own| own.eq_ignore_ascii_case(&name)) {
            kept.push(name);
        }
    }
    (!kept.is_empty()).then(|| kept.join(", "))
}

/// A name on the page and how sure it is the author's.
struct Found {
    id: NodeId,
    mark: Option<AuthorMark>,
    name: String,
    score: f32,
}

/// Returns the likeliest name on the page, with those beside it of the same kind.
fn visible(survey: &Survey, place: Place) -> Option<String> {
    let marked = survey.authors.iter().filter_map(|id| of_marked(survey.dom, *id, place));
    let found: Vec<Found> = marked.chain(of_texts(survey, place)).collect();
    let best = found.iter().reduce(|best, next| if next.score > best.score { next } else { best })?;
    let beside = found
        .iter()
        .filter(|other| other.mark == best.mark && (other.id == best.id || are_beside(survey.dom, best.id, other.id)));
    joined(beside.map(|found| found.name.clone()))
}

/// Whether two elements are in the same byline: in one small parent or
/// grandparent.
fn are_beside(dom: &Dom, one: NodeId, two: NodeId) -> bool {
    // What has its author in an attribute is a posting, and each has its own.
    let is_posting = |id| dom.element(id).is_some_and(|element| vocabulary::author_attribute(element).is_some());
    if is_posting(one) || is_posting(two) {
        return false;
    }
    dom.ancestors(one).take(2).any(|around| {
        dom.contains(around, two) && dom.end(around).index() - around.index() <= 24 && !dom.contains(one, two)
    })
}

fn of_marked(dom: &Dom, id: NodeId, place: Place) -> Option<Found> {
    let element = dom.element(id)?;
    let mark = vocabulary::author_mark(element, Marks::of(element))?;
    let distance = place.distance(id);
    let base = match mark {
        AuthorMark::Property => 3.0,
        AuthorMark::Class => 2.0,
        AuthorMark::Link if distance <= NEAR => 1.2,
        AuthorMark::Link => return None,
    };
    let name = match vocabulary::author_attribute(element) {
        Some(name) => names::declared(name)?,
        None => linked(dom, id).or_else(|| names::visible(&byline(dom, id)?))?,
    };
    Some(Found { id, mark: Some(mark), name, score: base - far(distance) })
}

/// Returns the names that the links to people within a byline have.
fn linked(dom: &Dom, id: NodeId) -> Option<String> {
    let links = dom.descendants(id).take(80).filter(|inner| dom.is(*inner, Tag::A));
    let people = links.filter(|link| is_person(dom, *link));
    joined(people.filter_map(|link| names::visible(&byline(dom, link)?)))
}

fn is_person(dom: &Dom, link: NodeId) -> bool {
    dom.element(link).is_some_and(|element| vocabulary::author_mark(element, Marks::of(element)).is_some())
}

/// Returns what an element that is to name an author has as its name, or all its
/// text where that is short.
fn byline(dom: &Dom, id: NodeId) -> Option<String> {
    let is_name = |inner: &NodeId| {
        let class = dom.attribute(*inner, "class").unwrap_or_default();
        dom.attribute(*inner, "itemprop") == Some("name") || class.split(' ').any(|word| matches!(word, "fn" | "name"))
    };
    if let Some(name) = dom.descendants(id).take(60).find(is_name) {
        // In a `<meta itemprop=name content=…>` nobody sees it.
        return dom.attribute(name, "content").map(str::to_owned).or_else(|| plain::line_of(dom, name));
    }
    let text = plain::line_of(dom, id).filter(|text| text.chars().count() <= MAX_BYLINE)?;
    Some(first_box(dom, id).unwrap_or(text))
}

/// Returns the first text within an element where another follows without any
/// space between: these are boxes of their own, e.g. a name and a position.
fn first_box(dom: &Dom, id: NodeId) -> Option<String> {
    let mut texts = dom.descendants(id).filter_map(|id| dom.text(id)).filter(|text| !text.trim().is_empty());
    let (first, second) = (texts.next()?, texts.next()?);
    let are_apart = !first.ends_with(char::is_whitespace) && second.starts_with(char::is_alphanumeric);
    let is_name = first.trim().contains(' ') && names::behind_label(first.trim()) != Some("");
    if are_apart && is_name { plain::line(first) } else { None }
}

/// Returns the names behind `By` and its like in the texts near the heading.
fn of_texts(survey: &Survey, place: Place) -> Vec<Found> {
    let texts: Vec<(NodeId, &str)> = place.texts(survey).collect();
    let mut found = Vec::new();
    for (at, (id, text)) in texts.iter().enumerate() {
        let Some(rest) = names::behind_label(text) else { continue };
        let name = if rest.is_empty() { signatures(&texts[at + 1..]) } else { names::signed(rest) };
        if let Some(name) = name {
            found.push(Found { id: *id, mark: None, name, score: 2.1 - far(place.distance(*id)) });
        }
    }
    found
}

/// Returns the names in the texts behind a label that stands alone, as far as
/// commas and the like join them.
fn signatures(texts: &[(NodeId, &str)]) -> Option<String> {
    const JOINTS: [&str; 9] = [",", "and", ", and", "&", "und", "et", "y", "e", "/"];
    let mut found = Vec::new();
    for pair in texts.chunks(2).take(MAX_AUTHORS) {
        found.extend(names::signed(pair[0].1));
        if !pair.get(1).is_some_and(|(_, joint)| JOINTS.contains(joint)) {
            break;
        }
    }
    joined(found.into_iter())
}

/// What a distance takes off: nothing near, at most 2.
fn far(distance: usize) -> f32 {
    (distance as f32 / 250.0).min(2.0)
}
