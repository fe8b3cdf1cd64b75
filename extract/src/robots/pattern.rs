use crate::octets;

/// The pattern of a rule, cut at its `*`.
#[derive(Debug, Clone)]
pub(super) struct Pattern {
    parts: Vec<String>,
    is_anchored: bool,
    weight: usize,
}

impl Pattern {
    pub(super) fn new(written: &str) -> Self {
        let whole = octets::normalised(written);
        let (body, is_anchored) = match whole.strip_suffix('$') {
            Some(body) => (body, true),
            None => (&*whole, false),
        };
        Self { parts: body.split('*').map(str::to_owned).collect(), is_anchored, weight: whole.len() }
    }

    /// Returns how telling the pattern is: its length.
    pub(super) fn weight(&self) -> usize {
        self.weight
    }

    /// Whether the pattern matches the beginning of a target, or all of it where
    /// it ends in `$`. Each part is looked for behind the one before and never
    /// again: the earliest place leaves the most for the others, so that the time
    /// is linear in the target.
    pub(super) fn matches(&self, target: &str) -> bool {
        let Some((first, others)) = self.parts.split_first() else { return false };
        let Some(mut rest) = target.strip_prefix(first.as_str()) else { return false };
        let Some((last, between)) = others.split_last() else { return !self.is_anchored || rest.is_empty() };
        for part in between {
            let Some(at) = rest.find(part.as_str()) else { return false };
            rest = &rest[at + part.len()..];
        }
        if self.is_anchored { rest.ends_with(last.as_str()) } else { rest.contains(last.as_str()) }
    }
}
