use std::fmt::Write as _;

use sha1::{Digest, Sha1};

/// A Lua script and the digest under which Redis remembers it.
#[derive(Debug, Clone)]
pub(crate) struct Script {
    pub text: String,
    pub sha1: String,
}

impl Script {
    /// Returns the script made of these parts in order.
    pub(crate) fn new(parts: &[&str]) -> Self {
        let text = parts.concat();
        let sha1 = Sha1::digest(&text).iter().fold(String::with_capacity(40), |mut hex, byte| {
            // Writing to a String cannot fail.
            let _ = write!(hex, "{byte:02x}");
            hex
        });
        Self { text, sha1 }
    }
}
