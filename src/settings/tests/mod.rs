use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::Path;

use super::*;

fn load(pairs: &[(&str, &str)]) -> Result<Settings, SettingsError> {
    Settings::from_source(&pairs.iter().copied().collect())
}

fn settings(pairs: &[(&str, &str)]) -> Settings {
    load(pairs).expect("the values are valid")
}

/// The whole message that a start with these values ends with.
fn refusal(pairs: &[(&str, &str)]) -> String {
    load(pairs).expect_err("a value is wrong").to_string()
}

fn merged(environment: &[(&str, &str)], file: &str) -> Result<Settings, SettingsError> {
    let environment = environment.iter().map(|(name, value)| ((*name).to_owned(), OsString::from(value)));
    Settings::from_source(&Source::merged(environment, file)?)
}

mod defaults;
mod docs;
mod refusals;
mod sources;
