//! The title of the content: of the page's headings and of what its `<title>`
//! and `og:title` hold between separators, the likeliest.

use super::site::Site;
use super::survey::Survey;
use super::words::Words;
use crate::dom::{Dom, NodeId, Tag};
use crate::{plain, structured_data};

mod spans;

use spans::{Span, Whole};

/// Headings of the first level that are looked at.
const MAX_HEADINGS: usize = 5;

/// Returns the title; nothing where the page has neither heading nor title.
pub(super) fn read(survey: &Survey, site: &Site) -> Option<String> {
    let mut contest = Contest::of(survey, site);
    for heading in contest.headings.clone() {
        let is_only = contest.headings.len() == 1;
        contest.enter(&heading.text, |candidate| {
            candidate.is_first_heading |= heading.is_first;
            candidate.is_only_heading |= is_only;
            candidate.is_logo |= heading.is_logo;
        });
    }
    contest.enter_spans(Source::Tab);
    contest.enter_spans(Source::Shared);
    if let Some(headline) = contest.headline.clone() {
        contest.enter(&headline.text, |_| {});
    }
    contest.winner()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    /// `<title>`
    Tab,
    /// `og:title`
    Shared,
}

#[derive(Debug, Clone)]
struct Line {
    text: String,
    words: Words,
}

impl Line {
    fn new(text: String) -> Self {
        Self { words: Words::of(&text), text }
    }
}

#[derive(Debug, Clone)]
struct Heading {
    text: String,
    words: Words,
    is_first: bool,
    is_logo: bool,
}

/// A text that may be the title and what speaks for and against it.
#[derive(Debug, Default)]
struct Candidate {
    text: String,
    words: Words,
    is_first_heading: bool,
    is_only_heading: bool,
    is_logo: bool,
    is_declared: bool,
    is_whole_of_shared: bool,
    begins: [bool; 2],
    ends: [bool; 2],
    is_cut_at_pipe: bool,
    is_cut_at_dash: bool,
    is_cut_at_colon: bool,
    /// Of the words cut off, tenths, at most 1.
    loss: f32,
}

struct Contest<'a> {
    site: &'a Site,
    headings: Vec<Heading>,
    tab: Option<Line>,
    shared: Option<Line>,
    headline: Option<Line>,
    candidates: Vec<Candidate>,
}

impl<'a> Contest<'a> {
    fn of(survey: &Survey, site: &'a Site) -> Self {
        let shared = survey.meta(&["og:title", "twitter:title"]).map(plain::unescaped);
        let described = survey.described.iter().filter(|object| structured_data::is_main_content(object));
        let headline = described
            .filter_map(|object| {
                structured_data::text(object, "headline").or_else(|| structured_data::text(object, "name"))
            })
            .next();
        Self {
            site,
            headings: headings(survey.dom, &survey.headings, site),
            tab: survey.tab.as_deref().map(plain::unescaped).map(Line::new),
            shared: shared.as_deref().and_then(plain::line).map(Line::new),
            headline: headline.map(plain::unescaped).as_deref().and_then(plain::line).map(Line::new),
            candidates: Vec::new(),
        }
    }

    fn enter(&mut self, text: &str, note: impl FnOnce(&mut Candidate)) {
        let known = self.candidates.iter().position(|candidate| candidate.text == text);
        let at = known.unwrap_or_else(|| {
            let words = Words::of(text);
            self.candidates.push(Candidate { text: text.to_owned(), words, ..Candidate::default() });
            self.candidates.len() - 1
        });
        note(&mut self.candidates[at]);
    }

    fn enter_spans(&mut self, source: Source) {
        let line = if source == Source::Tab { &self.tab } else { &self.shared };
        let Some(line) = line.as_ref().map(|line| line.text.clone()) else { return };
        let whole = Whole::of(&line);
        for span in whole.spans() {
            self.enter(span.text, |candidate| candidate.note(&span, source));
        }
    }

    fn winner(self) -> Option<String> {
        let score = |candidate: &Candidate| self.score(candidate);
        // Of equals the first, which is the heading.
        let best = self.candidates.iter().map(|candidate| (score(candidate), candidate));
        let best = best.reduce(|best, next| if next.0 > best.0 { next } else { best });
        best.map(|(_, candidate)| candidate.text.clone())
    }

    /// Weighs what speaks for a candidate. The weights are those of a
    /// log-linear choice among a page's candidates, fitted on a thousand pages of
    /// seven kinds with their titles given by people, and rounded.
    fn score(&self, candidate: &Candidate) -> f32 {
        let words = &candidate.words;
        let like = |line: &Option<Line>| line.as_ref().map_or(0.0, |line| words.similarity(&line.words));
        let is_heading = self.headings.iter().any(|heading| words.similarity(&heading.words) >= 0.8);
        let is_start_page = self.site.slug.is_empty();
        let signs = [
            (candidate.is_first_heading, 1.2),
            (candidate.is_only_heading, 0.45),
            (candidate.is_logo, -1.2),
            (candidate.is_declared && is_heading, 0.65),
            (candidate.is_whole_of_shared, 0.7),
            (candidate.begins[Source::Shared as usize], 0.5),
            (candidate.begins[Source::Tab as usize], 0.3),
            (candidate.ends[Source::Shared as usize], -0.7),
            (candidate.ends[Source::Tab as usize], -0.35),
            (candidate.is_cut_at_pipe, 0.85),
            (candidate.is_cut_at_dash, 0.7),
            (candidate.is_cut_at_colon, -0.3),
            (self.names_site_too(candidate), -1.1),
            (words.len() <= 1, -0.7),
            (is_generic(&candidate.text), -0.8),
            (is_start_page && self.is_whole(candidate), 1.25),
            (is_start_page && is_heading, -0.55),
        ];
        let signs: f32 = signs.iter().filter(|(is, _)| *is).map(|(_, weight)| weight).sum();
        let slug = &self.site.slug;
        signs
            + 1.3 * words.share_in(slug)
            + 0.55 * slug.share_in(words)
            + like(&self.tab)
            + 0.7 * like(&self.headline)
            + 0.35 * like(&self.shared)
            - 0.35 * candidate.loss
    }

    fn is_whole(&self, candidate: &Candidate) -> bool {
        [&self.tab, &self.shared].into_iter().flatten().any(|line| line.text == candidate.text)
    }

    /// Whether a part of it is the site's name, and not all of it.
    fn names_site_too(&self, candidate: &Candidate) -> bool {
        let whole = Whole::of(&candidate.text);
        let mut parts = whole.spans().into_iter().filter(|part| part.text != candidate.text);
        !self.site.is_name(&candidate.text) && parts.any(|part| self.site.is_name(part.text))
    }
}

impl Candidate {
    fn note(&mut self, span: &Span, source: Source) {
        let (is_first, is_last) = (span.before.is_empty(), span.behind.is_empty());
        self.is_declared = true;
        self.is_whole_of_shared |= source == Source::Shared && is_first && is_last;
        self.begins[source as usize] |= is_first && !is_last;
        self.ends[source as usize] |= !is_first;
        self.is_cut_at_pipe |= matches!(span.sign_behind, Some('|' | '•' | '»' | '·'));
        self.is_cut_at_dash |= matches!(span.sign_behind, Some('-' | '–' | '—'));
        self.is_cut_at_colon |= span.sign_behind == Some(':') || span.sign_before == Some(':');
        let lost = Words::of(span.before).len() + Words::of(span.behind).len();
        self.loss = self.loss.max(lost.min(10) as f32 / 10.0);
    }
}

/// Returns the page's headings of the first level without those that lead to
/// the start page: these hold the site's name.
fn headings(dom: &Dom, ids: &[NodeId], site: &Site) -> Vec<Heading> {
    let is_apart = |id: &NodeId| !site.slug.is_empty() && leads_home(dom, *id);
    let lines =
        ids.iter().filter(|id| !is_apart(id)).filter_map(|id| Some((*id, uncounted(plain::line_of(dom, *id)?))));
    let heading = |(at, (id, text)): (usize, (NodeId, String))| Heading {
        words: Words::of(&text),
        text,
        is_first: at == 0,
        is_logo: is_logo(dom, id),
    };
    lines.take(MAX_HEADINGS).enumerate().map(heading).collect()
}

/// Takes the number of things off with which the headings of lists end: `(42)`,
/// `(158 items)`.
fn uncounted(heading: String) -> String {
    let count = heading.strip_suffix(')').and_then(|head| head.rsplit_once('('));
    let is_count = |inner: &str| inner.starts_with(|c: char| c.is_ascii_digit()) && inner.split(' ').count() <= 2;
    match count {
        Some((title, inner)) if is_count(inner) && !is_year(inner) && !title.trim().is_empty() => {
            title.trim().to_owned()
        }
        _ => heading,
    }
}

fn is_year(text: &str) -> bool {
    text.len() == 4 && (text.starts_with("19") || text.starts_with("20"))
}

fn leads_home(dom: &Dom, heading: NodeId) -> bool {
    let around = dom.ancestors(heading).take(3).find(|id| dom.is(*id, Tag::A));
    let link = around.or_else(|| dom.elements(heading, Tag::A).next());
    let Some(address) = link.and_then(|link| dom.attribute(link, "href")) else { return false };
    let path = match address.split_once("://") {
        Some((_, behind)) => behind.split_once('/').map_or("", |(_, path)| path),
        None => address.trim_start_matches('.').trim_start_matches('/'),
    };
    !address.starts_with('#') && matches!(path, "" | "index.html" | "index.php")
}

fn is_logo(dom: &Dom, heading: NodeId) -> bool {
    const NAMES: [&str; 8] = ["logo", "site-name", "site-title", "sitename", "sitetitle", "menu", "brand", "sr-only"];
    let values = ["class", "id"].map(|name| dom.attribute(heading, name).unwrap_or_default().to_ascii_lowercase());
    NAMES.iter().any(|name| values.iter().any(|value| value.contains(name)))
}

/// Whether a text says where one is on a site, on any site.
fn is_generic(text: &str) -> bool {
    const NAMES: [&str; 14] = [
        "blog",
        "news",
        "home",
        "homepage",
        "menu",
        "search",
        "search results",
        "forum",
        "forums",
        "article",
        "articles",
        "login",
        "cart",
        "404",
    ];
    NAMES.iter().any(|name| name.eq_ignore_ascii_case(text.trim()))
}
