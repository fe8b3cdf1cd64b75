use pulldown_cmark::{Event, Options, Parser, Tag};

use super::{content, whole};
use crate::{ContentOptions, Format};

/// What a CommonMark reader makes of it.
fn read_back(markdown: &str) -> Vec<String> {
    let parser = Parser::new_ext(markdown, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH);
    parser
        .filter_map(|event| match event {
            Event::Start(Tag::Heading { level, .. }) => Some(format!("{level}")),
            Event::Start(Tag::Link { dest_url, .. }) => Some(format!("link {dest_url}")),
            Event::Start(Tag::Image { dest_url, .. }) => Some(format!("image {dest_url}")),
            Event::Start(Tag::CodeBlock(_)) => Some("code".into()),
            Event::Start(Tag::Table(columns)) => Some(format!("table of {}", columns.len())),
            Event::Start(Tag::Strikethrough) => Some("struck".into()),
            Event::Start(Tag::Item) => Some("item".into()),
            Event::Start(Tag::BlockQuote(_)) => Some("quote".into()),
            Event::Start(Tag::Strong) => Some("strong".into()),
            _ => None,
        })
        .collect()
}

#[test]
fn what_is_written_is_read_back() {
    let html = r#"<h2>Head</h2><p>A <a href="other">link</a>, <b>bold</b> and <del>gone</del>.</p>
        <ul><li>one<li>two</ul><blockquote><p>said</blockquote><pre><code>x = 1</code></pre>
        <table><tr><th>a<th>b<tr><td>1<td>2</table><img src="/i.png" alt="i">"#;
    let expected = [
        "h2",
        "link https://site.test/dir/other",
        "strong",
        "struck",
        "item",
        "item",
        "quote",
        "code",
        "table of 2",
        "image https://site.test/i.png",
    ];
    assert_eq!(read_back(&whole(html)), expected);
}

#[test]
fn urls_start_from_the_base_element() {
    let markdown = whole(r#"<base href="/deep/"><a href="x">x</a> <a href="//cdn.test/y">y</a> <a href="?q=1">q</a>"#);
    assert!(markdown.contains("(https://site.test/deep/x)"), "{markdown}");
    assert!(markdown.contains("(https://cdn.test/y)"), "{markdown}");
    assert!(markdown.contains("(https://site.test/deep/?q=1)"), "{markdown}");
}

#[test]
fn links_that_run_script_become_their_text() {
    assert_eq!(whole(r#"<p><a href="JavaScript:alert(1)">press</a></p>"#), "press\n");
}

#[test]
fn links_and_images_go_when_they_are_not_wanted() {
    let html = r#"<p>A <a href="/x">link</a> and <img src="/i.png" alt="an image">.</p>"#;
    let without = ContentOptions { main_content_only: false, include_links: false, include_images: false };
    assert_eq!(content(html, Format::Markdown, without).text, "A link and .\n");
    let with = ContentOptions { main_content_only: false, ..ContentOptions::default() };
    assert!(content(html, Format::Markdown, with).text.contains("![an image](https://site.test/i.png)"));
}

#[test]
fn a_lazy_image_has_the_source_it_will_have() {
    let markdown = whole(r#"<p>x <img src="data:image/gif;base64,R0lG" data-src="/real.jpg" alt="r"></p>"#);
    assert!(markdown.contains("![r](https://site.test/real.jpg)"), "{markdown}");
}
