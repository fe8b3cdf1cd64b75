use super::survey::Survey;
use crate::dom::{Dom, NodeId, Tag};
use crate::plain;

/// Nodes before and behind the heading among which a byline is.
const BEFORE: usize = 150;
const BEHIND: usize = 500;

/// Where on a page its byline is to be expected: around its heading, or at the
/// top where there is none.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    heading: NodeId,
    has_heading: bool,
}

impl Place {
    /// Takes the heading whose text is the title, else the first.
    pub(super) fn of(survey: &Survey, title: Option<&str>) -> Self {
        let is_title = |id: &&NodeId| title.is_some() && plain::line_of(survey.dom, **id).as_deref() == title;
        let mut headings = survey.headings.iter().chain(&survey.minor_headings);
        let heading = headings.find(is_title).or(survey.headings.first());
        Self { heading: heading.copied().unwrap_or_else(|| survey.dom.body()), has_heading: heading.is_some() }
    }

    /// Returns the distance in nodes, counted double before the heading.
    pub(super) fn distance(&self, id: NodeId) -> usize {
        let (id, heading) = (id.index(), self.heading.index());
        if id >= heading { id - heading } else { (heading - id) * 2 }
    }

    /// Returns the texts near the heading that belong to the page, those behind it
    /// first.
    pub(super) fn texts<'a>(&self, survey: &'a Survey) -> impl Iterator<Item = (NodeId, &'a str)> + use<'a> {
        let dom = survey.dom;
        let from = if self.has_heading { self.heading.index().saturating_sub(BEFORE) } else { self.heading.index() };
        let range = from..self.heading.index() + BEHIND;
        let near = dom.all().skip(range.start).take(range.len());
        near.filter_map(move |id| Some((id, dom.text(id)?.trim())))
            .filter(move |(id, text)| !text.is_empty() && !survey.is_apart(*id) && !is_machinery(dom, *id))
    }
}

fn is_machinery(dom: &Dom, text: NodeId) -> bool {
    dom.parent(text).and_then(|id| dom.tag(id)).is_some_and(|tag| {
        matches!(tag, Tag::Script | Tag::Style | Tag::Noscript | Tag::Title | Tag::Textarea | Tag::Option)
    })
}
