use std::path::Path;
use std::sync::Arc;

use rustix::process::{Pid, Signal, kill_process};
use tokio::time::sleep;

use super::*;
use crate::browser_pool::BrowserHealth;
use crate::browser_pool::slot::{Launcher, Slot};
use crate::egress::testing::Site;

/// A process of a browser.
#[derive(Debug)]
struct Process {
    pid: i32,
    group: i32,
    command: String,
}

/// Every living process of the browsers whose profiles are under `scratch`.
fn processes(scratch: &Path) -> Vec<Process> {
    let entries = std::fs::read_dir("/proc").expect("this is Linux").flatten();
    let all: Vec<_> = entries.filter_map(|entry| process(entry.file_name().to_str()?.parse().ok()?)).collect();
    let profile = format!("--user-data-dir={}", scratch.display());
    let leaders: Vec<_> =
        all.iter().filter(|process| process.command.contains(&profile)).map(|process| process.group).collect();
    all.into_iter().filter(|process| leaders.contains(&process.group)).collect()
}

fn process(pid: i32) -> Option<Process> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    let (state, _parent, group) = (fields.next()?, fields.next()?, fields.next()?);
    let command = std::fs::read(format!("/proc/{pid}/cmdline")).ok()?;
    let command = String::from_utf8_lossy(&command).replace('\0', " ");
    (state != "Z").then_some(Process { pid, group: group.parse().ok()?, command })
}

fn kill(scratch: &Path, wanted: impl Fn(&Process) -> bool) -> usize {
    let found: Vec<_> = processes(scratch).into_iter().filter(|process| wanted(process)).collect();
    for process in &found {
        kill_process(Pid::from_raw(process.pid).expect("a pid is positive"), Signal::KILL).expect("it is ours");
    }
    found.len()
}

fn is_browser(process: &Process) -> bool {
    process.pid == process.group
}

fn is_renderer(process: &Process) -> bool {
    process.command.contains("--type=renderer")
}

async fn health(rig: &Rig) -> BrowserHealth {
    rig.gate.ask(GetBrowserHealth).await.expect("the actor answers")
}

/// A site that answers `/slow` after a while, and everything else at once.
async fn site() -> Site {
    Site::serve("127.0.0.2", |request| match request.uri().path() {
        "/slow" => html("<p>slow</p><script>setTimeout(() => document.body.append('done'), 3000)</script>"),
        _ => html("<p>quick</p>"),
    })
    .await
}

#[actix::test]
async fn a_browser_that_died_between_pages_is_replaced() {
    let (rig, site) = (Rig::start(), site().await);
    rig.render(&site.url("/")).await.expect("it is a page");
    assert_eq!(kill(rig.scratch.path(), is_browser), 1);
    rig.render(&site.url("/")).await.expect("another browser renders it");
    assert_eq!(health(&rig).await.problem, None);
}

#[actix::test]
async fn a_page_whose_browser_or_renderer_dies_is_rendered_again() {
    for wanted in [is_browser, is_renderer] {
        let (rig, site) = (Rig::start(), site().await);
        rig.render(&site.url("/")).await.expect("it is a page");
        // The first page's renderer must be gone before the second's is looked for.
        while health(&rig).await.pages > 0 {
            sleep(Duration::from_millis(20)).await;
        }
        let url = site.url("/slow");
        let killing = async {
            sleep(Duration::from_millis(1000)).await;
            kill(rig.scratch.path(), wanted)
        };
        let order = RenderPage {
            url: url.parse().expect("a URL"),
            wait_for: Some("b.never".to_owned()),
            measure: false,
            upstream: None,
            deadline: Instant::now() + Duration::from_secs(6),
            limit: None,
        };
        let (killed, outcome) = tokio::join!(killing, rig.gate.ask(order));
        assert!(killed > 0, "something was there to be killed");
        let refusal = outcome.expect("the actor answers").expect_err("the selector never matches");
        assert!(matches!(refusal, RenderError::SelectorNotFound(_)), "{refusal:?}");
        assert_eq!(site.connections(), 3, "the page was loaded again");
    }
}

#[actix::test]
async fn without_a_browser_the_pool_lives_and_says_so() {
    let rig = Rig::with(testing::egress(SITES, ""), |config| config.executable = Some("/nowhere/chromium".into()));
    let refusal = rig.render("http://127.0.0.2/").await.expect_err("there is no browser");
    assert!(
        matches!(&refusal, RenderError::Unavailable(reason) if reason.contains("BROWSER_EXECUTABLE")),
        "{refusal:?}"
    );
    let health = health(&rig).await;
    assert_eq!((health.problem.is_some(), health.browsers, health.pages), (true, 0, 0));
}

#[actix::test]
async fn something_that_is_no_browser_is_told_from_one() {
    let rig = Rig::with(testing::egress(SITES, ""), |config| config.executable = Some("/bin/true".into()));
    let refusal = rig.render("http://127.0.0.2/").await.expect_err("it is no browser");
    assert!(
        matches!(&refusal, RenderError::Unavailable(why) if why.contains("ended before it was ready")),
        "{refusal}"
    );
    assert_eq!(std::fs::read_dir(rig.scratch.path()).expect("the folder is there").count(), 0);
}

#[actix::test]
async fn root_gets_no_browser_unless_the_sandbox_is_given_up() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let rig = Rig::with(testing::egress(SITES, ""), |config| config.allow_no_sandbox = false);
    let refusal = rig.render("http://127.0.0.2/").await.expect_err("it would run without a sandbox");
    assert!(
        matches!(&refusal, RenderError::Unavailable(reason) if reason.contains("BROWSER_ALLOW_NO_SANDBOX")),
        "{refusal:?}"
    );
}

#[actix::test]
async fn a_drain_leaves_no_process_and_no_folder() {
    let (rig, site) = (Rig::start(), site().await);
    rig.render(&site.url("/")).await.expect("it is a page");
    assert_eq!(health(&rig).await, BrowserHealth { problem: None, browsers: 1, pages: 0 });
    assert!(!processes(rig.scratch.path()).is_empty());
    rig.drain().await;
    let left = processes(rig.scratch.path());
    assert!(left.is_empty(), "{left:?}");
    assert_eq!(std::fs::read_dir(rig.scratch.path()).expect("the folder is there").count(), 0);
    let refusal = rig.render(&site.url("/")).await.expect_err("it is closed");
    assert!(matches!(refusal, RenderError::Unavailable(_)), "{refusal:?}");
    assert!(health(&rig).await.problem.is_some());
}

#[actix::test]
async fn too_long_a_line_is_refused_at_once() {
    let (rig, site) = (Rig::with(testing::egress(SITES, ""), |config| config.max_pages = 1), site().await);
    let url = site.url("/");
    let orders = (0..8).map(|_| rig.render_within(Duration::from_secs(20), &url, None));
    let outcomes = futures::future::join_all(orders).await;
    let refused = outcomes
        .iter()
        .filter(|outcome| matches!(outcome, Err(RenderError::Unavailable(reason)) if reason == "busy"))
        .count();
    let served = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
    assert_eq!((served, refused), (3, 5), "one place and a line of two");
}

#[actix::test]
async fn a_worn_browser_is_replaced_and_ends_with_its_last_page() {
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let config = BrowserPoolConfig {
        executable: None,
        pool_size: 1,
        max_pages: 1,
        page_timeout: Duration::from_secs(10),
        allow_no_sandbox: rustix::process::geteuid().is_root(),
        memory_limit: 700 << 20,
        scratch_dir: scratch.path().to_owned(),
    };
    let (presence, mut absence) = mpsc::channel(1);
    let launcher = Arc::new(Launcher::new(&config, testing::egress(SITES, ""), presence));
    let slot = Slot::new(launcher.clone());
    let first = slot.browser().await.expect("it starts");
    assert_eq!(slot.browser().await.expect("it is the same").pid(), first.pid());
    (0..200).for_each(|_| first.wear().enter());
    let second = slot.browser().await.expect("it starts");
    assert_ne!(second.pid(), first.pid());
    assert!(first.answers().await, "its last page may still be open");
    drop(first);
    while processes(scratch.path()).iter().filter(|process| is_browser(process)).count() > 1 {
        sleep(Duration::from_millis(20)).await;
    }
    assert!(second.answers().await);
    launcher.retire();
    assert_eq!(absence.recv().await, None, "nothing is left of either");
    assert!(processes(scratch.path()).is_empty());
}
