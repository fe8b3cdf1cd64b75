/// Separators within one title that are looked at.
const MAX_CUTS: usize = 6;

/// A title and where separators cut it.
#[derive(Debug)]
pub(super) struct Whole<'a> {
    text: &'a str,
    cuts: Vec<Cut>,
}

#[derive(Debug, Clone, Copy)]
struct Cut {
    from: usize,
    to: usize,
    sign: Option<char>,
}

/// A part of a title between two separators, near or far, or its ends.
#[derive(Debug)]
pub(super) struct Span<'a> {
    pub(super) text: &'a str,
    pub(super) before: &'a str,
    pub(super) behind: &'a str,
    pub(super) sign_before: Option<char>,
    pub(super) sign_behind: Option<char>,
}

impl<'a> Whole<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        let start = Cut { from: 0, to: 0, sign: None };
        let end = Cut { from: text.len(), to: text.len(), sign: None };
        let cuts = std::iter::once(start).chain(cuts(text).take(MAX_CUTS)).chain(std::iter::once(end));
        Self { text, cuts: cuts.collect() }
    }

    /// Returns all spans that are not empty, the longest that begins first before
    /// those within it.
    pub(super) fn spans(&self) -> Vec<Span<'a>> {
        let mut spans = Vec::new();
        for (at, left) in self.cuts.iter().enumerate() {
            for right in self.cuts[at + 1..].iter().rev() {
                let text = self.text.get(left.to..right.from).unwrap_or_default().trim();
                if text.contains(char::is_alphanumeric) {
                    spans.push(Span {
                        text,
                        before: self.text[..left.from].trim(),
                        behind: self.text[right.to..].trim(),
                        sign_before: left.sign,
                        sign_behind: right.sign,
                    });
                }
            }
        }
        spans
    }
}

/// Returns where a sign separates: with space around it, or by itself where no
/// word has it.
fn cuts(text: &str) -> impl Iterator<Item = Cut> {
    text.char_indices().filter_map(|(at, sign)| {
        let to = at + sign.len_utf8();
        let before = text[..at].chars().next_back();
        let behind = text[to..].chars().next();
        let is_space = |c: Option<char>| c.is_none_or(char::is_whitespace);
        let is_cut = match sign {
            '|' | '»' | '•' => true,
            ':' => is_space(behind),
            '–' | '—' => is_space(behind),
            '-' | '·' | '«' | '/' | '~' | '<' | '>' | '∙' | '⋆' => is_space(before) && is_space(behind),
            _ => false,
        };
        is_cut.then_some(Cut { from: at, to, sign: Some(sign) })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(title: &str) -> Vec<&str> {
        Whole::of(title).spans().iter().map(|span| span.text).collect()
    }

    #[test]
    fn titles_are_cut_at_separators_and_not_within_words() {
        assert_eq!(texts("How to | Site"), ["How to | Site", "How to", "Site"]);
        assert_eq!(texts("A well-known 10:30 and/or"), ["A well-known 10:30 and/or"]);
        assert_eq!(texts("Café– Bar|Site"), ["Café– Bar|Site", "Café– Bar", "Café", "Bar|Site", "Bar", "Site"]);
        assert!(texts("").is_empty() && texts(" | ").is_empty());
        let many = "a | ".repeat(1_000);
        assert!(texts(&many).len() <= 28);
    }

    #[test]
    fn spans_know_what_is_around_them() {
        let whole = Whole::of("Site: Page - More");
        let page = whole.spans().into_iter().find(|span| span.text == "Page").expect("the page's");
        assert_eq!((page.before, page.behind), ("Site", "More"));
        assert_eq!((page.sign_before, page.sign_behind), (Some(':'), Some('-')));
    }
}
