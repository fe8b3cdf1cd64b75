//! One attempt: a POST, and what came of it.

use std::time::Duration;

use bytes::Bytes;
use reqwest::header::{ACCEPT, ACCEPT_LANGUAGE, CONTENT_TYPE, HeaderMap, HeaderValue, RETRY_AFTER};
use reqwest::{Method, Request, Response, StatusCode};
use tokio::time::{Instant, timeout_at};
use url::Url;

use super::excerpt::{self, MOST_EXCERPT};
use super::signature::SigningSecret;
use crate::egress::{Egress, EgressError};

/// How long the beginning of an answer's body is waited for. Whether the
/// message was accepted is known by then.
const EXCERPT_PATIENCE: Duration = Duration::from_secs(2);

/// A message, ready to be sent.
pub(super) struct Letter {
    pub url: String,
    pub id: String,
    /// Unix seconds.
    pub timestamp: i64,
    pub signature: String,
    pub body: Bytes,
    /// Not sent; to be left out of what is kept of the answer.
    pub secret: SigningSecret,
}

/// What came of an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Outcome {
    /// Any 2xx.
    Accepted {
        status_code: u16,
        excerpt: Option<String>,
    },
    Failed {
        failure: Failure,
        status_code: Option<u16>,
        excerpt: Option<String>,
        retry_after: Option<Duration>,
    },
}

/// Why an attempt failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Failure {
    /// An answer that is neither 2xx nor 410; a redirect is one.
    Status,
    /// 410.
    Gone,
    /// What the message is about no longer exists.
    Expired,
    /// The process ended during the last attempt.
    Interrupted,
    /// No answer: the word is [`EgressError::reason`]'s.
    Unreachable(&'static str),
}

impl Failure {
    /// The word in the API and the database.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Status => "status",
            Self::Gone => "gone",
            Self::Expired => "expired",
            Self::Interrupted => "interrupted",
            Self::Unreachable(reason) => reason,
        }
    }
}

impl Outcome {
    /// A failure that no answer came with.
    pub(super) fn without_answer(failure: Failure) -> Self {
        Self::Failed { failure, status_code: None, excerpt: None, retry_after: None }
    }
}

/// Sends a letter once; redirects are not followed.
pub(super) async fn post(egress: &Egress, letter: Letter, patience: Duration) -> Outcome {
    let secret = letter.secret.clone();
    let Some(request) = request(letter) else { return Outcome::without_answer(Failure::Unreachable("bad_url")) };
    let late = EgressError::Timeout(request.url().host_str().unwrap_or_default().to_owned());
    let sent = timeout_at(Instant::now() + patience, egress.send(None, request)).await;
    match sent.unwrap_or(Err(late)) {
        Ok(response) => judge(response, &secret).await,
        Err(error) => Outcome::without_answer(Failure::Unreachable(error.reason())),
    }
}

fn request(letter: Letter) -> Option<Request> {
    let mut request = Request::new(Method::POST, Url::parse(&letter.url).ok()?);
    let headers = request.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    // In place of what the client says in the name of pages.
    headers.insert(ACCEPT, HeaderValue::from_static("*/*"));
    headers.insert(ACCEPT_LANGUAGE, HeaderValue::from_static("*"));
    headers.insert("webhook-id", HeaderValue::try_from(letter.id).ok()?);
    headers.insert("webhook-timestamp", HeaderValue::from(letter.timestamp));
    headers.insert("webhook-signature", HeaderValue::try_from(letter.signature).ok()?);
    *request.body_mut() = Some(letter.body.into());
    Some(request)
}

async fn judge(response: Response, secret: &SigningSecret) -> Outcome {
    let (status, retry_after) = (response.status(), retry_after(response.headers()));
    let excerpt = excerpt::of(&beginning(response).await, secret);
    let status_code = status.as_u16();
    if status.is_success() {
        return Outcome::Accepted { status_code, excerpt };
    }
    let failure = if status == StatusCode::GONE { Failure::Gone } else { Failure::Status };
    Outcome::Failed { failure, status_code: Some(status_code), excerpt, retry_after }
}

/// The form in seconds; dates are rare, and the schedule is patient.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let seconds = headers.get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds))
}

/// At most [`MOST_EXCERPT`] bytes of the body, or what of them came in time.
async fn beginning(mut response: Response) -> Vec<u8> {
    let (mut read, deadline) = (Vec::new(), Instant::now() + EXCERPT_PATIENCE);
    while read.len() < MOST_EXCERPT {
        let Ok(Ok(Some(chunk))) = timeout_at(deadline, response.chunk()).await else { break };
        read.extend_from_slice(&chunk[..chunk.len().min(MOST_EXCERPT - read.len())]);
    }
    read
}
