use std::fmt;
use std::sync::Arc;

use sha2::{Digest, Sha256};

/// The name of a cached answer: `svc:cache:{endpoint}:{hash(params)}`, the hash
/// being the first 128 bits of SHA-256 over the parameters, in hexadecimal.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CacheKey(Arc<str>);

impl CacheKey {
    /// Returns the key of an endpoint's answer to these parameters. Their order
    /// counts; each is hashed with its length, so that no two lists collide by
    /// concatenation.
    pub fn new(endpoint: &str, params: &[(&str, &str)]) -> Self {
        let mut hasher = Sha256::new();
        for part in params.iter().flat_map(|(name, value)| [name, value]) {
            hasher.update((part.len() as u64).to_be_bytes());
            hasher.update(part.as_bytes());
        }
        let digest: [u8; 32] = hasher.finalize().into();
        let (half, _) = digest.split_at(16);
        let hash = half.iter().fold(String::with_capacity(32), |mut hex, byte| {
            use fmt::Write as _;
            // Writing to a String cannot fail.
            let _ = write!(hex, "{byte:02x}");
            hex
        });
        Self(format!("svc:cache:{endpoint}:{hash}").into())
    }

    /// The key as text, as a shared store uses it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_names_its_endpoint_and_hashes_its_parameters() {
        let key = CacheKey::new("web.scrape.html", &[("url", "https://example.com/")]);
        let (prefix, hash) = key.as_str().rsplit_once(':').expect("a key has colons");
        assert_eq!(prefix, "svc:cache:web.scrape.html");
        assert_eq!(hash.len(), 32);
        assert_eq!(key, CacheKey::new("web.scrape.html", &[("url", "https://example.com/")]));
    }

    #[test]
    fn parameters_do_not_run_into_each_other() {
        assert_ne!(CacheKey::new("e", &[("a", "bc")]), CacheKey::new("e", &[("ab", "c")]));
        assert_ne!(CacheKey::new("e", &[("a", "1"), ("b", "2")]), CacheKey::new("e", &[("a", "1b2")]));
    }
}
