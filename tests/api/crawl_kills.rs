//! A crawl whose server is killed again and again: nothing is lost, nothing is
//! twice, nothing is paid twice.

use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use actors::database::testing::TestDatabase;
use actors::egress::operator_client;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::time::sleep;

use crate::helpers::Web;

/// Pages of the site, and pages that may be under way at once.
const PAGES: usize = 2_000;
const AT_ONCE: usize = 16;

/// A server that can be killed and started again on the same data.
struct Server {
    folder: TempDir,
    port: u16,
    hosts: String,
    database: Option<String>,
    running: Option<Child>,
}

impl Server {
    fn new(hosts: String) -> Self {
        let port = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a free port").port();
        Self { folder: tempfile::tempdir().expect("a folder"), port, hosts, database: None, running: None }
    }

    #[expect(clippy::disallowed_methods, reason = "the server under test is a process")]
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_blazon"));
        command
            .args(arguments)
            .current_dir(self.folder.path())
            .env("DATA_DIR", self.folder.path())
            .env("BIND", "127.0.0.1")
            .env("PORT", self.port.to_string())
            .env("EGRESS_HOSTS", &self.hosts)
            .env("EGRESS_ALLOW_CIDRS", "127.0.0.1/32")
            .env("BROWSER_EXECUTABLE", "/bin/false")
            .env("LOG_LEVEL", "error")
            .stdin(Stdio::null())
            .stdout(Stdio::null());
        if let Some(url) = &self.database {
            command.env("DATABASE_URL", url);
        }
        command
    }

    fn key(&self, credits: usize) -> String {
        let credits = credits.to_string();
        let arguments =
            ["keys", "create", "--email", "a@example.test", "--plan", "enterprise", "--credits", &credits, "--json"];
        let output = self.command(&arguments).stdout(Stdio::piped()).output().expect("runs");
        let created: Value = serde_json::from_slice(&output.stdout).expect("a key");
        created["key"].as_str().expect("a key").to_owned()
    }

    /// Starts it and waits until it answers.
    async fn start(&mut self) {
        self.running = Some(self.command(&["serve"]).spawn().expect("starts"));
        let begun = Instant::now();
        while self.get("/healthz", "").await.is_none() {
            assert!(begun.elapsed() < Duration::from_secs(30), "the server does not start");
            sleep(Duration::from_millis(5)).await;
        }
    }

    fn kill(&mut self) {
        if let Some(mut running) = self.running.take() {
            running.kill().expect("killed");
            running.wait().expect("waited for");
        }
    }

    async fn get(&self, path: &str, key: &str) -> Option<Value> {
        let client = operator_client("test").expect("a client");
        let answer = client.get(format!("http://127.0.0.1:{}{path}", self.port)).bearer_auth(key).send().await.ok()?;
        answer.json().await.ok()
    }

    async fn crawl(&self, key: &str, more: Value) -> String {
        let mut body = json!({ "url": "http://crawl.test/", "maxPages": 10_000, "maxDepth": 10 });
        body.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        let client = operator_client("test").expect("a client");
        let url = format!("http://127.0.0.1:{}/v1/web/crawl", self.port);
        let answer = client.post(url).bearer_auth(key).json(&body).send().await.expect("answers");
        let body: Value = answer.json().await.expect("JSON");
        body["jobId"].as_str().unwrap_or_else(|| panic!("no job: {body}")).to_owned()
    }

    async fn settled(&self, key: &str, id: &str) -> (String, i64) {
        let answer = self.get(&format!("/v1/web/crawl/{id}?limit=1"), key).await.expect("answers");
        let data = &answer["data"];
        let status = data["status"].as_str().unwrap_or_else(|| panic!("no crawl: {answer}"));
        (status.to_owned(), data["pages_completed"].as_i64().expect("a count"))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Two servers on one database, the first with a crawl that has begun.
struct Pair {
    web: Web,
    first: Server,
    second: Server,
    key: String,
    id: String,
}

const SLOW_PAGES: usize = 120;

impl Pair {
    async fn start(database: String) -> Self {
        let web = Web::slow_tree(SLOW_PAGES);
        let [mut first, mut second] = [(); 2].map(|()| Server::new(web.named("crawl.test")));
        (first.database, second.database) = (Some(database.clone()), Some(database));
        let key = first.key(1_000);
        first.start().await;
        let id = first.crawl(&key, json!({})).await;
        while first.settled(&key, &id).await.1 < 5 {
            sleep(Duration::from_millis(20)).await;
        }
        second.start().await;
        Self { web, first, second, key, id }
    }

    fn signal(&self, signal: Signal) {
        let process = self.first.running.as_ref().and_then(|child| Pid::from_raw(child.id().cast_signed()));
        kill_process(process.expect("it runs"), signal).expect("signalled");
    }

    /// Waits until the second server asks for pages; returns how long that took.
    async fn taken_over(&self) -> Duration {
        // What the first had on its way arrives within this.
        sleep(Duration::from_millis(200)).await;
        let (begun, before) = (Instant::now(), self.web.asked().values().sum::<usize>());
        while self.web.asked().values().sum::<usize>() == before {
            assert!(begun.elapsed() < Duration::from_secs(40), "nobody goes on");
            sleep(Duration::from_millis(20)).await;
        }
        begun.elapsed()
    }

    async fn ends_whole(&self) {
        let begun = Instant::now();
        while self.second.settled(&self.key, &self.id).await.0 != "completed" {
            assert!(begun.elapsed() < Duration::from_secs(60), "stuck");
            sleep(Duration::from_millis(100)).await;
        }
        self.is_whole().await;
    }

    async fn is_whole(&self) {
        let path = format!("/v1/web/crawl/{}", self.id);
        let data = self.second.get(&path, &self.key).await.expect("answers")["data"].clone();
        assert_eq!(data["pages"].as_array().map(Vec::len), Some(SLOW_PAGES));
        let account = self.second.get("/v1/account", &self.key).await.expect("answers")["data"].clone();
        assert_eq!((&account["balance"], &account["held"]), (&json!(1_000 - SLOW_PAGES), &json!(0)));
    }
}

#[actix_web::test]
async fn another_process_goes_on_when_one_is_killed() {
    TestDatabase::postgres()
        .await
        .run(async |url| {
            let mut pair = Pair::start(url).await;
            pair.first.kill();
            println!("taken over {:?} after SIGKILL", pair.taken_over().await);
            pair.ends_whole().await;
        })
        .await;
}

#[actix_web::test]
async fn another_process_goes_on_when_one_freezes_and_the_frozen_one_writes_nothing_more() {
    TestDatabase::postgres()
        .await
        .run(async |url| {
            let pair = Pair::start(url).await;
            pair.signal(Signal::STOP);
            println!("taken over {:?} after SIGSTOP", pair.taken_over().await);
            pair.ends_whole().await;
            pair.signal(Signal::CONT);
            sleep(Duration::from_secs(3)).await;
            pair.is_whole().await;
        })
        .await;
}

/// Numbers that look random and are the same in every run.
fn pauses() -> impl Iterator<Item = Duration> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    std::iter::from_fn(move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        Some(Duration::from_millis(20 + (state >> 33) % 400))
    })
}

/// Crawls a site to its end while the server is killed `kills` times; tells how
/// it went.
async fn crawl_through(kills: usize) -> String {
    let web = Web::tree(PAGES);
    let mut server = Server::new(web.named("crawl.test"));
    let key = server.key(10_000);
    server.start().await;
    let id = server.crawl(&key, json!({})).await;
    let (mut killed, mut late) = (0, Vec::new());
    for pause in pauses().take(kills) {
        sleep(pause).await;
        if server.settled(&key, &id).await.0 == "completed" {
            break;
        }
        server.kill();
        killed += 1;
        let before = web.asked().values().sum::<usize>();
        server.start().await;
        let ready = Instant::now();
        while web.asked().values().sum::<usize>() == before && ready.elapsed() < Duration::from_secs(30) {
            sleep(Duration::from_millis(5)).await;
        }
        late.push(ready.elapsed());
    }
    let begun = Instant::now();
    while server.settled(&key, &id).await.0 != "completed" {
        assert!(begun.elapsed() < Duration::from_secs(240), "stuck: {:?}", server.settled(&key, &id).await);
        sleep(Duration::from_millis(100)).await;
    }
    assert!(killed > 0, "the crawl was over before the first kill");
    check(&server, &web, &key, &id, killed).await;
    late.sort();
    let (most, median) = (late[late.len() - 1], late[late.len() / 2]);
    format!("{killed} kills; the crawl went on within {most:?} of the start, median {median:?}")
}

async fn check(server: &Server, web: &Web, key: &str, id: &str, killed: usize) {
    let data = server.get(&format!("/v1/web/crawl/{id}"), key).await.expect("answers")["data"].clone();
    let urls: Vec<_> = data["pages"].as_array().expect("pages").iter().map(|page| page["url"].clone()).collect();
    let expected: Vec<_> = (0..PAGES)
        .map(|n| json!(if n == 0 { "http://crawl.test/".into() } else { format!("http://crawl.test/page/{n}") }))
        .collect();
    assert_eq!(urls.len(), expected.len());
    assert!(urls == expected, "the pages or their order are not those of an undisturbed crawl");
    let progress = &data["progress"];
    assert_eq!(progress, &json!({ "discovered": PAGES, "fetched": PAGES, "failed": 0, "skipped": 0 }));
    let account = server.get("/v1/account", key).await.expect("answers")["data"].clone();
    assert_eq!((&account["balance"], &account["held"]), (&json!(10_000 - PAGES), &json!(0)));
    let twice: usize = web.asked().values().map(|times| times - 1).sum();
    assert!(twice <= killed * (AT_ONCE + 1), "{twice} pages were fetched twice over {killed} kills");
}

#[actix_web::test]
async fn ten_kills_lose_nothing_and_charge_nothing_twice() {
    println!("{}", crawl_through(10).await);
}

#[actix_web::test]
#[ignore = "takes minutes: `just long`"]
async fn a_hundred_kills_lose_nothing_and_charge_nothing_twice() {
    println!("{}", crawl_through(100).await);
}

#[actix_web::test]
async fn a_page_that_ends_the_process_five_times_is_given_up() {
    let web = Web::tree(30);
    let mut server = Server::new(web.named("crawl.test"));
    let key = server.key(100);
    // Robots.txt is asked for at every start and the server is killed before the answer counts: no progress is made.
    let silent = TcpListener::bind("127.0.0.1:0").expect("a free port");
    server.hosts = format!("crawl.test={}", silent.local_addr().expect("bound"));
    server.start().await;
    let id = server.crawl(&key, json!({})).await;
    for _ in 0..5 {
        let (_connection, _) = actix_web::rt::task::spawn_blocking({
            let silent = silent.try_clone().expect("a listener");
            move || silent.accept().expect("asked")
        })
        .await
        .expect("waited for");
        server.kill();
        server.start().await;
    }
    let begun = Instant::now();
    while server.settled(&key, &id).await.0 != "failed" {
        assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", server.settled(&key, &id).await);
        sleep(Duration::from_millis(100)).await;
    }
    let account = server.get("/v1/account", &key).await.expect("answers")["data"].clone();
    assert_eq!((&account["balance"], &account["held"]), (&json!(100), &json!(0)));
}
