use super::content;
use crate::{ContentOptions, Document, Format};

/// Reads a page in every way there is, on a thread with the stack of a worker.
fn survive(html: String) {
    let reading = std::thread::Builder::new().stack_size(2 << 20).spawn(move || {
        for main_content_only in [true, false] {
            let options = ContentOptions { main_content_only, ..ContentOptions::default() };
            for format in [Format::Markdown, Format::Text, Format::Html] {
                content(&html, format, options);
            }
        }
        Document::parse(&html, None).metadata()
    });
    reading.expect("a thread").join().expect("no panic and no overflow");
}

#[test]
fn deep_nesting_is_lifted() {
    survive(format!("{}deep{}", "<div>".repeat(20_000), "</div>".repeat(20_000)));
    survive(format!("{}deep", "<ul><li>".repeat(3_000)));
    survive(format!("{}deep", "<blockquote>".repeat(1_000)));
    survive("<template>".repeat(20_000));
}

#[test]
fn what_is_never_closed_is_read() {
    survive("<b>".repeat(20_000));
    survive("<a href=x>".repeat(2_000));
    survive("<table><tr><td>".repeat(1_000));
    survive("<p>text <!-- never closed".into());
}

#[test]
fn long_lists_and_tables_are_read() {
    survive(format!("<ul>{}</ul>", "<li>item".repeat(4_000)));
    survive(format!("<table>{}</table>", "<tr><td>a<td>b".repeat(1_000)));
}

#[test]
fn nonsense_is_read() {
    for html in [
        "",
        "\0",
        "<",
        "<!",
        "</",
        "<a href=\"",
        "&#xFFFFFFFF;",
        "<meta charset=",
        "<base href=\"http://[\">x",
        "\u{feff}",
    ] {
        survive(html.into());
    }
}

#[test]
fn mutated_pages_never_panic() {
    let page = include_str!("golden/manual.html").as_bytes();
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = |bound: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % bound as u64).expect("small")
    };
    for _ in 0..60 {
        let mut bytes = page.to_vec();
        for _ in 0..20 {
            let at = next(bytes.len());
            match next(3) {
                0 => bytes[at] = b"<>/\"'= &;\0a"[next(11)],
                1 => drop(bytes.drain(at..(at + next(40)).min(bytes.len()))),
                _ => {
                    let piece: Vec<u8> = bytes[at..(at + next(80)).min(bytes.len())].to_vec();
                    bytes.splice(at..at, piece);
                }
            }
        }
        survive(crate::decode(&bytes, None));
    }
}
