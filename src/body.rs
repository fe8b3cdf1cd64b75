//! Reading JSON bodies so that a wrong field is named in the answer.

use std::future::Future;
use std::pin::Pin;

use actix_web::dev::Payload;
use actix_web::http::header::CONTENT_TYPE;
use actix_web::web::Bytes;
use actix_web::{FromRequest, HttpRequest};
use serde_json::{Map, Value, json};
use url::Url;

use crate::auth::authenticate;
use crate::error::{ApiError, ApiResult};
use crate::params::absolute_url;
use actors::flows::Caller;

/// Bytes of a JSON body; far more than any order needs.
const MAX_BODY_BYTES: usize = 64 << 10;

/// A request with a JSON body that has passed, in this order: authentication,
/// rate limit, scope, validation.
pub struct AuthorizedBody<B> {
    pub caller: Caller,
    pub body: B,
}

/// An endpoint's body, parsed and within its bounds.
pub trait FromBody: Sized {
    /// Every field there is; another is refused, because a misspelt one would
    /// be paid for without being meant.
    const FIELDS: &'static [&'static str];

    /// Reads the fields.
    ///
    /// # Errors
    /// A 400 that names the field.
    fn from_body(fields: &Fields) -> ApiResult<Self>;
}

impl<B: FromBody> FromRequest for AuthorizedBody<B> {
    type Error = ApiError;
    type Future = Pin<Box<dyn Future<Output = ApiResult<Self>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (request, mut payload) = (request.clone(), payload.take());
        Box::pin(async move {
            let caller = authenticate(&request).await?;
            let bytes = read(&request, &mut payload).await?;
            let fields = Fields::parse(&bytes, B::FIELDS)?;
            Ok(Self { caller, body: B::from_body(&fields)? })
        })
    }
}

async fn read(request: &HttpRequest, payload: &mut Payload) -> ApiResult<Bytes> {
    use futures::StreamExt as _;

    let media = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if !media.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json") {
        return Err(ApiError::invalid("body", "must be JSON, with the header Content-Type: application/json"));
    }
    let mut body = Vec::new();
    while let Some(chunk) = payload.next().await {
        let chunk = chunk.map_err(|_| ApiError::invalid("body", "did not arrive whole"))?;
        if body.len() + chunk.len() > MAX_BODY_BYTES {
            return Err(ApiError::invalid("body", format_args!("is longer than {MAX_BODY_BYTES} bytes")));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body.into())
}

/// The fields of a JSON object. `null` is the same as absent.
pub struct Fields(Map<String, Value>);

impl Fields {
    fn parse(body: &[u8], known: &[&str]) -> ApiResult<Self> {
        let parsed = serde_json::from_slice(body);
        let Value::Object(mut fields) = parsed.map_err(|error| ApiError::invalid("body", error))? else {
            return Err(ApiError::invalid("body", "must be a JSON object"));
        };
        if let Some(unknown) = fields.keys().find(|name| !known.contains(&name.as_str())) {
            return Err(ApiError::not_allowed(unknown, "is not a field of this request", json!(known)));
        }
        fields.retain(|_, value| !value.is_null());
        Ok(Self(fields))
    }

    /// Returns an optional text of at most `max_chars` characters.
    ///
    /// # Errors
    /// A 400 when it is no text, or longer.
    pub fn text(&self, name: &str, max_chars: usize) -> ApiResult<Option<&str>> {
        match self.0.get(name) {
            None => Ok(None),
            Some(Value::String(text)) if text.chars().count() <= max_chars => Ok(Some(text)),
            Some(Value::String(_)) => {
                Err(ApiError::invalid(name, format_args!("is longer than {max_chars} characters")))
            }
            Some(_) => Err(ApiError::invalid(name, "is not a text")),
        }
    }

    /// Returns an optional absolute `http` or `https` URL.
    ///
    /// # Errors
    /// A 400 when it is no text, too long, no URL, or of another scheme.
    pub fn url(&self, name: &str) -> ApiResult<Option<Url>> {
        let text = self.text(name, crate::params::MAX_URL_CHARS)?.map(str::trim).filter(|text| !text.is_empty());
        text.map(|text| absolute_url(name, text)).transpose()
    }

    /// Returns a boolean.
    ///
    /// # Errors
    /// A 400 for anything but `true` and `false`.
    pub fn boolean(&self, name: &str, default: bool) -> ApiResult<bool> {
        match self.0.get(name) {
            None => Ok(default),
            Some(Value::Bool(value)) => Ok(*value),
            Some(_) => Err(ApiError::not_allowed(name, "is not a boolean", json!([true, false]))),
        }
    }

    /// Returns a whole number within bounds.
    ///
    /// # Errors
    /// A 400 when it is no number, has a fraction or is out of bounds.
    pub fn integer(&self, name: &str, default: u32, bounds: std::ops::RangeInclusive<u32>) -> ApiResult<u32> {
        let Some(value) = self.0.get(name) else { return Ok(default) };
        // 100.0 is the number 100 in JSON.
        let whole =
            value.as_u64().or_else(|| value.as_f64().filter(|float| float.fract() == 0.0).map(|float| float as u64));
        match whole.and_then(|whole| u32::try_from(whole).ok()) {
            Some(number) if bounds.contains(&number) && value.as_f64().is_some_and(|float| float >= 0.0) => Ok(number),
            _ => {
                let (least, most) = (bounds.start(), bounds.end());
                let reason = format_args!("is not a whole number from {least} to {most}").to_string();
                Err(ApiError::not_allowed(name, reason, json!({ "minimum": least, "maximum": most })))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: &[&str] = &["url", "n", "b", "t"];

    fn fields(json: &str) -> Fields {
        Fields::parse(json.as_bytes(), KNOWN).expect("an object")
    }

    #[test]
    fn what_is_not_an_object_of_known_fields_is_refused() {
        for (body, field) in [("", "body"), ("[]", "body"), ("{", "body"), (r#"{"maxpages":1}"#, "maxpages")] {
            let error = Fields::parse(body.as_bytes(), KNOWN).err().expect(body);
            assert!(error.to_string().starts_with(field), "{error}");
        }
    }

    #[test]
    fn numbers_are_whole_and_within_bounds() {
        for good in ["7", "7.0", "7e0"] {
            assert_eq!(fields(&format!(r#"{{"n":{good}}}"#)).integer("n", 1, 1..=10).expect(good), 7);
        }
        for bad in ["0", "11", "-1", "-7.0", "7.5", "\"7\"", "true", "1e300"] {
            assert!(fields(&format!(r#"{{"n":{bad}}}"#)).integer("n", 1, 1..=10).is_err(), "{bad}");
        }
        assert_eq!(fields(r#"{"n":null}"#).integer("n", 3, 1..=10).expect("absent"), 3);
    }

    #[test]
    fn texts_urls_and_booleans_are_what_they_say() {
        let body = fields(r#"{"url":" https://example.com/a#b ","b":false,"t":"ä"}"#);
        assert_eq!(body.url("url").expect("a URL").expect("there").as_str(), "https://example.com/a");
        assert!(!body.boolean("b", true).expect("a boolean"));
        assert_eq!(body.text("t", 1).expect("short"), Some("ä"));
        assert!(body.text("t", 0).is_err() && body.boolean("t", true).is_err() && body.url("t").is_err());
        assert!(body.text("b", 9).is_err());
    }
}
