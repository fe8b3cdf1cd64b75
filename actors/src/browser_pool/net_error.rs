use crate::egress::EgressError;

/// Translates a network error of Chromium, such as `net::ERR_TIMED_OUT`, about
/// a document of `host`. Names: `net/base/net_error_list.h` of Chromium.
pub(super) fn meaning(error: &str, host: String) -> EgressError {
    let name = error.trim_start_matches("net::ERR_");
    match name {
        "NAME_NOT_RESOLVED" | "NAME_RESOLUTION_FAILED" | "ICANN_NAME_COLLISION" => EgressError::Dns(host),
        "TIMED_OUT" | "CONNECTION_TIMED_OUT" => EgressError::Timeout(host),
        "TOO_MANY_REDIRECTS" | "INVALID_REDIRECT" | "UNSAFE_REDIRECT" => EgressError::Redirects(host),
        "INVALID_URL" | "UNSAFE_PORT" | "DISALLOWED_URL_SCHEME" | "UNKNOWN_URL_SCHEME" => {
            EgressError::BadUrl(format!("a browser does not open this address of {host}"))
        }
        "FILE_TOO_BIG" => EgressError::TooLarge(host),
        _ if name.starts_with("CERT_") || name.starts_with("SSL_") || name == "BAD_SSL_CLIENT_AUTH_CERT" => {
            EgressError::Tls(host)
        }
        _ if name.starts_with("BLOCKED_BY_") => EgressError::Blocked(host),
        _ => EgressError::Refused(host),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_failure_keeps_its_reason() {
        let reasons = [
            ("net::ERR_NAME_NOT_RESOLVED", "dns"),
            ("net::ERR_CERT_AUTHORITY_INVALID", "tls"),
            ("net::ERR_SSL_PROTOCOL_ERROR", "tls"),
            ("net::ERR_CONNECTION_TIMED_OUT", "timeout"),
            ("net::ERR_TOO_MANY_REDIRECTS", "blocked"),
            ("net::ERR_UNSAFE_PORT", "bad_url"),
            ("net::ERR_TUNNEL_CONNECTION_FAILED", "refused"),
            ("net::ERR_EMPTY_RESPONSE", "refused"),
        ];
        for (error, reason) in reasons {
            assert_eq!(meaning(error, "host".to_owned()).reason(), reason, "{error}");
        }
    }
}
