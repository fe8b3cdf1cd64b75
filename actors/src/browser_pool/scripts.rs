use std::time::Duration;

use serde_json::Value;

/// The expression that throws when `selector` is not a CSS selector.
pub(super) fn check_selector(selector: &str) -> String {
    call("(selector) => { document.createDocumentFragment().querySelector(selector); return true }", &[selector.into()])
}

/// The expression whose promise resolves when the document has come to rest.
pub(super) fn quiet(rest: Duration, limit: Duration) -> String {
    call(include_str!("scripts/quiet.js"), &[millis(rest), millis(limit)])
}

/// The expression whose promise resolves when `selector` matches.
pub(super) fn wait_for(selector: &str) -> String {
    call(include_str!("scripts/wait_for.js"), &[selector.into(), 50.into()])
}

/// The expression that notes on each image where it stands and how large it is.
pub(super) fn measure() -> String {
    call(include_str!("scripts/measure.js"), &[])
}

/// The expression whose value is `{url, html}`, or `{url, length}` of a document
/// of more than `limit` UTF-16 units.
pub(super) fn read(limit: usize) -> String {
    call(include_str!("scripts/read.js"), &[limit.into()])
}

fn millis(duration: Duration) -> Value {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX).into()
}

/// JSON is JavaScript, so a value from outside cannot become code.
fn call(function: &str, arguments: &[Value]) -> String {
    let arguments: Vec<String> = arguments.iter().map(Value::to_string).collect();
    format!("(\n{}\n)({})", function.trim_end(), arguments.join(", "))
}
