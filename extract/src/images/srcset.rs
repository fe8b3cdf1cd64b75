/// Returns the URL of the candidate with the greatest width, or else the highest
/// density; of equals the first.
pub(super) fn best(srcset: &str) -> Option<&str> {
    let mut best: Option<(Size, &str)> = None;
    for (size, url) in candidates(srcset) {
        if best.is_none_or(|(known, _)| size.is_greater(known)) {
            best = Some((size, url));
        }
    }
    best.map(|(_, url)| url)
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Size {
    Density(f64),
    Width(u32),
}

impl Size {
    /// Widths are compared with each other, so are densities; a set has one kind,
    /// and where it has both, browsers go by the width.
    fn is_greater(self, other: Self) -> bool {
        match (self, other) {
            (Self::Width(one), Self::Width(two)) => one > two,
            (Self::Density(one), Self::Density(two)) => one > two,
            (Self::Width(_), Self::Density(_)) => true,
            (Self::Density(_), Self::Width(_)) => false,
        }
    }
}

/// Returns the candidates of a set as the HTML standard parses them ("parse a
/// srcset attribute"): a URL goes up to white space, so that commas may be in it,
/// but not at its end; those with descriptors that are none are left out.
fn candidates(srcset: &str) -> impl Iterator<Item = (Size, &str)> {
    let mut rest = srcset;
    std::iter::from_fn(move || {
        loop {
            rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == ',');
            if rest.is_empty() {
                return None;
            }
            let (url, behind) = rest.split_at(rest.find(|c: char| c.is_ascii_whitespace()).unwrap_or(rest.len()));
            let bare = url.trim_end_matches(',');
            let descriptors = if bare.len() < url.len() { "" } else { &behind[..descriptors_end(behind)] };
            rest = &behind[descriptors.len()..];
            if let Some(size) = size(descriptors) {
                return Some((size, bare));
            }
        }
    })
}

/// Returns where the descriptors of a candidate are over: at a comma outside
/// parentheses.
fn descriptors_end(text: &str) -> usize {
    let mut is_within = false;
    let mut signs = text.bytes().enumerate();
    let end = signs.find(|(_, byte)| {
        match byte {
            b'(' => is_within = true,
            b')' => is_within = false,
            _ => {}
        }
        *byte == b',' && !is_within
    });
    end.map_or(text.len(), |(at, _)| at)
}

/// Reads the descriptors; without one the density is 1. A height, which only
/// stands beside a width, says nothing more.
fn size(descriptors: &str) -> Option<Size> {
    let mut size = None;
    for descriptor in descriptors.split_ascii_whitespace() {
        let (number, unit) = descriptor.split_at_checked(descriptor.len() - 1)?;
        let read = match unit {
            "w" => Size::Width(number.parse().ok().filter(|width| *width > 0)?),
            "x" => Size::Density(number.parse().ok().filter(|density: &f64| density.is_finite() && *density >= 0.0)?),
            "h" if number.parse::<u32>().is_ok() => continue,
            _ => return None,
        };
        if size.replace(read).is_some() {
            return None;
        }
    }
    Some(size.unwrap_or(Size::Density(1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_candidate_is_the_best() {
        for (set, url) in [
            ("a.png", "a.png"),
            ("a.png, b.png 2x, c.png 1.5x", "b.png"),
            ("a.png 320w,b.png 640w, c.png 500w", "b.png"),
            (" ,, a.png 1x,", "a.png"),
            ("/w_1,h_2/a.png 1x, /w_3,h_4/b.png 2x", "/w_3,h_4/b.png"),
            ("a.png,b.png 2x", "a.png,b.png"),
            ("a.png, b.png", "a.png"),
            ("a.png 100w 50h, b.png 200w 100h", "b.png"),
            ("a.png 1x, b.png 9q, c.png 3x 4x, d.png (1,2) 5x", "a.png"),
            ("a.png 2x, b.png 100w", "b.png"),
            ("é.png 1é, b.png", "b.png"),
        ] {
            assert_eq!(best(set), Some(url), "{set}");
        }
        for set in ["", " , ", "a.png 0w", "a.png NaNx", "a.png 1x 2x", "a.png -1x"] {
            assert_eq!(best(set), None, "{set}");
        }
    }

    #[test]
    fn hostile_sets_take_linear_time() {
        assert_eq!(best(&", ".repeat(500_000)), None);
        assert_eq!(best(&"a 1x (".repeat(100_000)), None);
        assert_eq!(best(&"a 1q, ".repeat(100_000)), None);
    }
}
