//! JSON-LD as pages have it: several blocks, graphs, lists, and often not quite
//! JSON.

use serde_json::Value;

mod repair;

/// Objects read from one page. The largest real pages have some hundreds.
const MAX_OBJECTS: usize = 1_000;

/// Types of schema.org that are a page's content, besides those whose names end
/// in `Article` or `Posting`; the earlier the more telling.
const CONTENT_TYPES: [&str; 19] = [
    "Recipe",
    "HowTo",
    "Report",
    "Question",
    "Product",
    "ProductGroup",
    "Course",
    "Event",
    "Book",
    "Movie",
    "JobPosting",
    "SoftwareApplication",
    "WebApplication",
    "VideoGame",
    "Dataset",
    "Service",
    "CreativeWork",
    "VideoObject",
    "AudioObject",
];

/// Whether a script of this type holds JSON-LD.
pub(crate) fn is_json_ld(script_type: &str) -> bool {
    let kind = script_type.split(';').next().unwrap_or_default().trim();
    kind.eq_ignore_ascii_case("application/ld+json") || kind.eq_ignore_ascii_case("application/json+ld")
}

/// Returns the objects of a page's blocks, those that describe its content
/// first and otherwise in the order of the page. What cannot be read is passed
/// over.
pub(crate) fn objects<'a>(blocks: impl Iterator<Item = &'a str>) -> Vec<Value> {
    let mut objects = Vec::new();
    for value in blocks.flat_map(repair::values) {
        flatten(value, &mut objects);
    }
    objects.sort_by_cached_key(content_rank);
    objects
}

/// Flattens lists, `@graph` and main entities, without recursion.
fn flatten(value: Value, objects: &mut Vec<Value>) {
    let mut waiting = vec![value];
    while let Some(next) = waiting.pop()
        && objects.len() < MAX_OBJECTS
    {
        match next {
            Value::Array(items) => waiting.extend(items.into_iter().rev()),
            Value::Object(mut object) => {
                waiting.extend(object.remove("@graph"));
                // The questions of an FAQ are parts of the page, not what it is.
                let is_list_of_questions =
                    object.get("@type").is_some_and(|types| has_type(types, |name| name == "FAQPage"));
                let inner = ["mainEntity", "mainEntityOfPage"].iter().filter_map(|key| object.remove(*key));
                waiting.extend(inner.filter(|_| !is_list_of_questions));
                objects.push(Value::Object(object));
            }
            _ => {}
        }
    }
}

/// Whether one of an object's types, without the vocabulary's address, is as
/// asked for.
fn has_type(types: &Value, is: impl Fn(&str) -> bool) -> bool {
    let is = |one: &Value| one.as_str().is_some_and(|name| is(name.rsplit(['/', '#', ':']).next().unwrap_or(name)));
    match types {
        Value::Array(many) => many.iter().any(is),
        one => is(one),
    }
}

/// Places articles before other content, that before pages and those before
/// everything else.
fn content_rank(object: &Value) -> usize {
    let types = &object["@type"];
    if is_posting(object) {
        return 0;
    }
    let named = CONTENT_TYPES.iter().position(|name| has_type(types, |own| own == *name));
    if let Some(at) = named {
        return 1 + at;
    }
    if has_type(types, |name| name.ends_with("Page")) { CONTENT_TYPES.len() + 1 } else { usize::MAX }
}

/// Whether an object is an article, a blog posting, a topic of a forum.
pub(crate) fn is_posting(object: &Value) -> bool {
    has_type(&object["@type"], |name| {
        name.ends_with("Article") || (name.ends_with("Posting") && name != "JobPosting") || name == "hentry"
    })
}

/// Whether an object describes the page or its content.
pub(crate) fn is_content(object: &Value) -> bool {
    content_rank(object) != usize::MAX
}

/// Whether an object describes the content itself and not the page it is on.
pub(crate) fn is_main_content(object: &Value) -> bool {
    content_rank(object) <= CONTENT_TYPES.len()
}

/// Returns a property as text, trimmed and not empty.
pub(crate) fn text<'a>(object: &'a Value, property: &str) -> Option<&'a str> {
    let value = match &object[property] {
        Value::Array(many) => many.first()?,
        one => one,
    };
    value.as_str().or_else(|| value["@value"].as_str()).map(str::trim).filter(|text| !text.is_empty())
}

/// Returns the names of a person, an organisation, or a list of them; those only
/// referred to by `@id` are looked up among the page's objects.
pub(crate) fn names<'a>(object: &'a Value, property: &str, objects: &'a [Value]) -> Vec<&'a str> {
    let many = match &object[property] {
        Value::Array(many) => many.as_slice(),
        one => std::slice::from_ref(one),
    };
    let referred = |one: &Value| {
        let id = one["@id"].as_str()?;
        objects.iter().find(|object| object["@id"] == id)
    };
    let name = |one: &'a Value| {
        one.as_str().or_else(|| text(one, "name")).or_else(|| referred(one).and_then(|found| text(found, "name")))
    };
    many.iter().take(20).filter_map(name).map(str::trim).filter(|name| !name.is_empty()).collect()
}

/// Returns what the page's objects call the site.
pub(crate) fn site_name(objects: &[Value]) -> Option<String> {
    let named = |kind: &str| {
        let mut of_kind = objects.iter().filter(|object| has_type(&object["@type"], |name| name == kind));
        of_kind.find_map(|object| text(object, "name")).map(str::to_owned)
    };
    let publisher = || {
        let mut content = objects.iter().filter(|object| is_content(object));
        content.find_map(|object| names(object, "publisher", objects).first().map(|name| (*name).to_owned()))
    };
    named("WebSite").or_else(publisher).or_else(|| named("Organization"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(block: &str) -> Vec<Value> {
        objects(std::iter::once(block))
    }

    #[test]
    fn content_comes_before_the_page_and_the_site() {
        let block = r##"{"@graph": [{"@type": "WebSite", "name": "Site"}, {"@type": ["Thing", "https://schema.org/WebPage"],
            "name": "Page"}, {"@type": "BlogPosting", "headline": "Post", "author": {"@id": "#ann"}},
            {"@type": "Person", "@id": "#ann", "name": " Ann Ray "}]}"##;
        let objects = read(block);
        assert_eq!(text(&objects[0], "headline"), Some("Post"));
        assert_eq!(names(&objects[0], "author", &objects), ["Ann Ray"]);
        assert_eq!(text(&objects[1], "name"), Some("Page"));
        assert_eq!(site_name(&objects).as_deref(), Some("Site"));
        assert!(is_main_content(&objects[0]) && !is_main_content(&objects[1]) && is_content(&objects[1]));
    }

    #[test]
    fn a_main_entity_counts_but_not_the_questions_of_an_faq() {
        let question = r#"{"@type": "Question", "name": "Why?", "author": "Bo"}"#;
        assert_eq!(read(&format!(r#"{{"@type": "QAPage", "mainEntity": {question}}}"#)).len(), 2);
        assert_eq!(read(&format!(r#"{{"@type": "FAQPage", "mainEntity": [{question}]}}"#)).len(), 1);
        assert_eq!(read(r#"{"@type": "Article", "mainEntityOfPage": "https://site.test/"}"#).len(), 1);
    }

    #[test]
    fn several_authors_are_all_named() {
        let objects =
            read(r#"{"@type": "Article", "author": ["Ann", {"name": "Bo"}, {"name": ["Cy"]}, 7, {"@id": "?"}]}"#);
        assert_eq!(names(&objects[0], "author", &objects), ["Ann", "Bo", "Cy"]);
    }

    #[test]
    fn hostile_blocks_end() {
        assert!(read(&"[".repeat(100_000)).is_empty());
        assert!(read(&r#"{"mainEntity":"#.repeat(100_000)).is_empty());
        assert_eq!(read(&format!("[{}1]", "{},".repeat(50_000))).len(), MAX_OBJECTS);
    }
}
