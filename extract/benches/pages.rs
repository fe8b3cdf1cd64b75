//! How fast pages are read on one core, beside a bare parse by html5ever in the
//! same run: what its tokenizer and its tree builder take for nodes without
//! content.
//!
//! `cargo bench -p blazon-extract -- FOLDER` with a folder of saved pages.

use std::hint::black_box;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use extract::{ContentOptions, Document, Format};
use html5ever::driver::parse_document;
use html5ever::tendril::TendrilSink;
use url::Url;

mod bare;

const ROUNDS: usize = 5;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// What is done to a page.
type Work = fn(&str, &Url);

const WORKS: [(&str, Work); 5] = [
    ("html5ever, bare", |html, _| {
        black_box(parse_document(bare::Sink::default(), Default::default()).one(html));
    }),
    ("parse", |html, url| drop(black_box(Document::parse(html, Some(url))))),
    ("Markdown of the page", |html, url| drop(black_box(content(html, url, Format::Markdown, false)))),
    ("Markdown of the main content", |html, url| drop(black_box(content(html, url, Format::Markdown, true)))),
    ("text of the main content", |html, url| drop(black_box(content(html, url, Format::Text, true)))),
];

fn content(html: &str, url: &Url, format: Format, main_content_only: bool) -> String {
    let options = ContentOptions { main_content_only, ..ContentOptions::default() };
    Document::parse(html, Some(url)).content(format, options).text
}

fn main() -> Result<()> {
    let folder = std::env::args().skip(1).find(|argument| !argument.starts_with("--"));
    // `cargo bench --workspace` names none.
    let Some(folder) = folder else { return Ok(()) };
    let pages = read(Path::new(&folder))?;
    let url = Url::parse("https://site.test/dir/page")?;
    let mut best = [Duration::MAX; WORKS.len()];
    // One after the other in each round, so that what else the machine does
    // falls on all alike.
    for _ in 0..ROUNDS {
        for ((_, work), best) in WORKS.iter().zip(&mut best) {
            let start = Instant::now();
            pages.iter().for_each(|page| work(page, &url));
            *best = start.elapsed().min(*best);
        }
    }
    let bytes: usize = pages.iter().map(String::len).sum();
    let mut out = std::io::stdout();
    for ((name, _), best) in WORKS.iter().zip(best) {
        let seconds = best.as_secs_f64();
        let (speed, rate) = (bytes as f64 / 1e6 / seconds, pages.len() as f64 / seconds);
        writeln!(out, "{name:<30} {speed:>8.1} MB/s {rate:>8.0} pages/s")?;
    }
    Ok(())
}

fn read(folder: &Path) -> Result<Vec<String>> {
    let mut pages = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_file() {
            pages.push(extract::decode(&std::fs::read(path)?, None));
        }
    }
    Ok(pages)
}
