use bytes::{Bytes, BytesMut};
use reqwest::header::{HeaderMap, LOCATION};
use reqwest::{Method, Request, Response, StatusCode};
use tokio::time::{Instant, timeout_at};
use url::Url;

use super::{Egress, EgressError, Upstream, translate};

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
    for _ in 0..=MAX_REDIRECTS {
        let response = egress.send(upstream, Request::new(Method::GET, url.clone())).await?;
        match redirect_target(&response, url)? {
            Some(next) => *url = next,
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
fn redirect_target(response: &Response, base: &Url) -> Result<Option<Url>, EgressError> {
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
    let location = std::str::from_utf8(location.as_bytes()).map_err(|_| nowhere())?;
    let target = base.join(location).map_err(|_| nowhere())?;
    match super::host_and_port(&target) {
        Ok(_) => Ok(Some(target)),
        Err(_) => Err(nowhere()),
    }
}

/// Reads as it inflates, so that a bomb is noticed at the limit.
async fn read_body(mut response: Response, host: &str, max_bytes: usize) -> Result<Bytes, EgressError> {
    let mut body = BytesMut::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| translate(error, host))? {
        if body.len() + chunk.len() > max_bytes {
            return Err(EgressError::TooLarge(host.to_owned()));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body.freeze())
}

/// Header values are bytes; those beyond ASCII are read as Latin-1, as RFC 9110
/// has it.
fn pairs(headers: &HeaderMap) -> Vec<(String, String)> {
    let latin1 = |bytes: &[u8]| bytes.iter().map(|byte| char::from(*byte)).collect();
    headers.iter().map(|(name, value)| (name.as_str().to_owned(), latin1(value.as_bytes()))).collect()
}

fn host_of(url: &Url) -> String {
    url.host_str().unwrap_or_default().to_owned()
}
