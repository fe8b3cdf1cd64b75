use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8};

/// Bytes searched for a `<meta>` charset, as browsers do.
const PRESCAN: usize = 1024;

/// Turns a body into text. The charset is that of the HTTP header, a byte-order
/// mark, a `<meta>` element, or, with none of them, what the bytes look like.
/// Bytes that are not valid in it become U+FFFD.
pub fn decode(body: &[u8], content_type: Option<&str>) -> String {
    let declared = content_type.and_then(header_charset);
    let marked = Encoding::for_bom(body).map(|(encoding, _)| encoding);
    let encoding = declared.or(marked).or_else(|| meta_charset(body)).unwrap_or_else(|| detect(body));
    // Removes a byte-order mark, and obeys one of another Unicode form.
    encoding.decode(body).0.into_owned()
}

fn header_charset(content_type: &str) -> Option<&'static Encoding> {
    let parameters = content_type.split(';').skip(1).filter_map(|parameter| parameter.split_once('='));
    let (_, label) = parameters.into_iter().find(|(name, _)| name.trim().eq_ignore_ascii_case("charset"))?;
    Encoding::for_label(label.trim().trim_matches(['"', '\'']).as_bytes())
}

/// Finds `<meta charset=…>` and `<meta http-equiv … content="…; charset=…">` by
/// the word they share. UTF-16 cannot be true of a page whose tags were readable
/// so far, and counts as UTF-8 (WHATWG HTML, "prescan a byte stream").
fn meta_charset(body: &[u8]) -> Option<&'static Encoding> {
    let head = String::from_utf8_lossy(body.get(..PRESCAN).unwrap_or(body)).to_ascii_lowercase();
    let mut rest = head.as_str();
    while let Some(at) = rest.find("<meta") {
        rest = &rest[at + "<meta".len()..];
        let tag = &rest[..rest.find('>').unwrap_or(rest.len())];
        let Some((_, value)) = tag.split_once("charset") else { continue };
        let Some(value) = value.trim_start().strip_prefix('=') else { continue };
        let value = value.trim_start().trim_start_matches(['"', '\'']);
        let label = value.split(|end: char| end.is_ascii_whitespace() || "\"';/".contains(end)).next()?;
        let encoding = Encoding::for_label(label.as_bytes())?;
        return Some(if encoding.name().starts_with("UTF-16") { UTF_8 } else { encoding });
    }
    None
}

fn detect(body: &[u8]) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(body, true);
    detector.guess(None, Utf8Detection::Allow)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_wins_then_the_mark_then_the_element_then_the_bytes() {
        let cyrillic = b"\xcf\xf0\xe8\xe2\xe5\xf2, \xf5\xee\xf0\xee\xf8\xe8\xe9 \xe4\xe5\xed\xfc";
        assert_eq!(decode(cyrillic, Some("text/html; charset=windows-1251")), "Привет, хороший день");
        assert_eq!(decode(cyrillic, Some("text/html; Charset=\"windows-1251\"")), "Привет, хороший день");
        assert_eq!(decode(b"\xef\xbb\xbfcaf\xc3\xa9", None), "café");
        assert_eq!(decode(b"<meta charset=iso-8859-1>caf\xe9", None), "<meta charset=iso-8859-1>café");
        let equiv = b"<META http-equiv=content-type content='text/html; charset=ISO-8859-1'>caf\xe9";
        assert!(decode(equiv, Some("text/html")).ends_with("café"));
        assert_eq!(decode("straße".as_bytes(), None), "straße");
        assert_eq!(decode(cyrillic, None), "Привет, хороший день");
    }

    #[test]
    fn a_wrong_label_does_no_harm() {
        assert_eq!(decode("né".as_bytes(), Some("text/html; charset=nonsense")), "né");
        assert_eq!(decode("<meta charset=utf-16>né".as_bytes(), None), "<meta charset=utf-16>né");
        assert_eq!(decode(b"a\xffb", Some("text/html; charset=utf-8")), "a\u{fffd}b");
        assert_eq!(decode(b"", None), "");
    }
}
