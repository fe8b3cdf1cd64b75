//! The words that pages use in `class`, `id`, `rel` and `itemprop` for what
//! metadata is looked for in, as the microformats and the themes of the common
//! systems (WordPress, Drupal, phpBB, XenForo, vBulletin, Discourse) have them.

use crate::dom::{Element, Tag};

/// Whether a part of a page speaks of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Region {
    Own,
    /// Comments, related content, menus, footers.
    Apart,
}

/// How an element says that it names an author, the surest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum AuthorMark {
    /// `itemprop=author`, `rel=author` or the class of a microformat.
    Property,
    /// A class that says author, byline, user name and the like.
    Class,
    /// A link to the page of a person.
    Link,
}

const APART: [&str; 39] = [
    "comment",
    "comments",
    "commentlist",
    "respond",
    "reply",
    "replies",
    "related",
    "recommended",
    "recommendations",
    "sidebar",
    "widget",
    "popular",
    "trending",
    "newsletter",
    "footer",
    "nav",
    "navbar",
    "menu",
    "breadcrumb",
    "breadcrumbs",
    "promo",
    "advert",
    "ads",
    "cookie",
    "consent",
    "similar",
    "carousel",
    "teaser",
    "upsell",
    "latest",
    "recirc",
    "recirculation",
    "testimonial",
    "testimonials",
    "suggested",
    "masthead",
    "review",
    "reviews",
    "rating",
];

const AUTHOR_WORDS: [&str; 18] = [
    "author",
    "authors",
    "byline",
    "username",
    "poster",
    "writer",
    "contributor",
    "creator",
    "authorname",
    "bylines",
    "postauthor",
    "bypostauthor",
    "hcard",
    "postername",
    "usertext",
    "autor",
    "auteur",
    "verfasser",
];

const DATE_WORDS: [&str; 17] = [
    "date",
    "dates",
    "published",
    "pubdate",
    "posted",
    "timestamp",
    "time",
    "datetime",
    "dateline",
    "publish",
    "updated",
    "postdate",
    "datepublished",
    "datum",
    "fecha",
    "created",
    "dateposted",
];

/// Parts of an address behind which the name of a person stands.
const PEOPLE: [&str; 14] = [
    "/author/",
    "/authors/",
    "/user/",
    "/users/",
    "/u/",
    "/member/",
    "/members/",
    "/profile/",
    "/profiles/",
    "/contributor/",
    "/contributors/",
    "/writer/",
    "/autor/",
    "/staff/",
];

/// Addresses of people with their number in the query.
const PEOPLE_QUERIES: [&str; 4] = ["member.php?", "mode=viewprofile", "action=profile", "profile.php?"];

pub(super) fn region(element: &Element) -> Region {
    match element.tag {
        Tag::Nav | Tag::Footer => Region::Apart,
        Tag::Aside | Tag::Div | Tag::Section | Tag::Ul | Tag::Ol | Tag::Li | Tag::Table | Tag::Header => {
            let is_apart = words(element).any(|word| is_one_of(word, &APART));
            if is_apart { Region::Apart } else { Region::Own }
        }
        _ => Region::Own,
    }
}

pub(super) fn may_be_date(element: &Element) -> bool {
    if element.tag == Tag::Time {
        return true;
    }
    let property = element.attribute("itemprop").unwrap_or_default();
    property.starts_with("date") || property == "uploadDate" || words(element).any(|word| is_one_of(word, &DATE_WORDS))
}

pub(super) fn author_mark(element: &Element) -> Option<AuthorMark> {
    if element.tag.heading_level() == Some(1) {
        return None;
    }
    let is = |name: &str| element.attribute(name).is_some_and(has_author);
    if is("rel") || is("itemprop") || author_attribute(element).is_some() {
        return Some(AuthorMark::Property);
    }
    if words(element).any(|word| is_one_of(word, &AUTHOR_WORDS)) || has_user_name(element) {
        return Some(AuthorMark::Class);
    }
    let address = element.attribute("href").filter(|_| element.tag == Tag::A)?;
    let is_person = PEOPLE.iter().any(|part| address.contains(part))
        || PEOPLE_QUERIES.iter().any(|part| address.contains(part))
        || address.starts_with("/@");
    is_person.then_some(AuthorMark::Link)
}

/// Returns the author that an element, mostly a posting, has in an attribute.
pub(super) fn author_attribute(element: &Element) -> Option<&str> {
    let named = element.attribute("data-author").or_else(|| element.attribute("author"));
    named.filter(|name| !name.trim().is_empty())
}

/// `user-name` and `user_name` are two words to [`words`].
fn has_user_name(element: &Element) -> bool {
    let class = element.attribute("class").unwrap_or_default();
    ["user-name", "user_name", "display-name", "poster-name"].iter().any(|name| class.contains(name))
}

fn has_author(value: &str) -> bool {
    value.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case("author"))
}

/// Returns the words of an element's classes and id: `post-author_name` has
/// three, `entryDate` two.
fn words(element: &Element) -> impl Iterator<Item = &str> {
    let values = [element.attribute("class"), element.attribute("id")];
    values.into_iter().flatten().flat_map(split_words)
}

fn split_words(value: &str) -> impl Iterator<Item = &str> {
    value.split(|c: char| !c.is_ascii_alphanumeric()).flat_map(split_camel).filter(|word| !word.is_empty())
}

/// Cuts before each capital behind a small letter.
fn split_camel(word: &str) -> impl Iterator<Item = &str> {
    let bytes = word.as_bytes();
    let is_cut = |at: &usize| bytes[at - 1].is_ascii_lowercase() && bytes[*at].is_ascii_uppercase();
    let cuts = (1..bytes.len()).filter(move |at| is_cut(at)).chain(std::iter::once(bytes.len()));
    cuts.scan(0, move |from, to| Some(&word[std::mem::replace(from, to)..to]))
}

fn is_one_of(word: &str, words: &[&str]) -> bool {
    words.iter().any(|own| own.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::split_words;

    #[test]
    fn classes_are_split_at_signs_and_capitals() {
        let words: Vec<_> = split_words("post-author_name entryDate H1 é").collect();
        assert_eq!(words, ["post", "author", "name", "entry", "Date", "H1"]);
        assert_eq!(split_words("").count(), 0);
    }
}
