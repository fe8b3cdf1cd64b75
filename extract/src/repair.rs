//! What the Markdown writer gets wrong, put right before and after it.

use kuchikiki::NodeRef;

use crate::tree;

/// Moves white space from the ends of emphasised text to its outside: `** bold**`
/// is not bold. Emphasis of nothing goes.
pub(crate) fn spaces_out_of_emphasis(root: &NodeRef) {
    // The inner elements come after the outer ones.
    for emphasis in tree::select(root, "b, strong, i, em, del, s, strike").iter().rev() {
        if emphasis.text_contents().trim().is_empty() && tree::select(emphasis, "img").is_empty() {
            tree::unwrap(emphasis);
            continue;
        }
        if shorten(|| emphasis.first_child(), str::trim_start) {
            emphasis.insert_before(NodeRef::new_text(" "));
        }
        if shorten(|| emphasis.last_child(), str::trim_end) {
            emphasis.insert_after(NodeRef::new_text(" "));
        }
    }
}

/// Trims the text at one end of an element, also where it is several nodes; says
/// whether there was anything to trim.
fn shorten(outermost: impl Fn() -> Option<NodeRef>, trim: fn(&str) -> &str) -> bool {
    let mut is_shorter = false;
    while let Some(node) = outermost() {
        let Some(text) = node.as_text() else { break };
        let trimmed = trim(&text.borrow()).to_owned();
        is_shorter |= trimmed.len() < text.borrow().len();
        if !trimmed.is_empty() {
            text.replace(trimmed);
            break;
        }
        node.detach();
    }
    is_shorter
}

/// Leaves no more than one empty line between blocks, and code as it is.
pub(crate) fn single_empty_lines(markdown: &str) -> String {
    let mut tidy = String::with_capacity(markdown.len());
    let (mut empty_lines, mut fence) = (0, None::<&str>);
    for line in markdown.trim().lines() {
        let marker = fence_marker(line);
        match fence {
            Some(open) if marker.starts_with(open) && marker.len() == line.trim().len() => fence = None,
            None if !marker.is_empty() => fence = Some(marker),
            _ => {}
        }
        empty_lines = if line.trim().is_empty() { empty_lines + 1 } else { 0 };
        if empty_lines < 2 || fence.is_some() {
            tidy.push_str(line);
            tidy.push('\n');
        }
    }
    tidy
}

/// The three or more marks that begin or end a block of code; empty when the
/// line is another. A quotation's lines are never empty, so its code is safe.
fn fence_marker(line: &str) -> &str {
    let line = line.trim_start().trim_start_matches(|mark: char| "-*+.)0123456789 ".contains(mark));
    let marks = |mark: char| line.len() - line.trim_start_matches(mark).len();
    &line[..marks('`').max(marks('~')).checked_sub(3).map_or(0, |more| more + 3)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_lines_in_code_stay() {
        let code = "- ````sh\n  a\n\n\n  ```\n\n\n  b\n  ````\n";
        assert_eq!(single_empty_lines(&format!("x\n\n\n\n{code}\n\n\ny\n")), format!("x\n\n{code}\ny\n"));
        assert_eq!(single_empty_lines("a ```b``` c\n\n\nd"), "a ```b``` c\n\nd\n");
    }

    #[test]
    fn emphasis_has_no_space_at_its_ends() {
        for (html, expected) in [
            ("a<b> bold </b>z", "a <b>bold</b> z"),
            ("a<b> <i> x</i></b>z", "a <b><i>x</i></b>z"),
            ("a<b> </b>z", "a z"),
            ("<em>x</em>", "<em>x</em>"),
        ] {
            let document = tree::parse(html);
            spaces_out_of_emphasis(&document);
            let body = tree::select(&document, "body").remove(0);
            assert_eq!(tree::inner_html(&body).replace("  ", " "), expected, "{html}");
        }
    }
}
