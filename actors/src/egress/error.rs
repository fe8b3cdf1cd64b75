/// Why an outbound request was refused or failed. `reason()` is the closed list
/// that the API shows in `details.reason`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EgressError {
    /// Not an `http` or `https` URL with a host, or one that carries a user name.
    #[error("{0}")]
    BadUrl(String),
    /// The target is, or leads to, an address that may not be reached.
    #[error("{0} is a private or reserved address")]
    PrivateAddress(String),
    /// The name does not resolve.
    #[error("the name {0} does not resolve")]
    Dns(String),
    /// No connection could be made, or it broke.
    #[error("the connection to {0} failed")]
    Refused(String),
    /// The TLS handshake failed or the certificate is not trusted.
    #[error("no trusted TLS connection to {0} could be made")]
    Tls(String),
    /// Nothing usable came back before the deadline.
    #[error("{0} did not answer in time")]
    Timeout(String),
    /// The body, or the head before it, is larger than allowed.
    #[error("the answer of {0} is larger than the limit")]
    TooLarge(String),
    /// The body is in a content coding that cannot be undone.
    #[error("the answer of {0} cannot be decoded")]
    Undecodable(String),
    /// The site refuses to serve us, on every tier tried.
    #[error("{0} refuses to be read")]
    Blocked(String),
    /// More redirects than the limit, or one that leads nowhere.
    #[error("the redirects of {0} do not end")]
    Redirects(String),
}

impl EgressError {
    /// The word for this failure in `details.reason`.
    pub fn reason(&self) -> &'static str {
        match self {
            Self::BadUrl(_) => "bad_url",
            Self::PrivateAddress(_) => "private_address",
            Self::Dns(_) => "dns",
            Self::Refused(_) => "refused",
            Self::Tls(_) => "tls",
            Self::Timeout(_) => "timeout",
            Self::TooLarge(_) => "too_large",
            Self::Undecodable(_) => "content_type",
            Self::Blocked(_) | Self::Redirects(_) => "blocked",
        }
    }
}
