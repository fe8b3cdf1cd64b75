use std::process::ExitCode;

use actors::flows::{Check, readiness};
use actors::system::ActorSystem;

use super::print;
use crate::settings::Settings;
use crate::{assembly, startup};

/// Checks what the service stands on, prints a line each, and fails if one of
/// them does not work.
pub async fn run(settings: Settings) -> anyhow::Result<ExitCode> {
    let checks = match startup::open_database(&settings).await {
        Ok(database) => {
            let system = ActorSystem::start(assembly::system_config(&settings, database, settings.http.port).await?);
            let checks = readiness(&system.services()).await;
            system.drain(startup::CLOSE).await;
            checks
        }
        Err(error) => vec![Check { name: "database", problem: Some(format!("{error:#}")) }],
    };
    for Check { name, problem } in &checks {
        print(&match problem {
            None => format!("ok       {name}"),
            Some(problem) => format!("problem  {name}: {problem}"),
        })?;
    }
    let healthy = checks.iter().all(|check| check.problem.is_none());
    Ok(if healthy { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
