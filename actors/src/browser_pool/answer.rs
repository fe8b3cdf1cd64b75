/// What the server said of a document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Answer {
    pub status: u16,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    /// As Chromium understood it, after sniffing.
    pub mime_type: String,
}

impl Answer {
    /// Bytes of the body as the header announces them, compressed or not.
    pub fn content_length(&self) -> Option<usize> {
        self.header("content-length").and_then(|length| length.trim().parse().ok())
    }

    /// The declared content type, or the sniffed one when none is declared.
    pub fn content_type(&self) -> &str {
        self.header("content-type").unwrap_or(&self.mime_type)
    }

    /// Whether it is a document whose markup can be read. An answer that
    /// declares nothing is taken as what the browser shows: an error page with
    /// an empty body is still a page.
    pub fn is_html(&self) -> bool {
        match self.mime_type.as_str() {
            "text/html" | "application/xhtml+xml" => true,
            "text/plain" | "" => self.header("content-type").is_none(),
            _ => false,
        }
    }

    /// Whether it has no content by its status, so that a browser stays where
    /// it is.
    pub fn is_empty(&self) -> bool {
        matches!(self.status, 204 | 205)
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(field, _)| field == name).map(|(_, value)| value.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(declared: Option<&str>, sniffed: &str) -> Answer {
        let headers = declared.map(|value| ("content-type".to_owned(), value.to_owned()));
        Answer { status: 200, headers: headers.into_iter().collect(), mime_type: sniffed.to_owned() }
    }

    #[test]
    fn only_documents_and_undeclared_text_are_read() {
        assert!(answer(Some("text/html; charset=utf-8"), "text/html").is_html());
        assert!(answer(Some("application/xhtml+xml"), "application/xhtml+xml").is_html());
        assert!(answer(None, "text/plain").is_html());
        assert!(!answer(Some("text/plain"), "text/plain").is_html());
        assert!(!answer(Some("application/pdf"), "application/pdf").is_html());
    }

    #[test]
    fn the_declared_type_is_named_before_the_sniffed_one() {
        assert_eq!(answer(Some("application/pdf; q=1"), "application/pdf").content_type(), "application/pdf; q=1");
        assert_eq!(answer(None, "image/png").content_type(), "image/png");
    }
}
