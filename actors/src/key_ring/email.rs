use super::KeyRingError;

/// The longest address that mail can be sent to, in bytes (RFC 5321).
const MAX_LENGTH: usize = 254;

/// Returns an address in the one form that is stored: lower-case, without
/// spaces around it. What passes looks like an address (one `@`, something
/// before it, dot-separated labels after it); whether anybody reads mail there
/// is not known. A single label is fine: `admin@localhost`.
///
/// # Errors
/// [`KeyRingError::BadEmail`] with what was given.
pub(super) fn normalise(address: &str) -> Result<String, KeyRingError> {
    let normal = address.trim().to_lowercase();
    let fits = normal.len() <= MAX_LENGTH && !normal.chars().any(|c| c.is_whitespace() || c.is_control());
    match normal.split_once('@') {
        Some((local, domain)) if fits && !local.is_empty() && is_domain(domain) => Ok(normal),
        _ => Err(KeyRingError::BadEmail(address.to_owned())),
    }
}

fn is_domain(domain: &str) -> bool {
    let is_label = |label: &str| {
        !label.is_empty()
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.chars().all(|c| c.is_alphanumeric() || c == '-')
    };
    domain.split('.').all(is_label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_brought_to_one_form() {
        for (given, stored) in [
            ("Ada@Example.COM", "ada@example.com"),
            ("  a.b+c@mail.example.co.uk\n", "a.b+c@mail.example.co.uk"),
            ("admin@localhost", "admin@localhost"),
            ("user@bücher.example", "user@bücher.example"),
        ] {
            assert_eq!(normalise(given).expect(given), stored);
        }
    }

    #[test]
    fn what_is_no_address_is_refused() {
        let long = format!("{}@example.com", "a".repeat(250));
        for given in
            ["", "ada", "@example.com", "ada@", "a@b@c", "a b@c.de", "a@b..c", "a@-b.c", "a@b.c.", "a@b_c", &long]
        {
            assert!(matches!(normalise(given), Err(KeyRingError::BadEmail(_))), "{given}");
        }
    }
}
