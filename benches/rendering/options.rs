use std::path::PathBuf;

use super::Result;

/// What the command line says.
pub struct Options {
    pub folder: PathBuf,
    pub browser: PathBuf,
    pub pages: usize,
    pub at_once: usize,
    pub rounds: usize,
    pub html: PathBuf,
    pub peer: Option<Vec<String>>,
    pub soak: Option<usize>,
}

impl Options {
    /// Reads the arguments; `None` when no folder is named.
    pub fn read(arguments: &[String]) -> Result<Option<Self>> {
        let Some((folder, rest)) = arguments.split_first() else { return Ok(None) };
        let mut options = Self {
            folder: folder.into(),
            browser: "/usr/lib/chromium/chromium-headless-shell".into(),
            pages: 100,
            at_once: 4,
            rounds: 3,
            html: std::env::temp_dir().join("blazon-rendering"),
            peer: None,
            soak: None,
        };
        let mut rest = rest.iter();
        while let Some(name) = rest.next() {
            let value = rest.next().ok_or_else(|| format!("{name} needs a value"))?;
            match name.as_str() {
                "--browser" => options.browser = value.into(),
                "--pages" => options.pages = value.parse()?,
                "--at-once" => options.at_once = value.parse()?,
                "--rounds" => options.rounds = value.parse()?,
                "--html" => options.html = value.into(),
                "--peer" => options.peer = Some(value.split_whitespace().map(str::to_owned).collect()),
                "--soak" => options.soak = Some(value.parse()?),
                _ => return Err(format!("{name} is unknown").into()),
            }
        }
        Ok(Some(options))
    }
}
