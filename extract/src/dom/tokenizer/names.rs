use html5ever::LocalName;

/// Names that are the same as one read before, by their length and letters.
/// Looking a name up in html5ever's table takes longer than reading it.
pub(super) struct Names {
    known: Vec<Option<(u64, LocalName)>>,
}

const PLACES: usize = 512;

impl Default for Names {
    fn default() -> Self {
        Self { known: vec![None; PLACES] }
    }
}

impl Names {
    /// Returns the name of a tag or attribute, in lower case.
    pub(super) fn get(&mut self, text: &str) -> LocalName {
        let Some(key) = key(text) else { return name(text) };
        // Fibonacci hashing: the upper bits of a product with 2^64 divided by
        // the golden ratio.
        let place = usize::try_from(key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 55).unwrap_or_default() % PLACES;
        match &self.known[place] {
            Some((known, name)) if *known == key => name.clone(),
            _ => {
                let name = name(text);
                self.known[place] = Some((key, name.clone()));
                name
            }
        }
    }
}

/// Returns up to eight bytes as one number; those of other names have another.
fn key(text: &str) -> Option<u64> {
    let bytes = text.as_bytes();
    let mut key = [0; 8];
    key.get_mut(..bytes.len())?.copy_from_slice(bytes);
    // A NUL would be read as the end.
    (!bytes.contains(&0)).then(|| u64::from_le_bytes(key))
}

fn name(text: &str) -> LocalName {
    if text.bytes().any(|byte| byte.is_ascii_uppercase() || byte == 0) {
        return LocalName::from(text.to_ascii_lowercase().replace('\0', "\u{fffd}"));
    }
    LocalName::from(text)
}
