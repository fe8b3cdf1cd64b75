//! Any HTML: no panic, and Markdown that another reader reads to its end.

#![no_main]

use extract::{ContentOptions, Document, Format};
use libfuzzer_sys::fuzz_target;
use url::Url;

fuzz_target!(|html: &str| {
    let url = Url::parse("https://site.test/dir/page").ok();
    let document = Document::parse(html, url.as_ref());
    for main_content_only in [true, false] {
        let options = ContentOptions { main_content_only, ..ContentOptions::default() };
        let markdown = document.content(Format::Markdown, options).text;
        assert!(pulldown_cmark::Parser::new_ext(&markdown, pulldown_cmark::Options::all()).count() < usize::MAX);
        document.content(Format::Html, options);
    }
});
