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
    if error.is_timeout() {
        EgressError::Timeout(host)
    } else if error.is_connect() && causes(&error).any(is_tls) {
        EgressError::Tls(host)
    } else {
        EgressError::Refused(host)
    }
}

fn causes<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |&error| error.source())
}

/// Whether this is a failed handshake: the TLS library reports every one as
/// invalid data or, when the peer closes in its middle (as plain HTTP servers
/// do), as an early end. No other step of connecting reads anything.
fn is_tls(error: &(dyn Error + 'static)) -> bool {
    error
        .downcast_ref::<io::Error>()
        .is_some_and(|error| matches!(error.kind(), io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof))
}
