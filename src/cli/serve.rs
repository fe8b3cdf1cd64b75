use std::process::ExitCode;

use super::print;
use crate::settings::Settings;
use crate::startup::{Application, Ended};

/// Serves until asked to end.
pub async fn run(settings: Settings) -> anyhow::Result<ExitCode> {
    let bind = settings.http.bind;
    let mut application = Application::build(settings).await?;
    let port = application.port();
    if let Some(created) = application.take_first_key() {
        print(&format!(
            "The database was empty, so there is a first user now: admin@localhost (enterprise).\n\
             Its API key, shown only this once:\n\n    {}\n",
            created.key
        ))?;
    }
    tracing::info!(address = %format_args!("{bind}:{port}"), "listening");
    match application.run_until_stopped().await? {
        Ended::Asked => Ok(ExitCode::SUCCESS),
        Ended::Escalated => Ok(ExitCode::FAILURE),
    }
}
