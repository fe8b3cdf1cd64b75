use std::process::ExitCode;
use std::time::Duration;

use actors::egress::operator_client;

use crate::settings::Settings;

/// Asks `/healthz` of the server on this machine.
pub async fn run(settings: Settings) -> anyhow::Result<ExitCode> {
    let url = format!("http://127.0.0.1:{}/healthz", settings.http.port);
    let answer = operator_client(super::USER_AGENT)?.get(url).timeout(Duration::from_secs(5)).send().await;
    Ok(match answer {
        Ok(response) if response.status().is_success() => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    })
}
