use std::fmt;
use std::str::FromStr;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::percent_decode_str;
use url::{Host, Url};

/// An HTTP proxy of the operator's choice, parsed from
/// `http://user:password@host:port`. Neither `Debug` nor `Display` shows the
/// credentials.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Upstream {
    pub(super) host: Host,
    pub(super) port: u16,
    credentials: Option<(String, String)>,
}

/// Why a text is not an [`Upstream`]. It does not repeat the text, which may
/// hold a password.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum UpstreamError {
    #[error("it is not a URL with a host; write for example `http://user:password@proxy.example:8080`")]
    NotAUrl,
    #[error("SOCKS5 proxies are not supported yet; write for example `http://user:password@proxy.example:8080`")]
    Socks,
    #[error("a proxy is reached over `http`; write for example `http://user:password@proxy.example:8080`")]
    Scheme,
}

impl Upstream {
    /// The value of a `Proxy-Authorization` header, when there are credentials.
    pub(super) fn authorization(&self) -> Option<String> {
        let (user, password) = self.credentials.as_ref()?;
        Some(format!("Basic {}", STANDARD.encode(format!("{user}:{password}"))))
    }

    /// User name and password, decoded.
    pub(super) fn credentials(&self) -> Option<(&str, &str)> {
        self.credentials.as_ref().map(|(user, password)| (user.as_str(), password.as_str()))
    }
}

impl FromStr for Upstream {
    type Err = UpstreamError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let url = Url::parse(text.trim()).map_err(|_| UpstreamError::NotAUrl)?;
        match url.scheme() {
            "http" => {}
            scheme if scheme.starts_with("socks") => return Err(UpstreamError::Socks),
            _ => return Err(UpstreamError::Scheme),
        }
        let host = url.host().ok_or(UpstreamError::NotAUrl)?.to_owned();
        let port = url.port_or_known_default().ok_or(UpstreamError::NotAUrl)?;
        let decode = |part: &str| percent_decode_str(part).decode_utf8_lossy().into_owned();
        let has_credentials = !url.username().is_empty() || url.password().is_some();
        let credentials = has_credentials.then(|| (decode(url.username()), decode(url.password().unwrap_or_default())));
        Ok(Self { host, port, credentials })
    }
}

impl fmt::Display for Upstream {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "http://{}:{}", self.host, self.port)
    }
}

impl fmt::Debug for Upstream {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Upstream({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_decoded_and_never_shown() {
        let upstream: Upstream = "http://us%40er:p%3Ass@Proxy.Example:3128".parse().unwrap();
        assert_eq!(upstream.credentials(), Some(("us@er", "p:ss")));
        assert_eq!(upstream.authorization().as_deref(), Some("Basic dXNAZXI6cDpzcw=="));
        assert_eq!(format!("{upstream} {upstream:?}"), "http://proxy.example:3128 Upstream(http://proxy.example:3128)");
        assert_eq!("http://10.0.0.1:80".parse::<Upstream>().unwrap().authorization(), None);
    }

    #[test]
    fn other_kinds_of_proxy_are_refused_without_repeating_the_password() {
        for (text, error) in [
            ("socks5://user:secret@proxy.example:1080", UpstreamError::Socks),
            ("https://user:secret@proxy.example:443", UpstreamError::Scheme),
            ("proxy.example:8080", UpstreamError::Scheme),
            ("user:secret", UpstreamError::Scheme),
            ("http://", UpstreamError::NotAUrl),
        ] {
            let refused = text.parse::<Upstream>().unwrap_err();
            assert_eq!(refused, error, "{text}");
            assert!(!refused.to_string().contains("secret"));
        }
    }
}
