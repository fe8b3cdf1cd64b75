use std::fmt;
use std::str::FromStr;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::percent_decode_str;
use url::{Host, Url};

/// The port of a SOCKS proxy whose URL names none.
const SOCKS_PORT: u16 = 1080;

/// A proxy of the operator's choice, parsed from
/// `http://user:password@host:port`, `socks5://…` or `socks5h://…`. Neither
/// `Debug` nor `Display` shows the credentials.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Upstream {
    pub(super) protocol: Protocol,
    pub(super) host: Host,
    pub(super) port: u16,
    credentials: Option<(String, String)>,
}

/// What a proxy speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Protocol {
    /// HTTP/1.1: absolute form for plain requests, `CONNECT` for all others.
    Http,
    /// RFC 1928 with names resolved here, so that the proxy dials the very
    /// address that was judged.
    Socks5,
    /// RFC 1928 with names resolved by the proxy.
    Socks5h,
}

impl Protocol {
    fn scheme(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Socks5 => "socks5",
            Self::Socks5h => "socks5h",
        }
    }
}

/// Why a text is not an [`Upstream`]. It does not repeat the text, which may
/// hold a password.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum UpstreamError {
    #[error("it is not a URL with a host; write for example `http://user:password@proxy.example:8080`")]
    NotAUrl,
    #[error(
        "a proxy is reached over `http`, `socks5` or `socks5h`; write for example \
         `http://user:password@proxy.example:8080`"
    )]
    Scheme,
    /// RFC 1929 has no room for others.
    #[error("a SOCKS5 user name and password have 1 to 255 bytes each")]
    SocksCredentials,
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

    /// Tells the operator what only they can mend.
    pub(super) fn warn_of_credentials(&self) {
        tracing::warn!(upstream = %self, "a proxy refuses the credentials it is configured with");
    }

    /// Whether it speaks HTTP, and so may answer a plain request itself.
    pub fn is_http(&self) -> bool {
        self.protocol == Protocol::Http
    }
}

impl FromStr for Upstream {
    type Err = UpstreamError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let url = Url::parse(text.trim()).map_err(|_| UpstreamError::NotAUrl)?;
        let protocol = match url.scheme() {
            "http" => Protocol::Http,
            "socks5" => Protocol::Socks5,
            "socks5h" => Protocol::Socks5h,
            _ => return Err(UpstreamError::Scheme),
        };
        // Only the host of a web URL is parsed along with it.
        let host = url.host_str().filter(|host| !host.is_empty()).ok_or(UpstreamError::NotAUrl)?;
        let host = Host::parse(host).map_err(|_| UpstreamError::NotAUrl)?;
        let port = url.port_or_known_default().unwrap_or(SOCKS_PORT);
        let decode = |part: &str| percent_decode_str(part).decode_utf8_lossy().into_owned();
        let has_credentials = !url.username().is_empty() || url.password().is_some();
        let credentials = has_credentials.then(|| (decode(url.username()), decode(url.password().unwrap_or_default())));
        let fits_socks =
            |(user, password): &(String, String)| [user, password].iter().all(|part| (1..=255).contains(&part.len()));
        if protocol != Protocol::Http && !credentials.as_ref().is_none_or(fits_socks) {
            return Err(UpstreamError::SocksCredentials);
        }
        Ok(Self { protocol, host, port, credentials })
    }
}

impl fmt::Display for Upstream {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}://{}:{}", self.protocol.scheme(), self.host, self.port)
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
    fn socks_proxies_are_read_like_http_ones() {
        let upstream: Upstream = "socks5h://us%40er:p%3Ass@Proxy.Example".parse().unwrap();
        assert_eq!(upstream.credentials(), Some(("us@er", "p:ss")));
        assert_eq!(format!("{upstream:?}"), "Upstream(socks5h://proxy.example:1080)");
        let upstream: Upstream = "socks5://127.0.0.1:9050".parse().unwrap();
        assert_eq!((upstream.host, upstream.port), (Host::Ipv4([127, 0, 0, 1].into()), 9050));
        let upstream: Upstream = "socks5://[::1]:9050".parse().unwrap();
        assert_eq!(upstream.to_string(), "socks5://[::1]:9050");
    }

    #[test]
    fn other_kinds_of_proxy_are_refused_without_repeating_the_password() {
        let long = format!("socks5://user:secret{}@proxy.example", "x".repeat(250));
        for (text, error) in [
            ("socks4://user:secret@proxy.example:1080", UpstreamError::Scheme),
            ("https://user:secret@proxy.example:443", UpstreamError::Scheme),
            ("proxy.example:8080", UpstreamError::Scheme),
            ("user:secret", UpstreamError::Scheme),
            ("http://", UpstreamError::NotAUrl),
            ("socks5://user:secret@", UpstreamError::NotAUrl),
            ("socks5://user:secret@a b", UpstreamError::NotAUrl),
            ("socks5://:secret@proxy.example", UpstreamError::SocksCredentials),
            (&long, UpstreamError::SocksCredentials),
        ] {
            let refused = text.parse::<Upstream>().unwrap_err();
            assert_eq!(refused, error, "{text}");
            assert!(!refused.to_string().contains("secret"));
        }
    }
}
