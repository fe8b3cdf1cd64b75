//! The form of a key. Pure but for the random source.

use hmac::{Hmac, Mac};
use rand::TryRngCore;
use rand::rand_core::OsError;
use rand::rngs::OsRng;
use sha2::Sha256;

const SCHEME: &str = "blz_live_";
const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/// 62³⁰ keys are 178 bits: a fast digest is enough, no guessing reaches one.
const RANDOM: usize = 30;
const CHECKSUM: usize = 6;
const PREFIX: usize = 12;

/// Mixed into every digest; as long as a block of SHA-256, the most that HMAC
/// uses.
pub(super) type Pepper = [u8; 64];

/// What is stored of a key.
pub(super) type Digest = [u8; 32];

/// A key in clear whose checksum is right:
/// `blz_live_` + 30 random base62 characters + 6 that are their CRC-32. The
/// checksum lets scanners for leaked keys be sure of a find, and turns a
/// mistyped key away without a look into the database.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct ApiKey(String);

impl ApiKey {
    /// Returns a new key from the operating system's random source.
    ///
    /// # Errors
    /// When that source fails.
    pub(super) fn generate() -> Result<Self, OsError> {
        let mut random = String::with_capacity(RANDOM);
        let mut bytes = [0_u8; 2 * RANDOM];
        while random.len() < RANDOM {
            OsRng.try_fill_bytes(&mut bytes)?;
            let wanted = RANDOM - random.len();
            random.extend(bytes.iter().filter_map(|byte| unbiased(*byte)).take(wanted));
        }
        let checksum = checksum(&random);
        Ok(Self(format!("{SCHEME}{random}{checksum}")))
    }

    /// Returns the key when its form and checksum are right.
    pub(super) fn parse(presented: &str) -> Option<Self> {
        let body = presented.strip_prefix(SCHEME)?;
        let sound = body.len() == RANDOM + CHECKSUM && body.bytes().all(|byte| ALPHABET.contains(&byte));
        // All of one byte each, so the split is at a character.
        (sound && checksum(&body[..RANDOM]) == body[RANDOM..]).then(|| Self(presented.to_owned()))
    }

    /// The whole key, to be shown once.
    pub(super) fn reveal(&self) -> &str {
        &self.0
    }

    /// The first 12 characters, by which people tell keys apart.
    pub(super) fn prefix(&self) -> &str {
        &self.0[..PREFIX]
    }

    /// HMAC-SHA256 of the whole key.
    pub(super) fn digest(&self, pepper: &Pepper) -> Digest {
        let mut mac = <Hmac<Sha256> as hmac::digest::KeyInit>::new(pepper.into());
        mac.update(self.0.as_bytes());
        mac.finalize().into_bytes().into()
    }
}

impl std::fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ApiKey({}…)", self.prefix())
    }
}

/// A character for a random byte; `None` for the last 8 of 256 values, which
/// would make the first 8 characters likelier than the rest.
fn unbiased(byte: u8) -> Option<char> {
    let fair = u8::MAX - u8::MAX % 62;
    (byte < fair).then(|| char::from(ALPHABET[usize::from(byte % 62)]))
}

/// CRC-32 (IEEE) in base62, most significant digit first, always six digits.
fn checksum(random: &str) -> String {
    let mut rest = crc32fast::hash(random.as_bytes());
    let mut digits = [b'0'; CHECKSUM];
    for digit in digits.iter_mut().rev() {
        *digit = ALPHABET[(rest % 62) as usize];
        rest /= 62;
    }
    digits.iter().map(|digit| char::from(*digit)).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use super::*;

    #[test]
    fn a_key_has_the_documented_form() {
        let key = ApiKey::generate().expect("random bytes");
        let body = key.reveal().strip_prefix("blz_live_").expect("the scheme");
        assert_eq!(body.len(), 36);
        assert!(body.bytes().all(|byte| byte.is_ascii_alphanumeric()));
        assert_eq!(key.prefix(), &key.reveal()[..12]);
        assert_eq!(ApiKey::parse(key.reveal()), Some(key));
    }

    #[test]
    fn every_mutation_of_one_character_fails() {
        let key = ApiKey::generate().expect("random bytes");
        for at in 0..key.reveal().len() {
            for other in ALPHABET.iter().chain(b"_-. ") {
                let mut mutated = key.reveal().as_bytes().to_vec();
                if mutated[at] == *other {
                    continue;
                }
                mutated[at] = *other;
                let mutated = String::from_utf8(mutated).expect("ASCII");
                assert_eq!(ApiKey::parse(&mutated), None, "{at}");
            }
        }
    }

    #[test]
    fn what_is_no_key_is_refused() {
        let key = ApiKey::generate().expect("random bytes");
        let (short, long) = (&key.reveal()[..44], format!("{}0", key.reveal()));
        for presented in ["", "blz_live_", short, &long, &format!(" {}", key.reveal()), &"é".repeat(30), "blz_live_é"]
        {
            assert_eq!(ApiKey::parse(presented), None);
        }
        let of_other_letters = format!("blz_live_{}", "é".repeat(18));
        assert_eq!(of_other_letters.len(), 45);
        assert_eq!(ApiKey::parse(&of_other_letters), None);
    }

    #[test]
    fn the_checksum_is_the_crc_of_ieee() {
        // The check value of CRC-32/ISO-HDLC: 0xCBF43926.
        let value = checksum("123456789").bytes().fold(0_u64, |value, digit| {
            value * 62 + ALPHABET.iter().position(|letter| *letter == digit).expect("a digit") as u64
        });
        assert_eq!(value, 0xCBF4_3926);
        assert_eq!(checksum("").len(), 6);
    }

    #[test]
    fn keys_are_unique_and_use_every_character_alike() {
        let keys: Vec<_> = (0..20_000).map(|_| ApiKey::generate().expect("random bytes")).collect();
        assert_eq!(keys.iter().map(ApiKey::reveal).collect::<HashSet<_>>().len(), keys.len());
        let mut seen = HashMap::<u8, f64>::new();
        for key in &keys {
            key.reveal().as_bytes()[9..39].iter().for_each(|byte| *seen.entry(*byte).or_default() += 1.0);
        }
        let expected = (keys.len() * RANDOM) as f64 / 62.0;
        let chi_square: f64 = ALPHABET
            .iter()
            .map(|letter| (seen.get(letter).copied().unwrap_or_default() - expected).powi(2) / expected)
            .sum();
        // With 61 degrees of freedom, above 150 once in 10⁹ runs; a modulo of bytes gives over 1,000.
        assert!(chi_square < 150.0, "{chi_square}");
    }

    #[test]
    fn a_digest_depends_on_key_and_pepper_and_debug_shows_neither() {
        let (one, other) = (ApiKey::generate().expect("random bytes"), ApiKey::generate().expect("random bytes"));
        assert_eq!(one.digest(&[1; 64]), one.digest(&[1; 64]));
        assert_ne!(one.digest(&[1; 64]), one.digest(&[2; 64]));
        assert_ne!(one.digest(&[1; 64]), other.digest(&[1; 64]));
        assert!(!format!("{one:?}").contains(&one.reveal()[12..]));
    }
}
