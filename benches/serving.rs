//! What the service adds to a bare route: requests per second of a cached
//! scrape (key, rate limit and ledger on) against an actix-web route that serves
//! the same bytes, in one run; besides start-up time and idle memory.
//!
//! `cargo bench --bench serving`; seconds per round as an argument. The cached
//! answers are asked for by few and by many at a time: each is committed before
//! it is given, so that few wait for the disk and many share its work.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use actix_web::{App, HttpResponse, HttpServer, web};

const FEW: usize = 16;
const MANY: usize = 256;
const ROUNDS: usize = 3;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    match arguments.first().map(String::as_str) {
        Some("bare") => bare_server(arguments.get(1).map_or("", String::as_str)),
        seconds => compare(Duration::from_secs(seconds.and_then(|text| text.parse().ok()).unwrap_or(4))),
    }
}

/// Serves the file's bytes on a free port, which it prints.
fn bare_server(file: &str) -> Result<()> {
    let body = web::Bytes::from(std::fs::read(file)?);
    let listener = TcpListener::bind("127.0.0.1:0")?;
    writeln!(std::io::stdout(), "{}", listener.local_addr()?.port())?;
    actix_web::rt::System::new().block_on(async move {
        let answer = move || {
            let body = body.clone();
            async move { HttpResponse::Ok().content_type("application/json").body(body) }
        };
        HttpServer::new(move || App::new().route("/", web::get().to(answer.clone()))).listen(listener)?.run().await
    })?;
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
fn start(program: &str, arguments: &[&str], variables: &[(&str, String)]) -> Result<Process> {
    let mut command = Command::new(program);
    command.args(arguments).envs(variables.iter().map(|(name, value)| (name, value.as_str())));
    Ok(Process(command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?))
}

fn printed_line(process: &mut Process, wanted: impl Fn(&str) -> bool) -> Result<String> {
    let mut lines = BufReader::new(process.0.stdout.take().ok_or("piped")?).lines();
    let found = lines.find(|line| line.as_ref().map_or(true, |line| wanted(line.trim()))).ok_or("it ended early")??;
    std::thread::spawn(move || lines.for_each(drop));
    Ok(found.trim().to_owned())
}

fn compare(round: Duration) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let page = folder.path().join("page.html");
    std::fs::write(&page, article())?;
    let mut origin =
        start(&std::env::current_exe()?.display().to_string(), &["bare", &page.display().to_string()], &[])?;
    let origin_port = printed_line(&mut origin, |_| true)?;

    let plans = folder.path().join("plans.json");
    std::fs::write(&plans, r#"{"enterprise":{"per_minute":100000000,"per_day":1000000000}}"#)?;
    let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
    let variables = [
        ("PORT", port.to_string()),
        ("BIND", "127.0.0.1".to_owned()),
        ("NODE_ENV", "production".to_owned()),
        ("LOG_LEVEL", "error".to_owned()),
        ("DATA_DIR", folder.path().join("data").display().to_string()),
        ("PLANS_FILE", plans.display().to_string()),
        ("EGRESS_HOSTS", format!("bench.test=127.0.0.1:{origin_port}")),
        ("EGRESS_ALLOW_CIDRS", "127.0.0.1/32".to_owned()),
        ("BROWSER_EXECUTABLE", "/bin/false".to_owned()),
    ];
    let binary = env!("CARGO_BIN_EXE_blazon");
    let mut first = start(binary, &["serve"], &variables)?;
    let key = printed_line(&mut first, |line| line.starts_with("blz_live_"))?;
    drop(first);

    let begun = Instant::now();
    let blazon = start(binary, &["serve"], &variables)?;
    let address = SocketAddr::from(([127, 0, 0, 1], port));
    while exchange(address, "/healthz", "").is_err() {
        pause(Duration::from_millis(1));
    }
    report("start to first 200, existing database", begun.elapsed().as_secs_f64() * 1_000.0, "ms");
    pause(Duration::from_secs(2));
    report("idle resident memory, no browser", resident_mib(blazon.0.id())?, "MiB");

    let path = "/v1/web/scrape/markdown?javascript=false&url=http://bench.test/";
    let answer = exchange(address, path, &key)?;
    let body = folder.path().join("answer.json");
    std::fs::write(&body, &answer)?;
    let mut bare = start(&std::env::current_exe()?.display().to_string(), &["bare", &body.display().to_string()], &[])?;
    let bare_address = SocketAddr::from(([127, 0, 0, 1], printed_line(&mut bare, |_| true)?.parse()?));

    for connections in [FEW, MANY] {
        let mut ratios = Vec::new();
        for _ in 0..ROUNDS {
            let ours = rate_of(address, connections, &|_| path.to_owned(), &key, round)?;
            let theirs = rate_of(bare_address, connections, &|_| "/".to_owned(), "", round)?;
            report(&format!("cached scrape, {connections} connections"), ours, "requests/s");
            report(&format!("bare route, {connections} connections"), theirs, "requests/s");
            ratios.push(ours / theirs);
        }
        ratios.sort_by(f64::total_cmp);
        report(&format!("ratio, {connections} connections, median"), ratios[ROUNDS / 2], "");
    }
    let uncached = |number: u64| format!("{path}?n={number}");
    report("uncached scrape, javascript=false", rate_of(address, FEW, &uncached, &key, round)?, "requests/s");
    report("resident memory after the load", resident_mib(blazon.0.id())?, "MiB");
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "this thread has nothing else to do")]
fn pause(duration: Duration) {
    std::thread::sleep(duration);
}

fn report(what: &str, figure: f64, unit: &str) {
    let _ = writeln!(std::io::stdout(), "{what:<40} {figure:>10.2} {unit}");
}

fn article() -> String {
    let paragraph = "<p>The harbour was quiet that morning, and the boats lay beside each other as if they had been \
                     put there by a careful hand; nobody spoke, and the <a href=\"/light\">light</a> went round.</p>";
    format!(
        "<!doctype html><title>A page</title><nav><a href=/>Home</a></nav><article><h1>A page</h1>{}</article>",
        paragraph.repeat(30)
    )
}

fn resident_mib(process: u32) -> Result<f64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status"))?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).ok_or("no VmRSS")?;
    let kib: f64 = line.split_whitespace().nth(1).ok_or("no figure")?.parse()?;
    Ok(kib / 1024.0)
}

/// Answers with status 200 per second over keep-alive connections.
fn rate_of(
    address: SocketAddr,
    connections: usize,
    path: &(dyn Fn(u64) -> String + Sync),
    key: &str,
    round: Duration,
) -> Result<f64> {
    let (over, answered, number) = (AtomicBool::new(false), AtomicU64::new(0), Arc::new(AtomicU64::new(0)));
    let begun = Instant::now();
    std::thread::scope(|scope| -> Result<()> {
        let clients: Vec<_> = (0..connections)
            .map(|_| {
                scope.spawn(|| -> Result<()> {
                    let mut connection = Connection::open(address)?;
                    while !over.load(Ordering::Relaxed) {
                        connection.get(&path(number.fetch_add(1, Ordering::Relaxed)), key)?;
                        answered.fetch_add(1, Ordering::Relaxed);
                    }
                    Ok(())
                })
            })
            .collect();
        pause(round);
        over.store(true, Ordering::Relaxed);
        clients.into_iter().try_for_each(|client| client.join().map_err(|_| "a client panicked")?)
    })?;
    Ok(answered.load(Ordering::Relaxed) as f64 / begun.elapsed().as_secs_f64())
}

fn exchange(address: SocketAddr, path: &str, key: &str) -> Result<Vec<u8>> {
    let mut connection = Connection::open(address)?;
    connection.get(path, key)?;
    Ok(std::mem::take(&mut connection.body))
}

/// An HTTP/1.1 client that does no more than it must, so that little of the
/// machine goes into measuring.
struct Connection {
    stream: BufReader<TcpStream>,
    body: Vec<u8>,
}

impl Connection {
    #[expect(clippy::disallowed_methods, reason = "the load comes from outside of the service")]
    fn open(address: SocketAddr) -> Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        Ok(Self { stream: BufReader::with_capacity(64 << 10, stream), body: Vec::new() })
    }

    fn get(&mut self, path: &str, key: &str) -> Result<()> {
        let request = format!("GET {path} HTTP/1.1\r\nhost: bench\r\nauthorization: Bearer {key}\r\n\r\n");
        self.stream.get_mut().write_all(request.as_bytes())?;
        let (mut line, mut length) = (String::new(), 0);
        self.stream.read_line(&mut line)?;
        let fine = line.starts_with("HTTP/1.1 200");
        while line.trim_end() != "" {
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse()?;
            }
            line.clear();
            self.stream.read_line(&mut line)?;
        }
        self.body.resize(length, 0);
        self.stream.read_exact(&mut self.body)?;
        if fine { Ok(()) } else { Err(String::from_utf8_lossy(&self.body).into_owned().into()) }
    }
}
