use kuchikiki::NodeRef;
use serde_json::Value;

use crate::tree;

/// Types of schema.org whose properties describe the page's content.
const CONTENT_TYPES: [&str; 12] = [
    "Article",
    "NewsArticle",
    "BlogPosting",
    "TechArticle",
    "ScholarlyArticle",
    "Report",
    "ReportageNewsArticle",
    "OpinionNewsArticle",
    "DiscussionForumPosting",
    "Recipe",
    "Product",
    "WebPage",
];

/// Returns the JSON-LD object that describes the page's content: the first of
/// the most telling type. Blocks that are not JSON are passed over.
pub(crate) fn content_object(document: &NodeRef) -> Option<Value> {
    let mut objects = Vec::new();
    for script in tree::select(document, r#"script[type="application/ld+json"]"#) {
        if let Ok(value) = serde_json::from_str::<Value>(script.text_contents().trim()) {
            collect(value, &mut objects);
        }
    }
    let rank = |object: &Value| CONTENT_TYPES.iter().position(|name| has_type(object, name));
    objects.into_iter().filter(|object| rank(object).is_some()).min_by_key(|object| rank(object))
}

/// Flattens lists and `@graph`, without recursion.
fn collect(value: Value, objects: &mut Vec<Value>) {
    let mut waiting = vec![value];
    while let Some(next) = waiting.pop() {
        match next {
            Value::Array(items) => waiting.extend(items.into_iter().rev()),
            Value::Object(mut object) => {
                if let Some(graph) = object.remove("@graph") {
                    waiting.push(graph);
                }
                objects.push(Value::Object(object));
            }
            _ => {}
        }
    }
}

fn has_type(object: &Value, name: &str) -> bool {
    match &object["@type"] {
        Value::String(own) => own == name,
        Value::Array(own) => own.iter().any(|own| own == name),
        _ => false,
    }
}

/// Returns a property as text.
pub(crate) fn text(object: &Value, property: &str) -> Option<String> {
    object[property].as_str().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
}

/// Returns the names of a person, an organisation, or a list of them.
pub(crate) fn names(object: &Value, property: &str) -> Option<String> {
    let name = |one: &Value| one.as_str().map(str::to_owned).or_else(|| text(one, "name"));
    let names: Vec<String> = match &object[property] {
        Value::Array(many) => many.iter().filter_map(name).collect(),
        one => name(one).into_iter().collect(),
    };
    let names: Vec<_> = names.iter().map(|name| name.trim()).filter(|name| !name.is_empty()).collect();
    (!names.is_empty()).then(|| names.join(", "))
}
