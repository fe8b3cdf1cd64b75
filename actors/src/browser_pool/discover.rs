use std::path::{Path, PathBuf};

/// Where a browser is usually found, the cheapest to run first.
const USUAL_PLACES: [&str; 8] = [
    "/usr/lib/chromium/chromium-headless-shell",
    "/opt/chrome-headless-shell/chrome-headless-shell",
    "/usr/lib/chromium/chromium",
    "/usr/lib/chromium-browser/chromium-browser",
    "/opt/google/chrome/chrome",
    "/usr/lib64/chromium-browser/chromium-browser",
    "/usr/local/bin/chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/// Debian's wrappers and what they start. A wrapper that does not `exec` would
/// be the process we kill and wait for, while the browser lives on.
const WRAPPERS: [(&str, &str); 2] = [
    ("/usr/bin/chromium-headless-shell", "/usr/lib/chromium/chromium-headless-shell"),
    ("/usr/bin/chromium", "/usr/lib/chromium/chromium"),
];

/// Returns the browser binary to start: `wanted` (behind its wrapper, if it is
/// one), or the first of the usual places.
///
/// # Errors
/// What to do about it, when there is no such file.
pub(super) fn executable(wanted: Option<&Path>) -> Result<PathBuf, String> {
    match wanted {
        Some(path) if path.is_file() => Ok(behind_wrapper(path)),
        Some(path) => Err(format!("BROWSER_EXECUTABLE names {}, which is not a file", path.display())),
        None => USUAL_PLACES.iter().map(PathBuf::from).find(|path| path.is_file()).ok_or_else(|| {
            "no Chromium was found; install chromium-headless-shell or set BROWSER_EXECUTABLE".to_owned()
        }),
    }
}

fn behind_wrapper(path: &Path) -> PathBuf {
    let real = WRAPPERS.iter().find(|(wrapper, _)| path == Path::new(wrapper)).map(|(_, real)| PathBuf::from(real));
    real.filter(|real| real.is_file()).unwrap_or_else(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_file_is_named_in_the_refusal() {
        let refusal = executable(Some(Path::new("/nowhere/chromium"))).expect_err("there is no such file");
        assert!(refusal.contains("/nowhere/chromium"), "{refusal}");
    }

    #[test]
    fn a_wrapper_gives_way_to_the_binary_behind_it() {
        let (wrapper, real) = WRAPPERS[0];
        assert_eq!(executable(Some(Path::new(wrapper))), Ok(PathBuf::from(real)));
    }

    #[test]
    fn any_other_file_is_taken_as_it_is() {
        let file = tempfile::NamedTempFile::new().expect("a temporary file");
        assert_eq!(executable(Some(file.path())), Ok(file.path().to_owned()));
    }
}
