use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use actors::crawl_job::{CrawlOptions, MAX_DEPTH, MAX_PAGES, PageRange, url_regex};
use actors::egress::operator_client;
use actors::flows::{Caller, CrawlOrder, cancel_crawl, crawl, start_crawl};
use actors::system::{ActorSystem, Services};
use anyhow::{Context as _, bail};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};
use url::Url;
use uuid::Uuid;

use super::say;
use crate::settings::Settings;
use crate::{assembly, startup};

/// How often the crawl is looked at.
const LOOK: Duration = Duration::from_millis(500);
/// Pages fetched from the service at a time.
const STRETCH: i64 = 200;

#[derive(Args)]
pub struct CrawlArguments {
    /// Where to begin: an absolute URL.
    url: Url,
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_PAGES)))]
    max_pages: u32,
    /// Links from the first page.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(0..=i64::from(MAX_DEPTH)))]
    max_depth: u32,
    /// Follow only the links whose URL this regular expression is found in.
    #[arg(long)]
    url_regex: Option<String>,
    /// List each page's outgoing links.
    #[arg(long)]
    include_links: bool,
    /// List each page's images.
    #[arg(long)]
    include_images: bool,
    /// Begin with the URLs of the site's sitemap too.
    #[arg(long)]
    use_sitemap: bool,
    /// Write a Markdown file per page into this folder; without it a JSON object
    /// per page goes to standard output.
    #[arg(long)]
    out: Option<PathBuf>,
    /// Do the work in this process instead of asking SERVICE_BASE_URL.
    #[arg(long)]
    local: bool,
    /// The API key; without it BLAZON_API_KEY.
    #[arg(long)]
    key: Option<String>,
}

/// Crawls a site and writes its pages. Ctrl-C cancels the crawl; what it has
/// fetched is written.
pub async fn run(settings: Settings, arguments: CrawlArguments) -> anyhow::Result<ExitCode> {
    if let Some(Err(reason)) = arguments.url_regex.as_deref().map(url_regex) {
        bail!("--url-regex: {reason}");
    }
    if arguments.local {
        let database = startup::open_database(&settings).await?;
        let config = assembly::system_config(&settings, database, settings.http.port).await?;
        let system = ActorSystem::start(config);
        let ended = follow(&Service::Here(Box::new(system.services())), &arguments).await;
        system.drain(startup::CLOSE).await;
        ended
    } else {
        let key = arguments.key.clone().or_else(|| settings.http.api_key.as_ref().map(|key| key.expose().to_owned()));
        let key = key.context("no API key: give --key or set BLAZON_API_KEY, or use --local")?;
        follow(&Service::Elsewhere { base: settings.http.service_base_url.clone(), key }, &arguments).await
    }
}

async fn follow(service: &Service, arguments: &CrawlArguments) -> anyhow::Result<ExitCode> {
    let id = service.start(arguments).await?;
    let bar = ProgressBar::new(arguments.max_pages.into());
    bar.set_style(ProgressStyle::with_template("{elapsed_precise} {wide_bar} {pos}/{len} pages, {msg}")?);
    let data = loop {
        let data = service.look(id, None).await?;
        bar.set_position(data["pages_completed"].as_u64().unwrap_or_default());
        bar.set_message(format!("{} found, {} failed", data["progress"]["discovered"], data["progress"]["failed"]));
        if matches!(data["status"].as_str(), Some("completed" | "failed")) {
            break data;
        }
        tokio::select! {
            () = tokio::time::sleep(LOOK) => {}
            _ = tokio::signal::ctrl_c() => service.cancel(id).await?,
        }
    };
    bar.finish_and_clear();
    write_pages(service, id, arguments.out.as_deref()).await?;
    let reason = data["stopped_reason"].as_str().map(|reason| format!(" ({reason})")).unwrap_or_default();
    say(&format!(
        "{}{reason}: {} pages, {} failed, {} skipped",
        data["status"].as_str().unwrap_or_default(),
        data["pages_completed"],
        data["progress"]["failed"],
        data["progress"]["skipped"]
    ));
    Ok(if data["status"] == "completed" { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn write_pages(service: &Service, id: Uuid, folder: Option<&Path>) -> anyhow::Result<()> {
    if let Some(folder) = folder {
        std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    let mut after = -1;
    loop {
        let data = service.look(id, Some(PageRange { after, limit: STRETCH })).await?;
        let mut lines = BufWriter::new(std::io::stdout().lock());
        for page in data["pages"].as_array().into_iter().flatten() {
            match folder {
                None => writeln!(lines, "{page}")?,
                Some(folder) => write_file(folder, page)?,
            }
        }
        lines.flush()?;
        match data["next_cursor"].as_str().map(str::parse).transpose()? {
            Some(next) => after = next,
            None => return Ok(()),
        }
    }
}

fn write_file(folder: &Path, page: &Value) -> anyhow::Result<()> {
    let url = page["url"].as_str().unwrap_or_default();
    let file = folder.join(file_name(url));
    let head = format!("---\nurl: {}\ntitle: {}\n---\n\n", json!(url), page["title"]);
    let text = page["markdown"].as_str().unwrap_or_default();
    std::fs::write(&file, head + text).with_context(|| file.display().to_string())
}

/// Returns a file name that is safe everywhere and different for different URLs.
fn file_name(url: &str) -> String {
    let path =
        Url::parse(url).map_or_else(|_| url.to_owned(), |url| format!("{}{}", url.path(), url.query().unwrap_or("")));
    let safe: String = path.chars().map(|part| if part.is_ascii_alphanumeric() { part } else { '-' }).collect();
    let name = safe.trim_matches('-');
    let name = if name.is_empty() { "index" } else { &name[..name.len().min(80)] };
    let digest = Uuid::new_v5(&Uuid::NAMESPACE_URL, url.as_bytes()).simple().to_string();
    format!("{name}-{}.md", &digest[..8])
}

/// Where the crawl is done.
enum Service {
    Here(Box<Services>),
    Elsewhere { base: Url, key: String },
}

enum Ask {
    Get,
    Post(Value),
    Delete,
}

impl Service {
    async fn start(&self, arguments: &CrawlArguments) -> anyhow::Result<Uuid> {
        let CrawlArguments { url, max_pages, max_depth, url_regex, include_links, include_images, use_sitemap, .. } =
            arguments;
        match self {
            Self::Here(services) => {
                let options = CrawlOptions {
                    url: url.clone(),
                    max_pages: *max_pages,
                    max_depth: *max_depth,
                    url_regex: url_regex.clone(),
                    include_links: *include_links,
                    include_images: *include_images,
                    use_sitemap: *use_sitemap,
                };
                let order = CrawlOrder { options, webhook_url: None, idempotency_key: None };
                Ok(start_crawl(services, &Caller::Local, order).await?.id)
            }
            Self::Elsewhere { .. } => {
                let body = json!({
                    "url": url, "maxPages": max_pages, "maxDepth": max_depth, "urlRegex": url_regex,
                    "includeLinks": include_links, "includeImages": include_images, "useSitemap": use_sitemap,
                });
                let answer = self.ask(Ask::Post(body), "/v1/web/crawl").await?;
                answer["jobId"].as_str().and_then(|id| id.parse().ok()).context("the answer has no jobId")
            }
        }
    }

    async fn look(&self, id: Uuid, pages: Option<PageRange>) -> anyhow::Result<Value> {
        match self {
            Self::Here(services) => {
                let record = crawl(services, &Caller::Local, id, pages).await?;
                Ok(serde_json::to_value(record.context("the crawl is gone")?)?)
            }
            Self::Elsewhere { .. } => {
                let range = match pages {
                    None => "limit=1".to_owned(),
                    Some(PageRange { after: -1, limit }) => format!("limit={limit}"),
                    Some(PageRange { after, limit }) => format!("limit={limit}&cursor={after}"),
                };
                let path = format!("/v1/web/crawl/{id}?{range}");
                Ok(self.ask(Ask::Get, &path).await?["data"].take())
            }
        }
    }

    async fn cancel(&self, id: Uuid) -> anyhow::Result<()> {
        match self {
            Self::Here(services) => {
                cancel_crawl(services, &Caller::Local, id).await?;
            }
            Self::Elsewhere { .. } => {
                self.ask(Ask::Delete, &format!("/v1/web/crawl/{id}")).await?;
            }
        }
        Ok(())
    }

    async fn ask(&self, what: Ask, path: &str) -> anyhow::Result<Value> {
        let Self::Elsewhere { base, key } = self else { bail!("the work is done in this process") };
        let (client, url) = (operator_client(super::USER_AGENT)?, base.join(path)?);
        let request = match what {
            Ask::Get => client.get(url),
            Ask::Post(body) => client.post(url).json(&body),
            Ask::Delete => client.delete(url),
        };
        let answer = request.bearer_auth(key).timeout(Duration::from_secs(60)).send().await;
        let answer = answer.context("SERVICE_BASE_URL: the server does not answer; is `blazon serve` running?")?;
        let body: Value = answer.json().await.context("SERVICE_BASE_URL: the answer is not that of a Blazon server")?;
        if body["success"] != true {
            bail!("{}", body.pointer("/error/message").and_then(Value::as_str).unwrap_or("the server refused"));
        }
        Ok(body)
    }
}

#[cfg(test)]
mod tests {
    use super::file_name;

    #[test]
    fn file_names_are_safe_and_different() {
        let names: Vec<_> =
            ["https://a.test/", "https://a.test/x/../../etc", "https://a.test/ä?b=1", "https://b.test/"]
                .iter()
                .map(|url| file_name(url))
                .collect();
        for name in &names {
            assert!(name.chars().all(|part| part.is_ascii_alphanumeric() || "-.".contains(part)), "{name}");
            assert!(name.ends_with(".md") && !name.starts_with('.'), "{name}");
        }
        assert_ne!(names[0], names[3]);
        assert!(names[0].starts_with("index-"), "{}", names[0]);
    }
}
