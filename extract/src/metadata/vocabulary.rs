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

/// What a word in a class or id is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meaning {
    Apart,
    Author,
    Date,
}

/// Letters of the longest word known.
const MAX_WORD: usize = 15;

fn meaning(word: &str) -> Option<Meaning> {
    let mut lower = [0; MAX_WORD];
    let lower = lower.get_mut(..word.len())?;
    lower.copy_from_slice(word.as_bytes());
    lower.make_ascii_lowercase();
    match &*lower {
        b"comment" | b"comments" | b"commentlist" | b"respond" | b"reply" | b"replies" | b"related"
        | b"recommended" | b"recommendations" | b"sidebar" | b"widget" | b"popular" | b"trending" | b"newsletter"
        | b"footer" | b"nav" | b"navbar" | b"menu" | b"breadcrumb" | b"breadcrumbs" | b"promo" | b"advert" | b"ads"
        | b"cookie" | b"consent" | b"similar" | b"carousel" | b"teaser" | b"upsell" | b"latest" | b"recirc"
        | b"recirculation" | b"testimonial" | b"testimonials" | b"suggested" | b"masthead" | b"review" | b"reviews"
        | b"rating" => Some(Meaning::Apart),
        b"author" | b"authors" | b"byline" | b"username" | b"poster" | b"writer" | b"contributor" | b"creator"
        | b"authorname" | b"bylines" | b"postauthor" | b"bypostauthor" | b"hcard" | b"postername" | b"usertext"
        | b"autor" | b"auteur" | b"verfasser" => Some(Meaning::Author),
        b"date" | b"dates" | b"published" | b"pubdate" | b"posted" | b"timestamp" | b"time" | b"datetime"
        | b"dateline" | b"publish" | b"updated" | b"postdate" | b"datepublished" | b"datum" | b"fecha" | b"created"
        | b"dateposted" => Some(Meaning::Date),
        _ => None,
    }
}

/// What an element's classes and id are about.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Marks {
    is_apart: bool,
    is_author: bool,
    is_date: bool,
}

impl Marks {
    pub(super) fn of(element: &Element) -> Self {
        let mut marks = Self::default();
        for word in words(element) {
            match meaning(word) {
                Some(Meaning::Apart) => marks.is_apart = true,
                Some(Meaning::Author) => marks.is_author = true,
                Some(Meaning::Date) => marks.is_date = true,
                None => {}
            }
        }
        marks
    }
}

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

pub(super) fn region(element: &Element, marks: Marks) -> Region {
    match element.tag {
        Tag::Nav | Tag::Footer => Region::Apart,
        Tag::Aside | Tag::Div | Tag::Section | Tag::Ul | Tag::Ol | Tag::Li | Tag::Table | Tag::Header => {
            if marks.is_apart { Region::Apart } else { Region::Own }
        }
        _ => Region::Own,
    }
}

pub(super) fn may_be_date(element: &Element, marks: Marks) -> bool {
    if element.tag == Tag::Time {
        return true;
    }
    let property = element.attribute("itemprop").unwrap_or_default();
    property.starts_with("date") || property == "uploadDate" || marks.is_date
}

pub(super) fn author_mark(element: &Element, marks: Marks) -> Option<AuthorMark> {
    if element.tag.heading_level() == Some(1) {
        return None;
    }
    let is = |name: &str| element.attribute(name).is_some_and(has_author);
    if is("rel") || is("itemprop") || author_attribute(element).is_some() {
        return Some(AuthorMark::Property);
    }
    if marks.is_author || has_user_name(element) {
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
