/// What an answer's body is, as far as reading it goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Media {
    Html,
    /// Text that comes back as it is: plain text, Markdown, JSON, XML.
    Text,
    /// Anything else: PDF, images, archives.
    Other,
}

/// Decides by the `Content-Type` header, and by the first bytes when there is
/// none (a simplified form of the WHATWG MIME Sniffing rules: a body with a
/// binary byte is not text).
pub(super) fn classify(content_type: Option<&str>, body: &[u8]) -> Media {
    let essence =
        content_type.and_then(|value| value.split(';').next()).unwrap_or_default().trim().to_ascii_lowercase();
    match essence.as_str() {
        "text/html" | "application/xhtml+xml" => Media::Html,
        "" => sniff(body),
        "application/json" | "application/xml" | "application/ld+json" | "application/javascript" => Media::Text,
        other
            if other.starts_with("text/")
                || other.ends_with("+xml") && !other.starts_with("image/")
                || other.ends_with("+json") =>
        {
            Media::Text
        }
        _ => Media::Other,
    }
}

fn sniff(body: &[u8]) -> Media {
    let head = body.get(..1024).unwrap_or(body);
    let is_binary = |byte: &u8| matches!(byte, 0x00..=0x08 | 0x0b | 0x0e..=0x1a | 0x1c..=0x1f);
    if head.iter().any(is_binary) {
        Media::Other
    } else if head.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'<') {
        Media::Html
    } else {
        Media::Text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_decides() {
        let cases = [
            ("text/html; charset=utf-8", Media::Html),
            ("APPLICATION/XHTML+XML", Media::Html),
            ("text/plain", Media::Text),
            ("text/markdown", Media::Text),
            ("application/rss+xml", Media::Text),
            ("application/json", Media::Text),
            ("application/pdf", Media::Other),
            ("image/svg+xml", Media::Other),
            ("image/png", Media::Other),
            ("application/octet-stream", Media::Other),
        ];
        for (header, media) in cases {
            assert_eq!(classify(Some(header), b"<p>"), media, "{header}");
        }
    }

    #[test]
    fn without_a_header_the_first_bytes_decide() {
        assert_eq!(classify(None, b"\n <!doctype html>"), Media::Html);
        assert_eq!(classify(None, b"plain words"), Media::Text);
        assert_eq!(classify(None, b"%PDF-1.7\n\x00\x01"), Media::Other);
        assert_eq!(classify(Some(""), b""), Media::Text);
    }
}
