use super::{content, url};
use crate::dom::Dom;
use crate::main_content::{self, PageType};
use crate::{ContentOptions, Format};

fn text(html: &str) -> String {
    let dom = Dom::parse(html);
    let dom = main_content::without_scripts(&dom).unwrap_or(dom);
    crate::text::of(&dom, &main_content::read(&dom, None).selection)
}

/// A page with its address, its kind, what a reader wants of it and what not.
struct Case {
    html: &'static str,
    url: &'static str,
    /// Nothing for listings and collections, which are often taken for each other
    /// and for services; what stays does not hang on it.
    kind: Option<PageType>,
    wanted: &'static [&'static str],
    unwanted: &'static [&'static str],
}

const CASES: [Case; 7] = [
    Case {
        html: include_str!("golden/article.html"),
        url: "https://site.test/news/2024/05/article",
        kind: Some(PageType::Article),
        wanted: &[],
        unwanted: &["cookie"],
    },
    Case {
        html: include_str!("golden/manual.html"),
        url: "https://docs.site.test/manual/install",
        kind: Some(PageType::Documentation),
        wanted: &[],
        unwanted: &[],
    },
    Case {
        html: include_str!("golden/shop.html"),
        url: "https://thornbury.test/product/fell",
        kind: Some(PageType::Product),
        wanted: &["£ 129.00", "Made of one piece of oiled leather", "Replaceable sole"],
        unwanted: &["Imprint", "Socks", "Coats"],
    },
    Case {
        html: include_str!("golden/forum.html"),
        url: "https://brackwater.test/forum/topic/4711-hive-lost-its-queen",
        kind: Some(PageType::Forum),
        wanted: &["could not find a single egg", "Give them a frame", "sheet of newspaper"],
        unwanted: &["Best smoker fuel?", "All rights reserved", "Log in"],
    },
    Case {
        html: include_str!("golden/collection.html"),
        url: "https://harrow.test/collections/lamps",
        kind: None,
        wanted: &["Table lamp “Rook”", "€ 310.00", "Pendant “Owl”", "wired for a hundred years"],
        unwanted: &["Accept all", "Privacy policy", "Sign up", "Account"],
    },
    Case {
        html: include_str!("golden/listing.html"),
        url: "https://courier.test/category/harbour",
        kind: None,
        wanted: &["Dredging of the old basin", "the early boat leaves", "gale that had kept", "a vote in the autumn"],
        unwanted: &["Imprint", "Subscribe", "Road closures"],
    },
    Case {
        html: include_str!("golden/service.html"),
        url: "https://northgate.test/services/roof-surveys",
        kind: Some(PageType::Service),
        wanted: &["every tile of your roof", "Plans and elevations", "three local firms", "Our pilots are licensed"],
        unwanted: &["Terms", "All rights reserved", "About us"],
    },
];

#[test]
fn each_kind_of_page_keeps_what_a_reader_comes_for() {
    let mut wrong = Vec::new();
    for Case { html, url: address, kind, wanted, unwanted } in CASES {
        let dom = Dom::parse(html);
        let found = main_content::read(&dom, Some(&url(address)));
        let text = crate::text::of(&dom, &found.selection);
        if kind.is_some_and(|kind| found.page_type != kind) {
            wrong.push(format!("{address} is taken for {:?}", found.page_type));
        }
        wrong.extend(wanted.iter().filter(|part| !text.contains(**part)).map(|part| format!("{address} lost {part}")));
        wrong.extend(unwanted.iter().filter(|part| text.contains(**part)).map(|part| format!("{address} kept {part}")));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_thread_for_readers_without_scripts_is_read() {
    let post = "<div class=post><p>I have read the manual twice and still cannot see how the lid is meant to come off. It \
                turns to the left for a little, then it stops, and I do not want to break it.</p></div>";
    let page = format!("<div id=app></div><noscript><div class=thread>{}</div></noscript>", post.repeat(6));
    assert!(text(&page).contains("how the lid is meant to come off"));
    // A page that speaks for itself keeps its notice to itself.
    let full = format!("<article>{}</article><noscript><p>Please turn on scripts.</p></noscript>", post.repeat(20));
    assert!(!text(&full).contains("turn on scripts"));
}

#[test]
fn what_is_hidden_is_not_on_the_whole_page() {
    let options = ContentOptions { main_content_only: false, ..ContentOptions::default() };
    let page = "<nav>Menu</nav><p>Shown<p hidden>One<p style='color:red; DISPLAY : none'>Two<p aria-hidden=true>Three";
    assert_eq!(content(page, Format::Text, options).text, "Menu\nShown\nThree");
}

#[test]
fn a_page_with_any_text_has_content() {
    for (html, expected) in [("", ""), ("<script>x</script>", ""), ("one", "one"), ("<nav>Menu</nav>", "Menu")] {
        assert_eq!(text(html), expected, "{html}");
    }
}

#[test]
fn large_pages_take_time_in_line_with_their_size() {
    // Quadratic steps would take minutes here.
    for html in [
        "<div>".repeat(20_000),
        "<b>x".repeat(20_000),
        format!("<ul>{}</ul>", "<li>item".repeat(50_000)),
        format!("<table>{}</table>", "<tr><td>a<td>b".repeat(10_000)),
        format!("<body>{}", "text<hr>".repeat(30_000)),
        format!("<tr>{}", "<td><p>cell".repeat(10_000)),
    ] {
        text(&html);
    }
}
