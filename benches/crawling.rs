//! How fast a site is crawled, with everything that a crawl keeps: Markdown,
//! links, counters and credits in the database.
//!
//! ```text
//! cargo bench --bench crawling -- FOLDER [--pages 5000] [--peer "PROGRAM ARGUMENT…"]
//! ```
//!
//! `FOLDER` is a static site with an `index.html`; it is served from memory by a
//! process of its own. A peer is run on the same site as `PROGRAM ARGUMENT… URL`,
//! and what it prints is shown.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use actix_web::rt::System;
use actix_web::{App, HttpRequest, HttpResponse, HttpServer, web};
use actors::egress::operator_client;
use serde_json::{Value, json};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

const LOOK: Duration = Duration::from_millis(20);

struct Options {
    folder: PathBuf,
    pages: u32,
    peer: Option<String>,
}

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let named =
        |name: &str| arguments.iter().position(|argument| argument == name).and_then(|at| arguments.get(at + 1));
    match arguments.as_slice() {
        [command, folder] if command == "serve" => serve(Path::new(folder)),
        [folder, ..] if !folder.starts_with("--") => System::new().block_on(compare(Options {
            folder: folder.into(),
            pages: named("--pages").map_or(Ok(5_000), |pages| pages.parse())?,
            peer: named("--peer").cloned(),
        })),
        _ => report("no folder with a site was named: nothing is measured"),
    }
}

fn report(line: &str) -> Result<()> {
    Ok(writeln!(std::io::stdout(), "{line}")?)
}

/// Serves the files of a folder on a free port, which it prints.
fn serve(folder: &Path) -> Result<()> {
    let mut files = HashMap::new();
    read(folder, folder, &mut files)?;
    let files = web::Data::new(Arc::new(files));
    let listener = TcpListener::bind("127.0.0.1:0")?;
    writeln!(std::io::stdout(), "{}", listener.local_addr()?.port())?;
    let answer = |request: HttpRequest, files: web::Data<Arc<HashMap<String, web::Bytes>>>| async move {
        let path = if request.path() == "/" { "/index.html" } else { request.path() };
        match files.get(path) {
            Some(bytes) => HttpResponse::Ok().content_type("text/html; charset=utf-8").body(bytes.clone()),
            None => HttpResponse::NotFound().finish(),
        }
    };
    let server = HttpServer::new(move || App::new().app_data(files.clone()).default_service(web::to(answer)));
    System::new().block_on(async { server.workers(1).listen(listener)?.run().await })?;
    Ok(())
}

fn read(root: &Path, folder: &Path, files: &mut HashMap<String, web::Bytes>) -> Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            read(root, &path, files)?;
        } else {
            let name = format!("/{}", path.strip_prefix(root)?.display());
            files.insert(name, std::fs::read(&path)?.into());
        }
    }
    Ok(())
}

struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[expect(clippy::disallowed_methods, reason = "the programs compared are processes")]
fn start(program: &str, arguments: &[&str], variables: &[(&str, String)]) -> Result<(Process, String)> {
    let mut command = Command::new(program);
    command.args(arguments).envs(variables.iter().map(|(name, value)| (name, value.as_str())));
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
    let output = child.stdout.take().ok_or("piped")?;
    let mut lines = BufReader::new(output).lines();
    let wanted = |line: &String| line.trim().parse::<u16>().is_ok() || line.trim().starts_with("blz_live_");
    let found = lines.by_ref().map_while(std::result::Result::ok).find(wanted).ok_or("it ended early")?;
    std::thread::spawn(move || lines.for_each(drop));
    Ok((Process(child), found.trim().to_owned()))
}

async fn compare(options: Options) -> Result<()> {
    let me = std::env::current_exe()?.display().to_string();
    let (_site, port) = start(&me, &["serve", &options.folder.display().to_string()], &[])?;
    ours(&options, &port).await?;
    let Some(peer) = options.peer else { return Ok(()) };
    let mut words = peer.split_whitespace();
    let program = words.next().ok_or("--peer is empty")?;
    let arguments: Vec<_> = words.map(str::to_owned).chain([format!("http://127.0.0.1:{port}/")]).collect();
    let begun = Instant::now();
    #[expect(clippy::disallowed_methods, reason = "a peer is a process")]
    let output = Command::new(program).args(arguments).output()?;
    report(&format!("peer   {}", String::from_utf8_lossy(&output.stdout).trim()))?;
    report(&format!("peer   {:.2} s from its start to its end", begun.elapsed().as_secs_f64()))
}

async fn ours(options: &Options, site: &str) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
    let variables = [
        ("PORT", port.to_string()),
        ("BIND", "127.0.0.1".to_owned()),
        ("LOG_LEVEL", "error".to_owned()),
        ("DATA_DIR", folder.path().display().to_string()),
        ("EGRESS_HOSTS", format!("crawl.test=127.0.0.1:{site}")),
        ("EGRESS_ALLOW_CIDRS", "127.0.0.1/32".to_owned()),
        ("BROWSER_EXECUTABLE", "/bin/false".to_owned()),
    ];
    let (server, key) = start(env!("CARGO_BIN_EXE_blazon"), &["serve"], &variables)?;
    let (client, crawl) = (operator_client("bench")?, format!("http://127.0.0.1:{port}/v1/web/crawl"));
    let order = json!({
        "url": "http://crawl.test/", "maxPages": options.pages, "maxDepth": 10, "includeLinks": true,
    });
    let begun = Instant::now();
    let accepted: Value = client.post(&crawl).bearer_auth(&key).json(&order).send().await?.json().await?;
    let look = format!("{crawl}/{}?limit=1", accepted["jobId"].as_str().ok_or_else(|| accepted.to_string())?);
    let mut most = 0.0_f64;
    loop {
        tokio::time::sleep(LOOK).await;
        let data = client.get(&look).bearer_auth(&key).send().await?.json::<Value>().await?["data"].take();
        most = most.max(resident_mib(server.0.id())?);
        if data["status"] == "completed" || data["status"] == "failed" {
            let (pages, took) = (data["pages_completed"].as_f64().unwrap_or(0.0), begun.elapsed().as_secs_f64());
            return report(&format!(
                "ours   {pages} pages in {took:.2} s = {:.0} pages/s, everything kept; at most {most:.0} MiB resident; {}",
                pages / took,
                data["progress"]
            ));
        }
    }
}

fn resident_mib(process: u32) -> Result<f64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status"))?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).ok_or("no VmRSS")?;
    let kib: f64 = line.split_whitespace().nth(1).ok_or("no figure")?.parse()?;
    Ok(kib / 1024.0)
}
