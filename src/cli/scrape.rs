use std::process::ExitCode;
use std::time::Duration;

use actors::egress::operator_client;
use actors::flows::{Caller, MarkdownOptions, PageOrder, ScrapeHtml, ScrapeMarkdown, scrape_html, scrape_markdown};
use actors::system::ActorSystem;
use anyhow::{Context as _, bail};
use clap::{Args, ValueEnum};
use serde_json::Value;
use url::Url;

use super::print;
use crate::settings::Settings;
use crate::{assembly, startup};

#[derive(Args)]
pub struct ScrapeArguments {
    /// The page's absolute URL.
    url: Url,
    #[arg(long, value_enum, default_value_t = ScrapeFormat::Markdown)]
    format: ScrapeFormat,
    /// Do the work in this process instead of asking SERVICE_BASE_URL.
    #[arg(long)]
    local: bool,
    /// Fetch plainly, without a browser.
    #[arg(long)]
    no_javascript: bool,
    /// Keep navigation, header and footer in Markdown.
    #[arg(long)]
    full_page: bool,
    /// A CSS selector to wait for.
    #[arg(long, conflicts_with = "no_javascript")]
    wait_for: Option<String>,
    /// Milliseconds for the whole page.
    #[arg(long, default_value_t = 30_000, value_parser = clap::value_parser!(u64).range(1..=120_000))]
    timeout: u64,
    /// The API key; without it BLAZON_API_KEY.
    #[arg(long)]
    key: Option<String>,
}

#[derive(Clone, Copy, ValueEnum)]
enum ScrapeFormat {
    Markdown,
    Html,
}

impl ScrapeFormat {
    /// The endpoint's last part, and the field of `data` that is the content.
    fn name(self) -> &'static str {
        match self {
            Self::Markdown => "markdown",
            Self::Html => "html",
        }
    }
}

/// Scrapes one page and prints its content.
pub async fn run(settings: Settings, arguments: ScrapeArguments) -> anyhow::Result<ExitCode> {
    let format = arguments.format.name();
    let data =
        if arguments.local { locally(&settings, arguments).await? } else { by_server(&settings, arguments).await? };
    let content = data.get(format).and_then(Value::as_str).context("the answer has no content")?;
    print(content)?;
    Ok(ExitCode::SUCCESS)
}

async fn by_server(settings: &Settings, arguments: ScrapeArguments) -> anyhow::Result<Value> {
    let mut url = settings.http.service_base_url.join("/v1/web/scrape/")?.join(arguments.format.name())?;
    url.query_pairs_mut()
        .append_pair("url", arguments.url.as_str())
        .append_pair("timeout", &arguments.timeout.to_string())
        .append_pair("javascript", if arguments.no_javascript { "false" } else { "true" })
        .append_pair("main_content_only", if arguments.full_page { "false" } else { "true" })
        .append_pair("wait_for", arguments.wait_for.as_deref().unwrap_or_default());
    let key = arguments.key.as_deref().or_else(|| settings.http.api_key.as_ref().map(|key| key.expose()));
    let key = key.context("no API key: give --key or set BLAZON_API_KEY, or use --local")?;
    let patience = Duration::from_millis(arguments.timeout) + Duration::from_secs(10);
    let answer = operator_client(super::USER_AGENT)?.get(url).bearer_auth(key).timeout(patience).send().await;
    let answer = answer.context("SERVICE_BASE_URL: the server does not answer; is `blazon serve` running?")?;
    let mut body: Value = answer.json().await.context("SERVICE_BASE_URL: the answer is not that of a Blazon server")?;
    if body.get("success") != Some(&Value::Bool(true)) {
        bail!("{}", body.pointer("/error/message").and_then(Value::as_str).unwrap_or("the server refused"));
    }
    Ok(body["data"].take())
}

async fn locally(settings: &Settings, arguments: ScrapeArguments) -> anyhow::Result<Value> {
    let database = startup::open_database(settings).await?;
    let system = ActorSystem::start(assembly::system_config(settings, database, settings.http.port).await?);
    let services = system.services();
    let page = PageOrder {
        url: arguments.url,
        javascript: !arguments.no_javascript,
        wait_for: arguments.wait_for,
        measure: false,
        timeout: Duration::from_millis(arguments.timeout),
    };
    let answer = match arguments.format {
        ScrapeFormat::Html => scrape_html(&services, &Caller::Local, ScrapeHtml { page, read_cache: false }).await,
        ScrapeFormat::Markdown => {
            let options =
                MarkdownOptions { include_links: true, include_images: true, main_content_only: !arguments.full_page };
            scrape_markdown(&services, &Caller::Local, ScrapeMarkdown { page, options, read_cache: false }).await
        }
    };
    system.drain(startup::CLOSE).await;
    Ok(serde_json::from_slice(&answer?.body)?)
}
