use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

/// The binary, with a data folder of its own.
struct Blazon {
    folder: TempDir,
}

impl Blazon {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a folder") }
    }

    #[expect(clippy::disallowed_methods, reason = "the binary under test is a process")]
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_blazon"));
        command
            .args(arguments)
            .current_dir(self.folder.path())
            .env("DATA_DIR", self.folder.path())
            .env("BROWSER_ALLOW_NO_SANDBOX", "true")
            .env("LOG_LEVEL", "warn")
            .stdin(Stdio::null());
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("the binary runs")
    }

    fn pipe(&self, arguments: &[&str], input: &str) -> Output {
        let mut child = self
            .command(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("runs");
        child.stdin.take().expect("piped").write_all(input.as_bytes()).expect("written");
        child.wait_with_output().expect("ends")
    }
}

fn stdout(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

#[test]
fn keys_are_made_listed_rotated_and_revoked() {
    let blazon = Blazon::new();
    let arguments = ["keys", "create", "--email", "Ada@Example.test", "--plan", "pro", "--credits", "500", "--json"];
    let created: Value = serde_json::from_str(&stdout(&blazon.run(&arguments))).expect("one JSON object");
    let fields: Vec<_> = created.as_object().expect("an object").keys().collect();
    assert_eq!(fields, ["key", "key_id", "user_id"]);
    let (key, id) = (created["key"].as_str().expect("a key"), created["key_id"].as_str().expect("an id"));
    assert!(key.starts_with("blz_live_") && key.len() == 45, "{key}");
    let list = stdout(&blazon.run(&["keys", "list"]));
    assert!(list.contains(id) && list.contains(&key[..12]) && list.contains("pro") && !list.contains(key), "{list}");
    let rotated: Value = serde_json::from_str(&stdout(&blazon.run(&["keys", "rotate", id, "--json"]))).expect("JSON");
    assert_eq!(rotated["user_id"], created["user_id"]);
    stdout(&blazon.run(&["keys", "revoke", id]));
    let list = stdout(&blazon.run(&["keys", "list", "--email", "ada@example.test"]));
    assert!(list.lines().any(|line| line.contains(id) && line.contains("revoked")), "{list}");
    let unknown = blazon.run(&["keys", "revoke", "00000000-0000-7000-8000-000000000000"]);
    assert!(!unknown.status.success());
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("no such key"));
}

#[test]
fn a_bad_setting_stops_the_start_with_its_name_and_an_example() {
    let blazon = Blazon::new();
    let output = blazon.command(&["serve"]).env("PORT", "many").env("PAGE_TIMEOUT", "-1").output().expect("runs");
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success());
    assert!(message.contains("PORT") && message.contains("PORT=3001") && message.contains("PAGE_TIMEOUT"), "{message}");
    let hosts = blazon.command(&["serve"]).env("EGRESS_HOSTS", "nonsense").output().expect("runs");
    let message = String::from_utf8_lossy(&hosts.stderr).into_owned();
    assert!(!hosts.status.success() && message.contains("EGRESS_HOSTS"), "{message}");
}

#[test]
fn content_is_extracted_from_standard_input_without_a_server() {
    let blazon = Blazon::new();
    let page = include_str!("helpers/article.html");
    let markdown = stdout(&blazon.pipe(&["extract", "--url", "https://post.test/article"], page));
    assert!(
        markdown.contains("## A committee of eleven") && markdown.contains("(https://post.test/authority)"),
        "{markdown}"
    );
    let text = stdout(&blazon.pipe(&["extract", "--format", "text"], page));
    assert!(text.contains("A committee of eleven") && !text.contains("##"), "{text}");
    let whole = stdout(&blazon.pipe(&["extract", "--full-page"], page));
    assert!(whole.contains("Weather"), "{whole}");
}

#[test]
fn json_lines_are_extracted_in_their_order() {
    let blazon = Blazon::new();
    let page = include_str!("helpers/article.html");
    let lines: String = (0..40)
        .map(|id| serde_json::json!({ "id": id, "url": "https://post.test/article", "html": page }).to_string() + "\n")
        .collect();
    let output = stdout(&blazon.pipe(&["extract", "--jsonl"], &lines));
    let records: Vec<Value> = output.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(
        records.iter().map(|record| record["id"].as_i64()).collect::<Vec<_>>(),
        (0..40).map(Some).collect::<Vec<_>>()
    );
    assert_eq!(records[7]["author"], "Ingrid Dahl");
    assert_eq!(records[7]["published_date"], "2024-03-17");
    assert!(records[7]["text"].as_str().is_some_and(|text| text.contains("lighthouse")));
    let broken = blazon.pipe(&["extract", "--jsonl"], "{\"id\":1,\"html\":\"<p>a\"}\nnot json\n");
    assert!(!broken.status.success());
    assert!(String::from_utf8_lossy(&broken.stderr).contains("line 2"), "{broken:?}");
}

/// A server process that is killed with the test.
struct Serving {
    child: Child,
    port: u16,
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Serving {
    /// Starts `blazon serve` and waits until it answers.
    fn start(blazon: &Blazon, site: &str) -> (Self, String) {
        let port =
            std::net::TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a port").port();
        let mut command = blazon.command(&["serve"]);
        command.env("PORT", port.to_string()).env("BIND", "127.0.0.1");
        command.env("EGRESS_HOSTS", format!("site.test={site}")).env("EGRESS_ALLOW_CIDRS", "127.0.0.1/32");
        let mut child = command.stdout(Stdio::piped()).spawn().expect("starts");
        let mut printed = BufReader::new(child.stdout.take().expect("piped"));
        let mut key = String::new();
        while !key.trim().starts_with("blz_live_") {
            key.clear();
            assert!(printed.read_line(&mut key).expect("readable") > 0, "the key is printed");
        }
        std::thread::spawn(move || printed.read_to_end(&mut Vec::new()));
        (Self { child, port }, key.trim().to_owned())
    }

    #[expect(clippy::disallowed_methods, reason = "the test asks the process to end as an operator would")]
    fn terminate(mut self) -> std::process::ExitStatus {
        let sent = Command::new("kill").arg(self.child.id().to_string()).status().expect("kill runs");
        assert!(sent.success());
        let started = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("waitable") {
                return status;
            }
            assert!(started.elapsed() < Duration::from_secs(30), "the server ends in time");
            std::thread::yield_now();
        }
    }
}

#[actix_web::test]
async fn a_server_is_started_scraped_from_the_terminal_checked_and_ended() {
    let canary = crate::helpers::Canary::start().await;
    let site = crate::helpers::TestSite::start(canary.address());
    let site_address = site.address().to_string();
    let blazon = Blazon::new();
    let (serving, key, blazon) = actix_web::rt::task::spawn_blocking(move || {
        let (serving, key) = Serving::start(&blazon, &site_address);
        (serving, key, blazon)
    })
    .await
    .expect("started");
    let ended = actix_web::rt::task::spawn_blocking(move || {
        let base = format!("http://127.0.0.1:{}", serving.port);
        let mut scrape = blazon.command(&["scrape", "http://site.test/article", "--no-javascript", "--key", &key]);
        let markdown = stdout(&scrape.env("SERVICE_BASE_URL", &base).output().expect("runs"));
        assert!(markdown.contains("## A committee of eleven"), "{markdown}");
        let mut health = blazon.command(&["healthcheck"]);
        assert!(health.env("PORT", serving.port.to_string()).status().expect("runs").success());
        let status = serving.terminate();
        assert!(!health.status().expect("runs").success(), "nobody is there any more");
        let kept = std::fs::read_dir(blazon.folder.path()).expect("readable").flatten();
        for entry in kept.filter(|entry| entry.path().is_file()) {
            let bytes = std::fs::read(entry.path()).expect("readable");
            let found = bytes.windows(key.len()).any(|window| window == key.as_bytes());
            assert!(!found, "{} holds the clear key", entry.path().display());
        }
        status
    })
    .await
    .expect("no panic");
    assert_eq!(ended.code(), Some(0));
}

#[test]
fn the_doctor_says_what_works() {
    let blazon = Blazon::new();
    let output = blazon.run(&["doctor"]);
    let report = stdout(&output);
    for name in ["database", "cache", "browser"] {
        assert!(report.contains(&format!("ok       {name}")), "{report}");
    }
    let mut sick = blazon.command(&["doctor"]);
    let output = sick.env("BROWSER_EXECUTABLE", "/bin/false").output().expect("runs");
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stdout).contains("problem  browser"), "{output:?}");
}
