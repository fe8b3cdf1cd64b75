use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::*;

const PAGES: &str = "<?xml version='1.0' encoding='UTF-8'?>\n<!-- made by hand -->\n\
    <urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns:image='i' xmlns:xhtml='x'>\
    <url><loc> https://site.test/a?x=1&amp;y=&#50; </loc><lastmod>2024-03-17</lastmod>\
    <image:image><image:loc>https://site.test/a.png</image:loc></image:image>\
    <xhtml:link rel='alternate' hreflang='de' href='https://site.test/de/a'/></url>\
    <url><loc><![CDATA[https://site.test/b]]></loc></url>\
    <url><loc>/relative</loc></url><url><loc>javascript:x</loc></url><url/></urlset>";

fn locations(bytes: &[u8]) -> Vec<String> {
    parse(bytes).expect("a sitemap").entries.into_iter().map(|entry| entry.loc).collect()
}

fn gzipped(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).expect("memory takes it");
    encoder.finish().expect("memory takes it")
}

#[test]
fn a_list_of_pages_is_read() {
    let sitemap = parse(PAGES.as_bytes()).expect("a sitemap");
    assert_eq!((sitemap.kind, sitemap.is_cut, sitemap.entries.len()), (Kind::Pages, false, 2));
    let first = Entry {
        loc: "https://site.test/a?x=1&y=2".to_owned(),
        lastmod: Some("2024-03-17".to_owned()),
        alternates: vec!["https://site.test/de/a".to_owned()],
    };
    assert_eq!(sitemap.entries[0], first);
    assert_eq!(sitemap.entries[1].loc, "https://site.test/b");
}

#[test]
fn an_index_and_prefixed_names_are_read() {
    let index = "<s:sitemapindex xmlns:s='x'><sitemap><loc>https://site.test/1.xml.gz</loc></sitemap></s:sitemapindex>";
    let sitemap = parse(index.as_bytes()).expect("an index");
    assert_eq!((sitemap.kind, sitemap.entries[0].loc.as_str()), (Kind::Index, "https://site.test/1.xml.gz"));
}

#[test]
fn text_and_feeds_are_sitemaps_too() {
    assert_eq!(
        locations(b"\xef\xbb\xbfhttps://site.test/a\r\n# no\n\nhttp://site.test/b\n"),
        ["https://site.test/a", "http://site.test/b"]
    );
    let rss = "<rss><channel><link>https://site.test/</link><item><title>x</title><link>https://site.test/1</link>\
        <pubDate>Sun, 17 Mar 2024 08:00:00 GMT</pubDate></item></channel></rss>";
    let feed = parse(rss.as_bytes()).expect("a feed");
    assert_eq!((feed.kind, feed.entries.len(), feed.entries[0].loc.as_str()), (Kind::Feed, 1, "https://site.test/1"));
    assert!(feed.entries[0].lastmod.is_some());
    let atom = "<feed xmlns='a'><link href='https://site.test/'/><entry><link rel='self' href='https://site.test/x'/>\
        <link href='https://site.test/2'/><updated>2024-03-17</updated></entry></feed>";
    assert_eq!(locations(atom.as_bytes()), ["https://site.test/2"]);
}

#[test]
fn any_charset_and_gzip_are_read() {
    let utf16: Vec<u8> = PAGES.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let with_mark: Vec<u8> = "\u{feff}".encode_utf16().chain(PAGES.encode_utf16()).flat_map(u16::to_be_bytes).collect();
    let latin =
        b"<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><urlset><url><loc>https://site.test/\xe9</loc></url></urlset>";
    assert_eq!(locations(&utf16), locations(PAGES.as_bytes()));
    assert_eq!(locations(&with_mark), locations(PAGES.as_bytes()));
    assert_eq!(locations(latin), ["https://site.test/é"]);
    assert_eq!(locations(&gzipped(PAGES.as_bytes())), locations(PAGES.as_bytes()));
}

#[test]
fn what_breaks_off_is_read_up_to_there() {
    let broken = &PAGES[..PAGES.find("<![CDATA[").expect("it is there") + 12];
    let sitemap = parse(broken.as_bytes()).expect("a sitemap");
    assert_eq!((sitemap.entries.len(), sitemap.is_cut), (1, true));
    let ampersand = "<urlset><url><loc>https://site.test/?a=1&b=2</loc></url></urlset>";
    assert_eq!(locations(ampersand.as_bytes()), ["https://site.test/?a=1&b=2"]);
}

#[test]
fn bombs_are_refused() {
    let zeros = gzipped(&vec![b' '; 60 * 1024 * 1024]);
    assert_eq!(parse(&zeros), Err(SitemapError::TooLarge));
    assert_eq!(parse(&gzipped(&vec![b' '; 2 * 1024 * 1024])), Err(SitemapError::TooLarge), "the ratio");
    assert_eq!(parse(&gzipped(&gzipped(PAGES.as_bytes()))), Err(SitemapError::NotASitemap));
    let laughs = "<!DOCTYPE urlset [<!ENTITY a 'https://site.test/'><!ENTITY b '&a;&a;&a;'>]><urlset>\
        <url><loc>https://site.test/&b;</loc></url><url><loc>https://site.test/ok</loc></url></urlset>";
    assert_eq!(locations(laughs.as_bytes()), ["https://site.test/ok"]);
    let deep = format!("<urlset>{}", "<url><a>".repeat(100_000));
    assert_eq!(parse(deep.as_bytes()).expect("an empty one").entries, []);
    let many = format!("<urlset>{}", "<url><loc>https://site.test/a</loc></url>".repeat(MAX_ENTRIES + 1));
    let many = parse(many.as_bytes()).expect("a sitemap");
    assert_eq!((many.entries.len(), many.is_cut), (MAX_ENTRIES, true));
}

#[test]
fn what_is_no_sitemap_is_told_apart() {
    for page in ["<!DOCTYPE html><p>404", " <!-- x --><HTML>", "<?xml version='1.0'?><html xmlns='x'>"] {
        assert_eq!(parse(page.as_bytes()), Err(SitemapError::WebPage), "{page}");
    }
    for other in ["", "{}", "Not found", "<svg/>", "\u{1f}\u{8b}", "\x1f\u{fffd}"] {
        assert_eq!(parse(other.as_bytes()), Err(SitemapError::NotASitemap), "{other}");
    }
    assert_eq!(parse(b"\x1f\x8bnot gzip"), Err(SitemapError::NotASitemap));
}

#[test]
fn urls_are_grouped_by_the_first_part_of_their_path() {
    let blog: Vec<String> = (0..7).map(|at| format!("https://site.test/blog/{at}")).collect();
    let urls = blog.iter().map(String::as_str).chain([
        "https://site.test/",
        "https://site.test//shop/x?y",
        "https://site.test",
    ]);
    let groups = groups(urls);
    assert_eq!(groups.keys().collect::<Vec<_>>(), ["/", "blog", "shop"]);
    assert_eq!((groups["blog"].count, groups["blog"].samples.len()), (7, 5));
    assert_eq!((groups["/"].count, groups["shop"].samples[0].as_str()), (2, "https://site.test//shop/x?y"));
}
