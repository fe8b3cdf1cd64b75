//! Reading query parameters so that a wrong one is named in the answer.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use serde_json::json;
use url::Url;

use crate::domain::parse_domain;
use crate::error::{ApiError, ApiResult};

/// Characters of a URL parameter; longer than what browsers and servers take.
pub(crate) const MAX_URL_CHARS: usize = 8_192;

/// The query string's parameters; of a repeated one the last counts, unknown
/// ones are ignored.
pub struct Params(HashMap<String, String>);

/// An endpoint's parameters, parsed and within their bounds.
pub trait FromParams: Sized {
    /// Reads the parameters.
    ///
    /// # Errors
    /// A 400 that names the field.
    fn from_params(params: &Params) -> ApiResult<Self>;
}

/// An endpoint without parameters.
impl FromParams for () {
    fn from_params(_: &Params) -> ApiResult<Self> {
        Ok(())
    }
}

impl Params {
    /// Parses a raw query string.
    pub fn parse(query: &str) -> Self {
        Self(url::form_urlencoded::parse(query.as_bytes()).into_owned().collect())
    }

    /// Returns a parameter that is there and not empty.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(|value| value.trim()).filter(|value| !value.is_empty())
    }

    /// Returns an optional text of at most `max_chars` characters.
    ///
    /// # Errors
    /// A 400 when it is longer.
    pub fn bounded_text(&self, name: &str, max_chars: usize) -> ApiResult<Option<&str>> {
        let text = self.text(name);
        if text.is_some_and(|text| text.chars().count() > max_chars) {
            return Err(ApiError::invalid(name, format_args!("is longer than {max_chars} characters")));
        }
        Ok(text)
    }

    /// Returns a required absolute `http` or `https` URL.
    ///
    /// # Errors
    /// A 400 when it is missing, too long, no URL, or of another scheme.
    pub fn url(&self, name: &str) -> ApiResult<Url> {
        let text = self.bounded_text(name, MAX_URL_CHARS)?.ok_or_else(|| ApiError::invalid(name, "is required"))?;
        absolute_url(name, text)
    }

    /// Returns a required domain, or that of a URL, in lower case ASCII.
    ///
    /// # Errors
    /// A 400 when it is missing or names no domain.
    pub fn domain(&self, name: &str) -> ApiResult<String> {
        let text = self.text(name).ok_or_else(|| ApiError::invalid(name, "is required"))?;
        parse_domain(text).map_err(|error| ApiError::invalid(name, error))
    }

    /// Returns a boolean: `true`, `false`, `1` or `0`.
    ///
    /// # Errors
    /// A 400 for anything else.
    pub fn boolean(&self, name: &str, default: bool) -> ApiResult<bool> {
        match self.text(name) {
            None => Ok(default),
            Some("true" | "1") => Ok(true),
            Some("false" | "0") => Ok(false),
            Some(_) => Err(ApiError::not_allowed(name, "is not a boolean", json!(["true", "false", "1", "0"]))),
        }
    }

    /// Returns a whole number within bounds.
    ///
    /// # Errors
    /// A 400 when it is no number or out of bounds.
    pub fn integer(&self, name: &str, default: u64, bounds: RangeInclusive<u64>) -> ApiResult<u64> {
        let Some(text) = self.text(name) else { return Ok(default) };
        let (least, most) = (bounds.start(), bounds.end());
        match text.parse() {
            Ok(number) if bounds.contains(&number) => Ok(number),
            _ => {
                let reason = format_args!("is not a whole number from {least} to {most}").to_string();
                Err(ApiError::not_allowed(name, reason, json!({ "minimum": least, "maximum": most })))
            }
        }
    }
}

/// Reads an absolute `http` or `https` URL without user name and password; its
/// fragment is dropped.
///
/// # Errors
/// A 400 that names the field.
pub(crate) fn absolute_url(name: &str, text: &str) -> ApiResult<Url> {
    let advice = "is not an absolute http or https URL, such as https://example.com/page";
    let mut url = Url::parse(text).map_err(|_| ApiError::invalid(name, advice))?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none_or(str::is_empty) {
        return Err(ApiError::not_allowed(name, advice, json!(["http", "https"])));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(ApiError::invalid(name, "must not carry a user name or password"));
    }
    url.set_fragment(None);
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_must_be_absolute_and_of_the_web() {
        for bad in [
            "",
            "example.com",
            "/page",
            "ftp://example.com/",
            "file:///etc/passwd",
            "javascript:alert(1)",
            "http://",
            "http://u:p@example.com/",
        ] {
            let query = url::form_urlencoded::Serializer::new(String::new()).append_pair("url", bad).finish();
            let error = Params::parse(&query).url("url").expect_err(bad);
            assert!(error.to_string().starts_with("url: "), "{error}");
        }
        let url = Params::parse("url=https%3A%2F%2FExample.com%2Fa%3Fb%3D1%23c").url("url").expect("a good one");
        assert_eq!(url.as_str(), "https://example.com/a?b=1");
    }

    #[test]
    fn booleans_and_numbers_are_strict() {
        let params = Params::parse("a=1&b=false&c=yes&n=30000&m=-1&big=99999999999");
        assert!(params.boolean("a", false).expect("1 is true"));
        assert!(!params.boolean("b", true).expect("false"));
        assert!(params.boolean("missing", true).expect("the default"));
        assert!(params.boolean("c", true).is_err());
        assert_eq!(params.integer("n", 5, 1..=60_000).expect("in bounds"), 30_000);
        assert!(params.integer("m", 5, 1..=60_000).is_err());
        assert!(params.integer("big", 5, 1..=60_000).is_err());
    }

    #[test]
    fn the_last_of_a_repeated_parameter_counts() {
        assert_eq!(Params::parse("a=x&a=y").text("a"), Some("y"));
    }
}
