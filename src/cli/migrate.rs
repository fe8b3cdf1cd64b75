use std::process::ExitCode;

use super::say;
use crate::settings::Settings;
use crate::startup::open_database;

/// Brings the schema up to date; does nothing when it is.
pub async fn run(settings: Settings) -> anyhow::Result<ExitCode> {
    open_database(&settings).await?;
    say("the database is up to date");
    Ok(ExitCode::SUCCESS)
}
