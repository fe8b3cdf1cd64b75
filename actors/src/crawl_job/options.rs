use serde::{Deserialize, Serialize};
use url::Url;

/// The most pages of one crawl.
pub const MAX_PAGES: u32 = 10_000;
/// The most links from the seed.
pub const MAX_DEPTH: u32 = 10;
/// Bytes that a compiled `urlRegex` may take; a pattern that needs more is
/// refused. Matching is linear in the URL whatever the pattern.
const REGEX_BYTES: usize = 1 << 20;

/// What is to be crawled, as it is kept with the job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CrawlOptions {
    pub url: Url,
    pub max_pages: u32,
    pub max_depth: u32,
    /// Matched against the full URL of every link, never the seed.
    pub url_regex: Option<String>,
    pub include_links: bool,
    pub include_images: bool,
    /// Whether the URLs of the site's sitemap count as links of the seed.
    pub use_sitemap: bool,
}

/// Compiles a `urlRegex`.
///
/// # Errors
/// The first line of what is wrong with it, for a person.
pub fn url_regex(pattern: &str) -> Result<regex::Regex, String> {
    let compiled = regex::RegexBuilder::new(pattern).size_limit(REGEX_BYTES).build();
    compiled.map_err(|error| match error {
        regex::Error::CompiledTooBig(_) => "is too large when compiled".to_owned(),
        other => {
            let text = other.to_string();
            text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("is not a pattern").trim().to_owned()
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_linear_and_bounded() {
        assert!(url_regex("/blog/[0-9]+$").is_ok());
        for bad in ["(", "(?=x)", r"(a)\1", "x{1000}{1000}{1000}"] {
            let reason = url_regex(bad).expect_err(bad);
            assert!(!reason.contains('\n') && !reason.is_empty(), "{reason}");
        }
        let hostile = url_regex("(a+)+$").expect("a pattern");
        assert!(!hostile.is_match(&("a".repeat(100_000) + "!")));
    }
}
