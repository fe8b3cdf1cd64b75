//! A parse whose cost is linear in the page, whatever the page.
//!
//! The tree builder keeps a stack of open elements and a list of open formatting
//! elements. It walks the first for every tag, so that deep nesting costs the
//! square of the depth, and it opens all of the second again in every paragraph
//! (`<p><b id=1><p><b id=2>…`), which costs the square in memory. Flattening the
//! finished tree comes too late for these; here tags are held back before them.

use std::cell::Cell;

use html5ever::interface::Tracer;
use html5ever::tokenizer::{Tag, TagKind, Token, TokenSink, TokenSinkResult};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};

use super::builder::{Builder, Handle};
use super::tokenizer;

/// Open elements, formatting ones counted twice, from which on start tags are
/// left out. Real pages stay below 100.
const MAX_OPEN: usize = 250;

/// Tags, each with the formatting elements it may open again, after which start
/// tags are left out. The largest real pages stay below 1,000,000.
const MAX_WORK: usize = 2_000_000;

/// Tags between two looks at the stack, which is as long as it is deep.
const LOOK_EVERY: usize = 32;

/// Start tags that make the tokenizer read text up to their end tag. They do not
/// nest, and without them their text would be read as tags.
const RAW_TEXT: [&str; 10] =
    ["script", "style", "textarea", "title", "noscript", "iframe", "noembed", "noframes", "xmp", "plaintext"];

const FORMATTING: [&str; 14] =
    ["a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u"];

/// Parses a document as browsers do. Where it nests beyond about 250 levels or
/// repeats itself beyond measure, start tags are left out and their text is kept.
pub(super) fn parse(html: &str) -> Builder {
    let builder = TreeBuilder::new(Builder::default(), TreeBuilderOpts::default());
    let html = html.strip_prefix('\u{feff}').unwrap_or(html);
    let doorkeeper = Doorkeeper::new(builder);
    let doorkeeper = if html.contains('\r') {
        tokenizer::run(&html.replace("\r\n", "\n").replace('\r', "\n"), doorkeeper)
    } else {
        tokenizer::run(html, doorkeeper)
    };
    doorkeeper.builder.sink
}

/// Stands between tokenizer and tree builder.
struct Doorkeeper {
    builder: TreeBuilder<Handle, Builder>,
    tags: Cell<usize>,
    work: Cell<usize>,
    formatting: Cell<usize>,
    full: Cell<bool>,
}

impl Doorkeeper {
    fn new(builder: TreeBuilder<Handle, Builder>) -> Self {
        let (tags, work, formatting, full) = Default::default();
        Self { builder, tags, work, formatting, full }
    }

    fn admits(&self, tag: &Tag) -> bool {
        self.tags.set(self.tags.get() + 1);
        self.work.set(self.work.get() + 1 + self.formatting.get());
        if self.tags.get().is_multiple_of(LOOK_EVERY) {
            self.look();
        }
        tag.kind == TagKind::EndTag || !self.full.get() || RAW_TEXT.contains(&&*tag.name)
    }

    fn look(&self) {
        let open = OpenElements { builder: &self.builder.sink, all: Cell::default(), formatting: Cell::default() };
        self.builder.trace_handles(&open);
        self.formatting.set(open.formatting.get());
        self.full.set(open.all.get() > MAX_OPEN || self.work.get() > MAX_WORK);
    }
}

impl TokenSink for Doorkeeper {
    type Handle = Handle;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<Handle> {
        match &token {
            Token::TagToken(tag) if !self.admits(tag) => TokenSinkResult::Continue,
            _ => self.builder.process_token(token, line),
        }
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder.adjusted_current_node_present_but_not_in_html_namespace()
    }
}

/// Counts what the tree builder holds open.
struct OpenElements<'a> {
    builder: &'a Builder,
    all: Cell<usize>,
    formatting: Cell<usize>,
}

impl Tracer for OpenElements<'_> {
    type Handle = Handle;

    fn trace_handle(&self, node: &Handle) {
        self.all.set(self.all.get() + 1);
        if self.builder.has_name(*node, |name| FORMATTING.contains(&name)) {
            self.formatting.set(self.formatting.get() + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Dom, NodeId};
    use super::*;

    /// Parses on a thread with a stack of 2 MB; returns the deepest level, the
    /// number of elements and the text.
    fn measure(html: String) -> (usize, usize, String) {
        let reading = std::thread::Builder::new().stack_size(2 << 20).spawn(move || {
            let dom = Dom::parse(&html);
            let deepest = dom.all().map(|id| dom.depth(id)).max().unwrap_or_default();
            let elements = dom.all().filter(|id| dom.element(*id).is_some()).count();
            (deepest, elements, dom.raw_text(NodeId::DOCUMENT))
        });
        reading.expect("a thread").join().expect("no panic")
    }

    /// The most attributes an element has.
    fn most_attributes(html: &str) -> usize {
        let dom = Dom::parse(html);
        dom.all().filter_map(|id| dom.element(id)).map(|element| element.attributes().count()).max().unwrap_or_default()
    }

    #[test]
    fn deep_nesting_ends_at_a_bound_and_keeps_its_text() {
        for tag in ["div", "b", "ul><li", "template", "svg><g", "table><tr><td", "span", "optgroup", "ruby><rt"] {
            let html = format!("{}inmost{}<p>after", format!("<{tag}>x").repeat(5_000), "</div>".repeat(5_000));
            let (deepest, _, text) = measure(html);
            assert!(deepest <= 201, "{tag}: {deepest}");
            // What is inside a template is not part of the document.
            assert!(tag == "template" || text.contains("inmost") && text.contains("after"), "{tag}");
        }
    }

    #[test]
    fn deep_nesting_in_disguise_is_bounded_too() {
        for piece in
            ["<svg><tr>", "<math><mi><div>", "<svg><foreignObject>", "<a><table>", "<b><p></b>", "<i><div></i>"]
        {
            let builder = parse(&piece.repeat(5_000));
            assert!(builder.deepest() < 4 * MAX_OPEN, "{piece}: {}", builder.deepest());
            assert!(measure(piece.repeat(5_000)).0 <= 201, "{piece}");
        }
    }

    #[test]
    fn formatting_that_is_never_closed_does_not_multiply() {
        let flood: String = (0..60_000).map(|n| format!("<p><b id={n}>x")).collect();
        let (_, elements, text) = measure(flood);
        assert!(elements < MAX_WORK, "{elements}");
        assert_eq!(text.len(), 60_000);
        let few_open = (0..100).map(|n| format!("<b id={n}>")).collect::<String>() + &"<p>x".repeat(60_000);
        let (_, elements, _) = measure(few_open);
        assert!(elements < MAX_WORK + MAX_WORK / 2, "{elements}");
    }

    #[test]
    fn a_long_flat_page_is_read_whole() {
        for (html, elements) in [
            (format!("<ul>{}</ul>", "<li>x".repeat(10_000)), 10_001),
            ("<p>x".repeat(10_000), 10_000),
            (format!("<table>{}</table>", "<tr><td>x<td>y".repeat(3_000)), 9_002),
            ("<p><a href=1>x</a>".repeat(5_000), 10_000),
        ] {
            let around = 3;
            assert_eq!(measure(html).1, elements + around);
        }
    }

    #[test]
    fn a_tag_of_very_many_attributes_ends_and_long_values_and_comments_do_not() {
        let names = (0..50_000).map(|n| format!(" a{n}=1")).collect::<String>();
        let html = format!("<p{names}>text</p><h1>title</h1>");
        assert!((400..=500).contains(&most_attributes(&html)), "{}", most_attributes(&html));
        assert!(Dom::parse(&html).raw_text(NodeId::DOCUMENT).ends_with("texttitle"));
        for hidden in [
            "&<p a='<b c=\"' ",
            "<<p ",
            "<!--<b c=\"--><p ",
            "<p x='<b c=\"<i>' ",
            "<script>a<b '</script><p ",
            "<p x=\"'\"",
        ] {
            let most = most_attributes(&format!("{hidden}{names}>text"));
            assert!((400..=502).contains(&most), "{hidden} {most}");
        }
        let words = "a -- 'b' /".repeat(2_000);
        let dom = Dom::parse(&format!("<!-- <h1>{words} --><p id=x title=\"{words}\">text"));
        assert_eq!(dom.raw_text(NodeId::DOCUMENT), "text");
        let paragraph = dom.first(super::super::Tag::P).expect("a paragraph");
        assert_eq!(dom.attribute(paragraph, "title").map(str::len), Some(words.len()));
    }

    #[test]
    fn scripts_below_the_bound_are_not_read_as_tags() {
        let html =
            "<div>".repeat(1_000) + "<script>if (a<b) '<h1>no</h1>'</script><style>p::after{content:'<h2>'}</style>";
        let dom = Dom::parse(&html);
        assert!(dom.all().all(|id| dom.tag(id).and_then(super::super::Tag::heading_level).is_none()));
    }
}
