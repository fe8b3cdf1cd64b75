//! Signatures as Standard Webhooks 1.0.0 describes them
//! (<https://www.standardwebhooks.com>). Pure.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, Mac};
use sha2::{Digest, Sha256};
use uuid::Uuid;

/// Before every secret, so that people and scanners for leaked ones know it.
pub(super) const SCHEME: &str = "whsec_";
/// Parts the secrets made here from whatever else is ever derived of the root.
const LABEL: &[u8] = b"blazon webhook signing secret 1\0";

/// What every account's signing secret is derived from.
#[derive(Clone)]
pub struct RootSecret([u8; 32]);

impl RootSecret {
    /// Takes bytes of any number; fewer than 16 can be guessed by anybody who
    /// knows one secret that was derived.
    pub fn new(bytes: impl AsRef<[u8]>) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The secret of an account: HMAC-SHA256 of a label and the account's id
    /// under the root. It need not be stored, and tells nothing of another's.
    pub(super) fn of(&self, user: Uuid) -> SigningSecret {
        SigningSecret(hmac(&self.0, &[LABEL, user.as_bytes()]))
    }
}

impl fmt::Debug for RootSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RootSecret(***)")
    }
}

/// What the events of one account are signed with, and its owner checks them
/// with.
#[derive(Clone, PartialEq, Eq)]
pub struct SigningSecret([u8; 32]);

impl SigningSecret {
    /// The secret as receivers' libraries take it: `whsec_` and Base64.
    pub fn reveal(&self) -> String {
        format!("{SCHEME}{}", self.base64())
    }

    pub(super) fn base64(&self) -> String {
        STANDARD.encode(self.0)
    }

    /// The header `webhook-signature` of a message; `timestamp` in Unix
    /// seconds.
    pub(super) fn sign(&self, id: &str, timestamp: i64, body: &[u8]) -> String {
        sign(&self.0, id, timestamp, body)
    }
}

impl fmt::Debug for SigningSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SigningSecret(***)")
    }
}

fn sign(key: &[u8; 32], id: &str, timestamp: i64, body: &[u8]) -> String {
    let head = format!("{id}.{timestamp}.");
    format!("v1,{}", STANDARD.encode(hmac(key, &[head.as_bytes(), body])))
}

fn hmac(key: &[u8; 32], parts: &[&[u8]]) -> [u8; 32] {
    // RFC 2104 fills a key up to a block of the hash with zeros; given whole blocks, nothing can fail.
    let mut block = [0_u8; 64];
    block[..key.len()].copy_from_slice(key);
    let mut mac = <Hmac<Sha256> as hmac::digest::KeyInit>::new(&block.into());
    parts.iter().for_each(|part| mac.update(part));
    mac.finalize().into_bytes().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Vectors of the specification's own reference libraries.
    #[test]
    fn signatures_are_those_of_the_reference_libraries() {
        let vectors = [
            (
                "C2FVsBQIhrscChlQIMV+b5sSYspob7oD",
                "msg_27UH4WbU6Z5A5EzD8u03UvzRbpk",
                1_649_367_553,
                r#"{"email":"test@example.com","username":"test_user"}"#,
                "v1,tZ1I4/hDygAJgO5TYxiSd6Sd0kDW6hPenDe+bTa3Kkw=",
            ),
            (
                "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
                "msg_p5jXN8AQM9LWM0D4loKWxJek",
                1_614_265_330,
                r#"{"test": 2432232314}"#,
                "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
            ),
        ];
        for (key, id, timestamp, body, expected) in vectors {
            let mut filled = [0_u8; 32];
            filled[..24].copy_from_slice(&STANDARD.decode(key).expect("base64"));
            assert_eq!(sign(&filled, id, timestamp, body.as_bytes()), expected);
        }
    }

    #[test]
    fn each_account_has_its_own_secret_and_always_the_same() {
        let (root, ada, bob) = (RootSecret::new("a root of sixteen"), Uuid::from_u128(1), Uuid::from_u128(2));
        assert_eq!(root.of(ada), root.clone().of(ada));
        assert_ne!(root.of(ada), root.of(bob));
        assert_ne!(root.of(ada), RootSecret::new("another root of 16").of(ada));
        let shown = root.of(ada).reveal();
        let key = STANDARD.decode(shown.strip_prefix("whsec_").expect("the scheme")).expect("base64");
        assert_eq!(key.len(), 32, "of the 24 to 64 bytes that the specification allows");
        assert_eq!(format!("{root:?} {:?}", root.of(ada)), "RootSecret(***) SigningSecret(***)");
    }
}
