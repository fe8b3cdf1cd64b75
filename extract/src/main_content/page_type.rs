//! What kind of page it is, from its address and its tree.

use url::Url;

use crate::dom::{Dom, Kind, NodeId, Tag};

use super::outline::{Outline, count, float, share};
use super::vocabulary::KINDS;

/// Kinds of pages, by what a reader comes for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PageType {
    Article,
    Documentation,
    Service,
    Forum,
    Product,
    Collection,
    Listing,
}

impl PageType {
    /// In the order of the model.
    pub(super) const ALL: [Self; 7] = [
        Self::Article,
        Self::Documentation,
        Self::Service,
        Self::Forum,
        Self::Product,
        Self::Collection,
        Self::Listing,
    ];

    /// Returns the kind of the greatest chance.
    pub(super) fn most_likely(chances: &[f32; Self::ALL.len()]) -> Self {
        let best = Self::ALL.into_iter().zip(chances).max_by(|one, other| one.1.total_cmp(other.1));
        best.map_or(Self::Article, |(kind, _)| kind)
    }
}

/// Parts of addresses that tell of the kind of page, a group a number.
const ADDRESS: [&[&str]; 11] = [
    &["blog", "news", "article", "articles", "story", "stories", "post", "posts", "magazine", "opinion"],
    &["docs", "doc", "documentation", "reference", "api", "manual", "guide", "guides", "tutorial", "wiki", "help"],
    &["forum", "forums", "thread", "threads", "topic", "topics", "viewtopic", "showthread", "discussion", "comments"],
    &["question", "questions", "community", "t", "discuss", "board", "boards", "r"],
    &["product", "products", "p", "item", "dp", "itm", "sku", "shop", "store", "buy"],
    &["collection", "collections", "c", "catalog", "browse", "range", "shop"],
    &["category", "categories", "tag", "tags", "archive", "topic", "section", "search", "list", "listing"],
    &["service", "services", "solutions", "solution", "about", "pricing", "features", "platform", "company"],
    &["jobs", "events", "courses", "directory", "recipes", "best", "top"],
    &["html", "htm", "php", "aspx"],
    &["en", "us", "uk", "de"],
];

/// Types that pages give in JSON-LD and Open Graph, a group a number.
const DECLARED: [&[&str]; 10] = [
    &["Article", "NewsArticle", "BlogPosting", "Report", "article"],
    &["TechArticle", "APIReference", "HowTo"],
    &["Service", "LocalBusiness", "ProfessionalService", "SoftwareApplication", "Organization"],
    &["DiscussionForumPosting", "QAPage", "Question", "Answer"],
    &["Product", "ProductGroup", "Offer", "AggregateOffer", "product", "og:product", "product.item"],
    &["CollectionPage", "OfferCatalog", "ProductCollection", "product.group"],
    &["ItemList", "SearchResultsPage", "ListItem"],
    &["WebSite", "website"],
    &["FAQPage", "AboutPage", "ContactPage"],
    &["JobPosting", "Event", "Recipe", "Course", "Movie", "Book"],
];

/// Tags whose number tells.
const COUNTED: [Tag; 20] = [
    Tag::Article,
    Tag::Pre,
    Tag::Code,
    Tag::Table,
    Tag::Form,
    Tag::H1,
    Tag::H2,
    Tag::H3,
    Tag::P,
    Tag::Li,
    Tag::Img,
    Tag::Button,
    Tag::Input,
    Tag::Time,
    Tag::Blockquote,
    Tag::Section,
    Tag::Iframe,
    Tag::Dl,
    Tag::A,
    Tag::Main,
];

/// Describes a page in numbers, in the order of the model.
pub(super) fn describe(outline: &Outline, url: Option<&Url>) -> Vec<f32> {
    let mut numbers = Vec::with_capacity(160);
    address(url, &mut numbers);
    numbers.extend(declared(outline.dom));
    let list = &outline.blocks.list;
    let all = outline.sums(0..list.len());
    let words = all.text.words;
    let repeated: u32 = outline.dom.all().map(|id| outline.alike(id)).max().unwrap_or_default();
    let longest = list.iter().map(|block| block.stats.words).max().unwrap_or_default();
    numbers.extend([
        float(words),
        float(all.blocks),
        share(words, all.blocks),
        all.link_share(),
        float(all.prose),
        share(all.prose, words),
        float(all.text.prices),
        share(all.text.prices, all.blocks),
        share(all.text.digits, words),
        share(all.text.joints, words),
        share(all.text.capitals, words),
        float(repeated),
        float(longest),
    ]);
    counted(outline, &mut numbers);
    numbers
}

fn address(url: Option<&Url>, numbers: &mut Vec<f32>) {
    let path = url.map_or("", Url::path);
    let host = url.and_then(Url::host_str).unwrap_or_default();
    let words = || {
        let parts = path.split(['/', '-', '_', '.']).chain(host.split('.').take(2));
        parts.filter(|part| !part.is_empty())
    };
    for group in ADDRESS {
        let found = words().filter(|word| group.iter().any(|other| other.eq_ignore_ascii_case(word))).count();
        numbers.push(float(count(found.min(3))));
    }
    let last = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let digits = path.bytes().filter(u8::is_ascii_digit).count();
    numbers.extend([
        float(count(path.split('/').filter(|part| !part.is_empty()).count())),
        float(count(last.len())),
        float(count(last.split(['-', '_']).count())),
        float(count(digits)),
        f32::from(u8::from(url.is_some_and(|url| url.query().is_some()))),
        float(count(host.split('.').count())),
    ]);
}

/// Counts the declared types; text behind `"@type"` in scripts of JSON-LD is
/// looked at without reading it as JSON, since a broken one still tells.
fn declared(dom: &Dom) -> [f32; DECLARED.len()] {
    let mut counts = [0.0f32; DECLARED.len()];
    let mut declare = |name: &str| {
        for (group, names) in counts.iter_mut().zip(DECLARED) {
            *group += f32::from(u8::from(names.contains(&name)));
        }
    };
    for id in dom.all() {
        match dom.tag(id) {
            Some(Tag::Meta) if dom.attribute(id, "property") == Some("og:type") => {
                dom.attribute(id, "content").into_iter().for_each(&mut declare);
            }
            Some(Tag::Script) if dom.attribute(id, "type") == Some("application/ld+json") => {
                for text in dom.descendants(id).filter_map(|id| dom.text(id)) {
                    types_in(text).take(100).for_each(&mut declare);
                }
            }
            _ => {
                if let Some(name) = dom.attribute(id, "itemtype").and_then(|kind| kind.rsplit('/').next()) {
                    declare(name);
                }
            }
        }
    }
    counts.map(|count| count.min(20.0))
}

fn types_in(text: &str) -> impl Iterator<Item = &str> {
    text.split("\"@type\"").skip(1).flat_map(|rest| {
        let rest = rest.trim_start().trim_start_matches(':').trim_start();
        let end = if rest.starts_with('[') { rest.find(']') } else { rest.find([',', '}']) };
        let names = &rest[..end.unwrap_or_default()];
        names.split('"').skip(1).step_by(2).map(|name| name.rsplit('/').next().unwrap_or_default())
    })
}

fn counted(outline: &Outline, numbers: &mut Vec<f32>) {
    let mut tags = [0u32; COUNTED.len()];
    let mut marked = [0u32; KINDS];
    for id in outline.dom.all() {
        let Kind::Element(element) = outline.dom.kind(id) else { continue };
        if let Some(at) = COUNTED.iter().position(|tag| *tag == element.tag) {
            tags[at] += 1;
        }
        let mut marks = outline.marks(id);
        while marks != 0 {
            marked[marks.trailing_zeros() as usize] += 1;
            marks &= marks - 1;
        }
    }
    numbers.extend(tags.map(float));
    numbers.extend(marked.map(float));
    let main = outline.dom.first(Tag::Main).unwrap_or(NodeId::DOCUMENT);
    let sums = outline.sums(outline.range(main));
    numbers.extend([float(sums.text.words), sums.link_share(), share(sums.prose, sums.text.words)]);
}
