use super::{content, url};
use crate::{ContentOptions, Document, Format};

const ARTICLE: &str = include_str!("golden/article.html");
const MANUAL: &str = include_str!("golden/manual.html");
const SHOP: &str = include_str!("golden/shop.html");

fn markdown(html: &str) -> String {
    content(html, Format::Markdown, ContentOptions::default()).text
}

fn metadata(html: &str) -> crate::Metadata {
    Document::parse(html, Some(&url("https://site.test/dir/page"))).metadata()
}

#[test]
fn an_article_keeps_its_text_and_loses_what_stands_around_it() {
    insta::assert_snapshot!(markdown(ARTICLE));
    insta::assert_json_snapshot!(metadata(ARTICLE));
}

#[test]
fn a_manual_keeps_code_tables_and_nested_lists() {
    insta::assert_snapshot!(markdown(MANUAL));
    insta::assert_json_snapshot!(metadata(MANUAL));
}

#[test]
fn a_shop_page_keeps_its_product() {
    insta::assert_snapshot!(markdown(SHOP));
    insta::assert_json_snapshot!(metadata(SHOP));
}

#[test]
fn text_is_what_a_reader_sees() {
    insta::assert_snapshot!(content(MANUAL, Format::Text, ContentOptions::default()).text);
}

#[test]
fn words_are_those_of_the_text_whatever_the_format() {
    let count = |format| content(ARTICLE, format, ContentOptions::default()).word_count;
    assert_eq!(count(Format::Markdown), count(Format::Text));
    assert!(count(Format::Html) > 100);
}

#[test]
fn a_page_of_one_short_sentence_is_not_lost() {
    assert_eq!(markdown("<title>t</title><nav>Menu</nav><p>Only this."), "Only this.\n");
    assert_eq!(markdown("<nav>Only a menu</nav>"), "Only a menu\n");
    assert_eq!(markdown(""), "");
}
