/// Returns the URL of the largest image that a `srcset` offers, by width or by
/// density; the first of several as large. Split as WHATWG HTML 4.8.4.2.1 says.
pub(crate) fn largest(set: &str) -> Option<&str> {
    let mut best: Option<(f64, &str)> = None;
    for (url, size) in candidates(set) {
        if best.is_none_or(|(largest, _)| size > largest) {
            best = Some((size, url));
        }
    }
    best.map(|(_, url)| url)
}

/// Returns each URL with its width in pixels or its density; without either it
/// has a density of 1.
fn candidates(set: &str) -> impl Iterator<Item = (&str, f64)> {
    let mut rest = set;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(|skipped: char| skipped.is_ascii_whitespace() || skipped == ',');
        let end = rest.find(|end: char| end.is_ascii_whitespace()).unwrap_or(rest.len());
        let (url, behind) = rest.split_at(end);
        let alone = url.trim_end_matches(',');
        if alone.is_empty() {
            return None;
        }
        if alone.len() < url.len() {
            rest = behind;
            return Some((alone, 1.0));
        }
        let end = descriptors_end(behind);
        rest = &behind[end..];
        Some((alone, size(&behind[..end])))
    })
}

/// Descriptors end at a comma outside brackets.
fn descriptors_end(descriptors: &str) -> usize {
    let mut is_inside = false;
    let end = descriptors.find(|character| {
        match character {
            '(' => is_inside = true,
            ')' => is_inside = false,
            _ => {}
        }
        character == ',' && !is_inside
    });
    end.unwrap_or(descriptors.len())
}

fn size(descriptors: &str) -> f64 {
    let number = |word: &str| word.strip_suffix(['w', 'x']).and_then(|number| number.parse::<f64>().ok());
    descriptors.split_ascii_whitespace().find_map(number).filter(|size| size.is_finite()).unwrap_or(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_of_a_set_is_found() {
        for (set, url) in [
            ("", None),
            (" , ,", None),
            ("a", Some("a")),
            ("a 1x, b 2x", Some("b")),
            ("a 640w 400h, b 1280w, c 320w", Some("b")),
            ("a,b 3x", Some("a,b")),
            ("a, b 3x", Some("b")),
            ("a (x, y) 2x, b 1.5x", Some("a")),
            ("a NaNx, b 1x", Some("a")),
            ("a infx, b 2x", Some("b")),
            ("/i/w_300,h_200/x.png 300w, /i/w_600,h_400/x.png 600w", Some("/i/w_600,h_400/x.png")),
        ] {
            assert_eq!(largest(set), url, "{set}");
        }
    }
}
