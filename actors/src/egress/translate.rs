use std::error::Error;
use std::io;

use super::EgressError;

/// What a failure of the HTTP client means for `host`.
pub(super) fn translate(error: reqwest::Error, host: &str) -> EgressError {
    // The guard's own refusal is somewhere below "error sending request".
    if let Some(refusal) = causes(&error).find_map(|cause| cause.downcast_ref::<EgressError>()) {
        return refusal.clone();
    }
    let host = host.to_owned();
    if causes(&error).any(is_oversized_head) {
        EgressError::TooLarge(host)
    } else if error.is_timeout() {
        EgressError::Timeout(host)
    } else if error.is_connect() && causes(&error).any(is_tls) {
        EgressError::Tls(host)
    } else {
        EgressError::Refused(host)
    }
}

/// The error and everything below it. `io::Error::source` skips the error it
/// wraps, which is the very one that is looked for.
fn causes<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |&error| match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
        Some(wrapped) => Some(wrapped as &(dyn Error + 'static)),
        None => error.source(),
    })
}

fn is_oversized_head(error: &(dyn Error + 'static)) -> bool {
    error.downcast_ref::<hyper::Error>().is_some_and(hyper::Error::is_parse_too_large)
}

/// Whether this is a failed handshake: the TLS library reports every one as
/// invalid data or, when the peer closes in its middle (as plain HTTP servers
/// do), as an early end. No other step of connecting reads anything.
fn is_tls(error: &(dyn Error + 'static)) -> bool {
    error
        .downcast_ref::<io::Error>()
        .is_some_and(|error| matches!(error.kind(), io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof))
}
