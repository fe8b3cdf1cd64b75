//! Links and images: addresses, titles and descriptions in brackets.

use std::borrow::Cow;

use super::escape::{self, Around, Delimiters, Place};
use crate::addresses::{self, Base};
use crate::dom::{Dom, NodeId};

/// Bytes of an address beyond which it is not written.
const MAX_ADDRESS: usize = 8_192;

/// Bytes that all addresses of a page may take: for each node, and for any page.
/// Real ones take a tenth. An unclosed `<a>` with a long address would stand
/// around each of the paragraphs behind it.
const BUDGET: (usize, usize) = (64, 1 << 20);

pub(super) struct Links<'p> {
    dom: &'p Dom,
    base: &'p Base,
    budget: usize,
}

impl<'p> Links<'p> {
    pub(super) fn new(dom: &'p Dom, base: &'p Base) -> Self {
        Self { dom, base, budget: dom.len() * BUDGET.0 + BUDGET.1 }
    }

    /// Returns what stands in the round brackets of a link.
    pub(super) fn target(&mut self, link: NodeId, place: Place) -> Option<String> {
        let address = self.admit(addresses::target(self.dom, link)?)?;
        Some(bracketed(&address, self.dom.attribute(link, "title"), place))
    }

    fn admit<'a>(&mut self, reference: &'a str) -> Option<Cow<'a, str>>
    where
        'p: 'a,
    {
        let address = self.base.resolve(reference);
        let is_admitted = address.len() <= MAX_ADDRESS.min(self.budget);
        self.budget = self.budget.saturating_sub(address.len());
        Some(address).filter(|_| is_admitted)
    }

    /// Returns an image as Markdown, if it has an address. Its tree may be that
    /// of a `<noscript>`.
    pub(super) fn image(&mut self, dom: &Dom, image: NodeId, place: Place) -> Option<String> {
        let source = addresses::image_source(dom, image)?.to_owned();
        let address = self.base.resolve(&source);
        if address.len() > MAX_ADDRESS.min(self.budget) {
            return None;
        }
        self.budget = self.budget.saturating_sub(address.len());
        let mut markdown = String::from("![");
        description(&mut markdown, &collapsed(dom.attribute(image, "alt").unwrap_or_default()), place);
        markdown.push_str("](");
        markdown.push_str(&bracketed(&address, dom.attribute(image, "title"), place));
        markdown.push(')');
        Some(markdown)
    }
}

/// Returns text with single spaces between its words.
pub(super) fn collapsed(text: &str) -> String {
    text.split_ascii_whitespace().collect::<Vec<_>>().join(" ")
}

fn description(out: &mut String, text: &str, place: Place) {
    let around =
        Around { place, delimiters: Delimiters::any(), next: Some(']'), is_before_link: false, is_in_brackets: true };
    escape::text(out, text, around);
}

fn bracketed(address: &str, title: Option<&str>, place: Place) -> String {
    let mut out = destination(address);
    if let Some(title) = title {
        out.push_str(" \"");
        for character in collapsed(title).chars() {
            if matches!(character, '"' | '\\' | '&' | '<' | '`') {
                out.push('\\');
            }
            out.push(character);
        }
        out.push('"');
    }
    if place == Place::Cell { out.replace('|', "\\|") } else { out }
}

/// Writes an address as CommonMark's link destination.
fn destination(address: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_graphic() && !b"()<>\\&`".contains(&byte);
    if address.bytes().all(is_plain) {
        return address.to_owned();
    }
    let is_enclosed = address.contains(|character: char| character.is_ascii_whitespace() || character.is_control());
    let are_brackets_paired = is_paired(address);
    let mut out = String::with_capacity(address.len() + 8);
    for (at, character) in address.char_indices() {
        match character {
            '`' => out.push_str("%60"),
            '<' => out.push_str("%3C"),
            '>' => out.push_str("%3E"),
            '(' | ')' if !are_brackets_paired && !is_enclosed => out.extend(['\\', character]),
            '\\' => out.push_str("\\\\"),
            '&' if escape::is_reference(&address[at + 1..]) => out.push_str("\\&"),
            _ if character.is_control() => {}
            _ => out.push(character),
        }
    }
    if is_enclosed { format!("<{out}>") } else { out }
}

/// Whether round brackets pair, not deeper than every reader goes.
fn is_paired(address: &str) -> bool {
    let mut depth = 0_usize;
    for byte in address.bytes() {
        match byte {
            b'(' if depth > 8 => return false,
            b'(' => depth += 1,
            b')' if depth == 0 => return false,
            b')' => depth -= 1,
            _ => {}
        }
    }
    depth == 0
}
