//! Writes what the models are learned from: `describe DIR < pages.jsonl` the
//! first numbers, `describe DIR FIRST < pages.jsonl` those of the second look.

use std::error::Error;
use std::fs::File;
use std::io::{BufRead, BufWriter, Write};

use extract::training;
use serde_json::{Value, json};
use url::Url;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("no folder given")?;
    let open = |name: &str| File::create(format!("{folder}/{name}")).map(BufWriter::new);
    let pages = std::io::stdin().lock().lines().map(|line| Ok(serde_json::from_str::<Value>(&line?)?));
    match arguments.next() {
        None => first(pages, open("blocks.jsonl")?, open("rows.f32")?, open("pages.f32")?),
        Some(judged) => second(pages, &std::fs::read(judged)?, open("context.f32")?),
    }
}

type Page = Result<Value, Box<dyn Error>>;

fn first(
    pages: impl Iterator<Item = Page>,
    mut texts: impl Write,
    mut rows: impl Write,
    mut numbers: impl Write,
) -> Result<(), Box<dyn Error>> {
    for page in pages {
        let page = page?;
        let url = page["url"].as_str().and_then(|url| Url::parse(url).ok());
        let described = training::describe(page["html"].as_str().unwrap_or_default(), url.as_ref());
        let kept = json!({
            "width": described.width, "page_width": described.page.len(), "texts": described.texts, "hidden": described.hidden,
        });
        writeln!(texts, "{kept}")?;
        write(&described.rows, &mut rows)?;
        write(&described.page, &mut numbers)?;
    }
    Ok(())
}

/// `judged` has a number a block, in the order of the pages.
fn second(pages: impl Iterator<Item = Page>, judged: &[u8], mut rows: impl Write) -> Result<(), Box<dyn Error>> {
    let mut judged = judged.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes));
    for page in pages {
        write(&training::describe_again(page?["html"].as_str().unwrap_or_default(), &mut judged), &mut rows)?;
    }
    Ok(())
}

fn write(numbers: &[f32], file: &mut impl Write) -> std::io::Result<()> {
    numbers.iter().try_for_each(|number| file.write_all(&number.to_le_bytes()))
}
