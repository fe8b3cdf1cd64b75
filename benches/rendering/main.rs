//! Rendered pages per second, each in a context of its own, over the pages of a
//! folder that are served on loopback; or, with `--soak`, what a long run does
//! to the memory.
//!
//! ```text
//! cargo bench --bench rendering -- FOLDER [--pages 100] [--at-once 4] [--rounds 3]
//!                                  [--html DIR] [--peer "PROGRAM ARGUMENT…"] [--soak 1000]
//! ```
//!
//! Every folder below `FOLDER` with an `index.html` is a site. A peer is run in
//! turn with us, as `PROGRAM ARGUMENT… BROWSER URLS AT_ONCE 1 --pages N --html DIR`,
//! where `URLS` is a file; it prints a line with `"pps":FIGURE`.

mod memory;
mod options;
mod site;

use std::cell::{Cell, RefCell};
use std::io::Write;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use actix::Arbiter;
use actors::browser_pool::{BrowserPoolActor, BrowserPoolConfig, Drain, RenderPage};
use actors::egress::{Egress, EgressConfig};
use actors::supervise::{Gate, Keeper, KeeperHandle, RestartPolicy, Room};
use options::Options;
use tokio::sync::mpsc;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// The time of one page, far more than any takes.
const DEADLINE: Duration = Duration::from_secs(60);

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    if let [command, folder] = arguments.as_slice()
        && command == "serve"
    {
        return site::serve(Path::new(folder));
    }
    let Some(options) = Options::read(&arguments)? else {
        return report("no folder of pages was named: nothing is measured");
    };
    actix::System::new().block_on(run(options))
}

async fn run(options: Options) -> Result<()> {
    let sites = site::Sites::start(&options.folder)?;
    let scratch = tempfile::tempdir()?;
    let (gate, _keeper) = pool(&options, scratch.path()).await?;
    // As the peer does: each page once, unmeasured.
    round(&gate, &sites.urls, sites.urls.len(), 2, None).await?;
    if let Some(pages) = options.soak {
        soak(&gate, &sites.urls, pages, &options, scratch.path()).await?;
    } else {
        compare(&gate, &sites, &options).await?;
    }
    gate.ask(Drain { pages_until: tokio::time::Instant::now() }).await.map_err(|error| error.to_string())?;
    Ok(())
}

async fn pool(options: &Options, scratch: &Path) -> Result<(Gate<BrowserPoolActor>, KeeperHandle)> {
    let egress = Egress::new(EgressConfig {
        allow_cidrs: vec!["127.0.0.1/32".parse()?],
        // Names of other sites fail at once, as they do for the peer.
        nameservers: vec![site::no_names().await?],
        user_agent: "BlazonBench/1".to_owned(),
        ..EgressConfig::default()
    })?;
    let config = BrowserPoolConfig {
        executable: Some(options.browser.clone()),
        pool_size: 3,
        max_pages: options.at_once.max(10),
        page_timeout: DEADLINE,
        allow_no_sandbox: rustix::process::geteuid().is_root(),
        memory_limit: 700 << 20,
        scratch_dir: scratch.to_owned(),
    };
    let room = Room {
        name: "browser pool",
        arbiter: Arbiter::new().handle(),
        slots: 64,
        patience: DEADLINE,
        policy: RestartPolicy::default(),
    };
    let (escalations, _) = mpsc::unbounded_channel();
    Ok(Keeper::start(room, escalations, move |lifeline| BrowserPoolActor::new(egress.clone(), &config, lifeline)))
}

/// What a round came to.
struct Round {
    seconds: f64,
    /// Milliseconds of each page, ascending.
    pages: Vec<f64>,
}

impl Round {
    fn per_second(&self) -> f64 {
        self.pages.len() as f64 / self.seconds
    }
}

/// Renders `pages` pages, `at_once` at a time; the last of each URL is written
/// to `html`.
async fn round(
    gate: &Gate<BrowserPoolActor>,
    urls: &[String],
    pages: usize,
    at_once: usize,
    html: Option<&Path>,
) -> Result<Round> {
    let (next, times) = (Cell::new(0), RefCell::new(Vec::new()));
    let begun = Instant::now();
    let worker = async || -> Result<()> {
        while next.get() < pages {
            let number = next.replace(next.get() + 1) % urls.len();
            let page_begun = Instant::now();
            let deadline = tokio::time::Instant::now() + DEADLINE;
            let order = RenderPage {
                url: urls[number].parse()?,
                wait_for: None,
                measure: false,
                upstream: None,
                deadline,
                limit: None,
            };
            let page = gate.ask_until(deadline, order).await.map_err(|error| error.to_string())??;
            times.borrow_mut().push(page_begun.elapsed().as_secs_f64() * 1000.0);
            if let Some(folder) = html {
                std::fs::write(folder.join(format!("{number}.html")), page.html)?;
            }
        }
        Ok(())
    };
    futures::future::try_join_all((0..at_once).map(|_| worker())).await?;
    let mut pages = times.into_inner();
    pages.sort_by(f64::total_cmp);
    Ok(Round { seconds: begun.elapsed().as_secs_f64(), pages })
}

async fn compare(gate: &Gate<BrowserPoolActor>, sites: &site::Sites, options: &Options) -> Result<()> {
    let (html, peers_html) = (options.html.join("ours"), options.html.join("peers"));
    std::fs::create_dir_all(&html)?;
    std::fs::create_dir_all(&peers_html)?;
    let mut ratios = Vec::new();
    for _ in 0..options.rounds {
        let before = memory::cpu_seconds(std::process::id());
        let ours = round(gate, &sites.urls, options.pages, options.at_once, Some(&html)).await?;
        let used = (memory::cpu_seconds(std::process::id()) - before) / options.pages as f64;
        report(&format!(
            "ours   {:6.2} pages/s   p50 {:4.0} ms   p95 {:4.0} ms   {used:.3} s of CPU a page",
            ours.per_second(),
            ours.pages[ours.pages.len() / 2],
            ours.pages[ours.pages.len() * 95 / 100]
        ))?;
        if let Some(peer) = &options.peer {
            let theirs = peer_round(peer, &sites.list, options, &peers_html)?;
            ratios.push(ours.per_second() / theirs);
        }
    }
    if options.peer.is_some() {
        ratios.sort_by(f64::total_cmp);
        report(&format!("ours / peer, median of {}: {:.2}", ratios.len(), ratios[ratios.len() / 2]))?;
        // We end the line of the doctype; where a line ends there means nothing.
        let read = |folder: &Path, number: usize| {
            std::fs::read_to_string(folder.join(format!("{number}.html")))
                .map(|html| html.replacen(">\n<", "><", 1))
                .ok()
        };
        let equal = (0..sites.urls.len()).filter(|number| read(&html, *number) == read(&peers_html, *number)).count();
        report(&format!("the same HTML: {equal} of {} pages", sites.urls.len()))?;
    }
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "the program compared is a process")]
fn peer_round(peer: &[String], urls: &Path, options: &Options, html: &Path) -> Result<f64> {
    let (program, arguments) = peer.split_first().ok_or("the peer has no program")?;
    let mut command = std::process::Command::new(program);
    command.args(arguments).arg(&options.browser).arg(urls);
    command.args([options.at_once.to_string(), "1".to_owned(), "--pages".to_owned(), options.pages.to_string()]);
    let output = command.arg("--html").arg(html).stderr(Stdio::inherit()).output()?;
    let text = String::from_utf8(output.stdout)?;
    report(&format!("peer   {}", text.trim()))?;
    let figure = text.split("\"pps\":").nth(1).and_then(|rest| rest.split([',', '}']).next());
    Ok(figure.ok_or("the peer printed no figure")?.parse()?)
}

async fn soak(
    gate: &Gate<BrowserPoolActor>,
    urls: &[String],
    pages: usize,
    options: &Options,
    scratch: &Path,
) -> Result<()> {
    let mut done = 0;
    for until in [100, 200, 500, 1000].into_iter().filter(|until| *until < pages).chain([pages]) {
        round(gate, urls, until - done, options.at_once, None).await?;
        done = until;
        let [browser, helpers] = memory::browsers(scratch);
        let own = memory::resident(std::process::id());
        let folders = std::fs::read_dir(scratch)?.count();
        report(&format!(
            "page {done:5}: PSS of this process {own:.1} MiB, browser {browser:.1} MiB, its helpers {helpers:.1} MiB; {folders} profile folder(s)"
        ))?;
    }
    Ok(())
}

fn report(line: &str) -> Result<()> {
    Ok(writeln!(std::io::stdout(), "{line}")?)
}
