use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;

use super::error::{Problem, SettingsError};
use super::reference;

/// Read beside the process environment, from the working directory.
const FILE: &str = ".env";

/// Names and values, wherever they came from. An empty value counts as unset.
#[derive(Default)]
pub struct Source(BTreeMap<String, String>);

impl Source {
    /// Returns the process environment, completed by the file `.env` in the
    /// working directory; only variables that the service knows are kept.
    ///
    /// A name that the environment sets, even to nothing, hides the file's.
    ///
    /// # Errors
    /// When the file cannot be read or parsed, or a value is not UTF-8.
    #[expect(clippy::disallowed_methods, reason = "the one reader of the environment")]
    pub fn from_environment() -> Result<Self, SettingsError> {
        let environment = std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value)));
        let file = match std::fs::read_to_string(FILE) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(file_error(format!("it cannot be read: {error}"))),
        };
        Self::merged(environment, &file)
    }

    /// Returns `environment` over the text of a `.env` file.
    pub(super) fn merged(
        environment: impl IntoIterator<Item = (String, OsString)>,
        file: &str,
    ) -> Result<Self, SettingsError> {
        let mut values = parse_file(file)?;
        let mut problems = Vec::new();
        for (name, value) in environment {
            let Some(variable) = reference::find(&name) else { continue };
            match value.into_string() {
                Ok(value) => drop(values.insert(name, value)),
                Err(_) => problems.push(Problem::stating(variable, "the value is not UTF-8".to_owned())),
            }
        }
        if problems.is_empty() { Ok(Self(values)) } else { Err(SettingsError { problems }) }
    }

    /// Returns the trimmed value, `None` when it is unset or empty.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(|value| value.trim()).filter(|value| !value.is_empty())
    }
}

impl<N: Into<String>, V: Into<String>> FromIterator<(N, V)> for Source {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(pairs: I) -> Self {
        Self(pairs.into_iter().map(|(name, value)| (name.into(), value.into())).collect())
    }
}

fn parse_file(text: &str) -> Result<BTreeMap<String, String>, SettingsError> {
    let mut values = BTreeMap::new();
    for entry in dotenvy::from_read_iter(text.as_bytes()) {
        let (name, value) = entry.map_err(|error| file_error(describe(&error, text)))?;
        if reference::find(&name).is_some() {
            values.insert(name, value);
        }
    }
    Ok(values)
}

/// dotenvy's own message repeats the line, which may hold a secret.
fn describe(error: &dotenvy::Error, text: &str) -> String {
    let line = match error {
        dotenvy::Error::LineParse(line, _) => text.lines().position(|other| other.trim() == line.trim()),
        _ => None,
    };
    match line {
        Some(index) => format!("line {} is not NAME=value", index + 1),
        None => "it does not consist of lines NAME=value".to_owned(),
    }
}

fn file_error(problem: String) -> SettingsError {
    SettingsError { problems: vec![Problem { variable: FILE, problem, example: "PORT=3001" }] }
}
