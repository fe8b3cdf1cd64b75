//! Any text that calls itself JSON-LD.

#![no_main]

use extract::Document;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|json: &str| {
    let html = format!("<script type=\"application/ld+json\">{json}</script><h1>x</h1>");
    Document::parse(&html, None).metadata();
});
