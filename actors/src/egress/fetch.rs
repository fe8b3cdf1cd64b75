use bytes::Bytes;
use reqwest::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, HeaderMap, LOCATION};
use reqwest::{Method, Request, Response, StatusCode};
use tokio::time::{Instant, timeout_at};
use url::Url;

use super::cookies::Jar;
use super::inflate::{ACCEPTED_CODINGS, read_body};
use super::{Egress, EgressError, Upstream};

/// Redirects followed before giving up; the eleventh answer must not be one.
const MAX_REDIRECTS: usize = 10;

/// What to fetch and how much of it.
#[derive(Debug, Clone, Copy)]
pub struct Fetch<'a> {
    pub url: &'a Url,
    pub deadline: Instant,
    /// Bytes of the inflated body.
    pub max_bytes: usize,
}

/// The answer at the end of the redirects, whatever its status.
#[derive(Debug, Clone)]
pub struct Fetched {
    /// Where the redirects ended.
    pub final_url: Url,
    pub status: u16,
    /// Names in lower case, in the order received; repeated ones stay repeated.
    pub headers: Vec<(String, String)>,
    /// Inflated.
    pub body: Bytes,
}

/// Gets a document, following redirects; each hop is checked like the first.
/// Cookies that are set on the way are kept until its end.
///
/// # Errors
/// [`EgressError`], also for an answer over `max_bytes` or after the deadline.
pub async fn fetch(egress: &Egress, upstream: Option<&Upstream>, what: Fetch<'_>) -> Result<Fetched, EgressError> {
    let mut url = what.url.clone();
    let ended = timeout_at(what.deadline, follow(egress, upstream, &mut url, what.max_bytes)).await;
    ended.unwrap_or_else(|_| Err(EgressError::Timeout(host_of(&url))))
}

/// `url` moves along with the redirects, so that a time-out names the right host.
async fn follow(
    egress: &Egress,
    upstream: Option<&Upstream>,
    url: &mut Url,
    max_bytes: usize,
) -> Result<Fetched, EgressError> {
    let mut jar = Jar::default();
    for _ in 0..=MAX_REDIRECTS {
        let mut request = Request::new(Method::GET, url.clone());
        request.headers_mut().insert(ACCEPT_ENCODING, ACCEPTED_CODINGS);
        jar.apply(url, request.headers_mut());
        let response = egress.send(upstream, request).await?;
        // An upgrade that nobody asked for is no answer.
        if response.status().is_informational() {
            return Err(EgressError::Refused(host_of(url)));
        }
        match redirect_target(egress, &response, url)? {
            Some(next) => {
                jar.store(url, response.headers());
                *url = next;
            }
            None => {
                let (status, headers) = (response.status().as_u16(), pairs(response.headers()));
                let body = read_body(response, &host_of(url), max_bytes).await?;
                return Ok(Fetched { final_url: url.clone(), status, headers, body });
            }
        }
    }
    Err(EgressError::Redirects(host_of(url)))
}

/// Where a redirect leads; `None` when the answer is not one. A target that is
/// no web address at all leads nowhere.
fn redirect_target(egress: &Egress, response: &Response, base: &Url) -> Result<Option<Url>, EgressError> {
    let redirects = matches!(
        response.status(),
        StatusCode::MOVED_PERMANENTLY
            | StatusCode::FOUND
            | StatusCode::SEE_OTHER
            | StatusCode::TEMPORARY_REDIRECT
            | StatusCode::PERMANENT_REDIRECT
    );
    let Some(location) = response.headers().get(LOCATION).filter(|_| redirects) else { return Ok(None) };
    let nowhere = || EgressError::Redirects(host_of(base));
    // Some sites send raw UTF-8.
    let location = std::str::from_utf8(location.as_bytes()).map_err(|_| nowhere())?;
    let target = base.join(location).map_err(|_| nowhere())?;
    match egress.check_url(&target) {
        Ok(()) => Ok(Some(target)),
        // Not the caller's mistake: the site sends us there.
        Err(EgressError::BadUrl(_)) => Err(nowhere()),
        Err(error) => Err(error),
    }
}

/// Header values are bytes; those beyond ASCII are read as Latin-1, as RFC 9110
/// has it. What was true of the coded body is not said of the inflated one.
fn pairs(headers: &HeaderMap) -> Vec<(String, String)> {
    let latin1 = |bytes: &[u8]| bytes.iter().map(|byte| char::from(*byte)).collect();
    let coded = headers.contains_key(CONTENT_ENCODING);
    let kept = headers.iter().filter(|(name, _)| !coded || (*name != CONTENT_ENCODING && *name != CONTENT_LENGTH));
    kept.map(|(name, value)| (name.as_str().to_owned(), latin1(value.as_bytes()))).collect()
}

fn host_of(url: &Url) -> String {
    url.host_str().unwrap_or_default().to_owned()
}
