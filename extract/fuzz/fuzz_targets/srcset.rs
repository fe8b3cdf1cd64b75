//! Any value of `srcset` and its like, through an image that has nothing else.

#![no_main]

use extract::{ContentOptions, Document, Format};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|set: &str| {
    let set = set.replace('&', "&amp;").replace('"', "&quot;");
    let html = format!("<picture><source srcset=\"{set}\"><img data-srcset=\"{set}\" alt=\"x\"></picture>");
    let options = ContentOptions { main_content_only: false, ..ContentOptions::default() };
    Document::parse(&html, None).content(Format::Markdown, options);
});
