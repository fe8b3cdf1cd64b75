//! The command line. Results go to standard output, everything else to standard
//! error.

mod crawl;
mod doctor;
mod extract;
mod healthcheck;
mod keys;
mod migrate;
mod scrape;
mod serve;

use std::io::Write;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::settings::Settings;

/// What the command line calls itself to the server.
const USER_AGENT: &str = concat!("blazon/", env!("CARGO_PKG_VERSION"));

/// Self-hosted brand intelligence and web extraction.
#[derive(Parser)]
#[command(version, about)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run the API server.
    Serve,
    /// Bring the database's schema up to date.
    Migrate,
    /// Check what the service stands on and say what is wrong.
    Doctor,
    /// Exit with 0 if the server on this machine answers, else with 1.
    Healthcheck,
    /// Make, list, revoke and rotate API keys.
    #[command(subcommand)]
    Keys(keys::KeysCommand),
    /// HTML in, content out: no server, no network.
    Extract(extract::ExtractArguments),
    /// Scrape one page, through a server or with `--local`.
    Scrape(scrape::ScrapeArguments),
    /// Crawl a site, through a server or with `--local`.
    Crawl(crawl::CrawlArguments),
}

/// Runs the command of the process's arguments.
pub fn run() -> ExitCode {
    let Arguments { command } = Arguments::parse();
    let outcome = match command {
        // Needs neither settings nor a runtime.
        Command::Extract(arguments) => extract::run(arguments).map(|()| ExitCode::SUCCESS),
        command => with_settings(command),
    };
    outcome.unwrap_or_else(|error| {
        say(&format!("error: {error:#}"));
        ExitCode::FAILURE
    })
}

fn with_settings(command: Command) -> anyhow::Result<ExitCode> {
    let settings = Settings::load()?;
    crate::telemetry::init_logs(&settings);
    for warning in &settings.warnings {
        tracing::warn!("{warning}");
    }
    actix_web::rt::System::new().block_on(async move {
        match command {
            Command::Serve => serve::run(settings).await,
            Command::Migrate => migrate::run(settings).await,
            Command::Doctor => doctor::run(settings).await,
            Command::Healthcheck => healthcheck::run(settings).await,
            Command::Keys(command) => keys::run(settings, command).await,
            Command::Scrape(arguments) => scrape::run(settings, arguments).await,
            Command::Crawl(arguments) => crawl::run(settings, arguments).await,
            Command::Extract(_) => unreachable!("handled without settings"),
        }
    })
}

/// Writes a result.
fn print(line: &str) -> std::io::Result<()> {
    writeln!(std::io::stdout().lock(), "{line}")
}

/// Tells the person at the terminal something.
fn say(line: &str) {
    // With standard error gone there is nobody to tell.
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}
