use url::Url;

use crate::{Content, ContentOptions, Document, Format};

mod hostile;
mod main_content;
mod markdown;
mod markdown_cases;
mod pages;
mod properties;
mod read_back;

fn url(text: &str) -> Url {
    Url::parse(text).expect("a URL")
}

fn whole(html: &str) -> String {
    let options = ContentOptions { main_content_only: false, ..ContentOptions::default() };
    content(html, Format::Markdown, options).text
}

fn content(html: &str, format: Format, options: ContentOptions) -> Content {
    Document::parse(html, Some(&url("https://site.test/dir/page"))).content(format, options)
}
