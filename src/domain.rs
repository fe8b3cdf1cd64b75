//! Domains as people write them.

use url::{Host, Url};

/// Characters of a parameter that names a domain, which may be a URL.
const MAX_CHARS: usize = 2_048;
/// Bytes of a host name (RFC 1035, 2.3.4), and of each of its labels.
const MAX_NAME: usize = 253;
const MAX_LABEL: usize = 63;

/// Why a text names no domain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DomainError {
    #[error("is not a domain, such as example.com")]
    NotADomain,
    #[error("is an IP address; a domain is needed, such as example.com")]
    Address,
    #[error("is a single label; a domain is needed, such as example.com")]
    SingleLabel,
    #[error("is a public suffix, under which others have their domains")]
    PublicSuffix,
    #[error("must not carry a port")]
    Port,
    #[error("must not carry a user name or password")]
    UserName,
}

/// Reads a domain, or the host name of a URL, as lower case ASCII without the
/// dot at its end.
///
/// # Errors
/// [`DomainError`] for what is no name under which a site can be.
pub fn parse_domain(text: &str) -> Result<String, DomainError> {
    if text.chars().count() > MAX_CHARS {
        return Err(DomainError::NotADomain);
    }
    let url = if text.contains("://") { Url::parse(text) } else { Url::parse(&format!("https://{text}")) };
    let url = url.map_err(|_| DomainError::NotADomain)?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(DomainError::NotADomain);
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(DomainError::UserName);
    }
    if url.port().is_some() {
        return Err(DomainError::Port);
    }
    match url.host() {
        Some(Host::Domain(name)) => named(name.strip_suffix('.').unwrap_or(name)),
        Some(_) => Err(DomainError::Address),
        None => Err(DomainError::NotADomain),
    }
}

fn named(name: &str) -> Result<String, DomainError> {
    let is_label = |label: &str| {
        let is_char = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        (1..=MAX_LABEL).contains(&label.len()) && label.bytes().all(is_char) && !label.starts_with('-')
    };
    if name.len() > MAX_NAME || !name.split('.').all(is_label) {
        return Err(DomainError::NotADomain);
    }
    if !name.contains('.') {
        return Err(DomainError::SingleLabel);
    }
    // A private one, such as that of a host of blogs, has a site of its own.
    let suffix = psl::suffix(name.as_bytes()).filter(|suffix| suffix.typ() == Some(psl::Type::Icann));
    if suffix.is_some_and(|suffix| suffix == name) {
        return Err(DomainError::PublicSuffix);
    }
    Ok(name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_domain_is_read_from_whatever_names_it() {
        for (text, domain) in [
            ("example.com", "example.com"),
            ("WWW.Example.COM.", "www.example.com"),
            ("https://example.com/path?query#fragment", "example.com"),
            ("http://example.com:80", "example.com"),
            ("example.com/path", "example.com"),
            ("müller.example", "xn--mller-kva.example"),
            ("xn--mller-kva.example", "xn--mller-kva.example"),
            ("shop.example.co.uk", "shop.example.co.uk"),
            ("github.io", "github.io"),
            ("a_b.example.com", "a_b.example.com"),
        ] {
            assert_eq!(parse_domain(text).as_deref(), Ok(domain), "{text}");
        }
    }

    #[test]
    fn what_is_no_domain_is_told_apart() {
        let (long_label, long_name) = (format!("{}.com", "a".repeat(64)), format!("{}com", "a.".repeat(126)));
        let long_text = format!("example.com/{}", "x".repeat(2_048));
        for (text, error) in [
            ("", DomainError::NotADomain),
            ("exa mple.com", DomainError::NotADomain),
            ("a..com", DomainError::NotADomain),
            (".com", DomainError::NotADomain),
            ("-a.com", DomainError::NotADomain),
            ("exam!ple.com", DomainError::NotADomain),
            ("ftp://example.com", DomainError::NotADomain),
            ("javascript:alert(1)", DomainError::NotADomain),
            (&long_label, DomainError::NotADomain),
            (&long_name, DomainError::NotADomain),
            (&long_text, DomainError::NotADomain),
            ("127.0.0.1", DomainError::Address),
            ("2130706433", DomainError::Address),
            ("http://[::1]/", DomainError::Address),
            ("localhost", DomainError::SingleLabel),
            ("com", DomainError::SingleLabel),
            ("co.uk", DomainError::PublicSuffix),
            ("example.com:8080", DomainError::Port),
            ("someone@example.com", DomainError::UserName),
        ] {
            assert_eq!(parse_domain(text), Err(error), "{text}");
        }
    }
}
