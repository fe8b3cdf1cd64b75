//! Processes die and fall silent while pages are rendered.

use std::cell::{Cell, RefCell};
use std::path::Path;

use rand::seq::IteratorRandom;
use rustix::process::{Pid, Signal, kill_process};
use tokio::time::sleep;

use super::*;
use crate::browser_pool::procfs::{self, Process};
use crate::egress::testing::Site;

const WORKERS: usize = 4;

/// What a load met with.
#[derive(Debug, Default)]
struct Load {
    /// Pages answered, by worker.
    answered: [Cell<usize>; WORKERS],
    failures: RefCell<Vec<RenderError>>,
}

impl Load {
    fn served(&self) -> usize {
        self.answered.iter().map(Cell::get).sum::<usize>() - self.failures.borrow().len()
    }

    /// Waits until no page is open that was open before, so that the next blow
    /// is no page's second.
    async fn turn_over(&self) {
        let before = self.answered.clone();
        while before.iter().zip(&self.answered).any(|(before, now)| before == now) {
            sleep(Duration::from_millis(20)).await;
        }
    }
}

/// The browsers whose profiles are under `scratch`, their helpers aside.
pub(super) fn browsers(scratch: &Path) -> Vec<Process> {
    procfs::running().filter(|process| process.profile().is_some_and(|folder| folder.starts_with(scratch))).collect()
}

fn renderers(scratch: &Path) -> Vec<Process> {
    let groups: Vec<_> = browsers(scratch).into_iter().map(|browser| browser.group).collect();
    procfs::running().filter(|process| groups.contains(&process.group) && process.is_renderer()).collect()
}

pub(super) fn signal(process: &Process, signal: Signal) {
    // It may have ended since it was listed.
    let _ = kill_process(Pid::from_raw(process.pid).expect("a pid is positive"), signal);
}

/// Children of this process that ended and that nobody collected.
fn zombies() -> usize {
    let own = std::process::id().to_string();
    let stats = std::fs::read_dir("/proc").expect("this is Linux").flatten();
    let stats = stats.filter_map(|entry| std::fs::read_to_string(entry.path().join("stat")).ok());
    let is_zombie = |stat: String| {
        let fields: Vec<_> =
            stat.rsplit_once(") ").map_or("", |(_, rest)| rest).split(' ').map(str::to_owned).collect();
        fields.first().is_some_and(|state| state == "Z") && fields.get(1) == Some(&own)
    };
    stats.filter(|stat| is_zombie(stat.clone())).count()
}

async fn site() -> Site {
    Site::serve("127.0.0.2", |request| {
        let number = request.uri().query().unwrap_or_default().to_owned();
        html(format!("<p id=p></p><script>setTimeout(() => {{ p.textContent = 'page ' + {number} }}, 50)</script>"))
    })
    .await
}

/// Renders pages without pause until `over`, each with its own content.
async fn work(rig: &Rig, site: &Site, worker: usize, over: &Cell<bool>, load: &Load) {
    let mut number = worker;
    while !over.get() {
        number += WORKERS;
        match rig.render(&site.url(&format!("/?{number}"))).await {
            Ok(page) => assert!(page.html.contains(&format!("page {number}<")), "{}", page.html),
            Err(error) => load.failures.borrow_mut().push(error),
        }
        load.answered[worker].set(load.answered[worker].get() + 1);
    }
}

/// Strikes `blow` `count` times under load, at random moments, and returns how often
/// it hit something; then expects the pool to leave nothing behind.
async fn under_load(count: usize, blow: impl AsyncFn(&Path) -> bool) -> (usize, Load) {
    let (rig, site) = (Rig::start(), site().await);
    let (over, load) = (Cell::new(false), Load::default());
    rig.render(&site.url("/?0")).await.expect("it is a page");
    let blows = async {
        let mut hits = 0;
        while hits < count {
            load.turn_over().await;
            sleep(Duration::from_millis(rand::random_range(0..400))).await;
            hits += usize::from(blow(rig.scratch.path()).await);
        }
        load.turn_over().await;
        over.set(true);
        hits
    };
    let workers = (0..WORKERS).map(|worker| work(&rig, &site, worker, &over, &load));
    let (hits, _) = tokio::join!(blows, futures::future::join_all(workers));
    rig.render(&site.url("/?1")).await.expect("the pool is usable");
    rig.drain().await;
    assert_eq!(browsers(rig.scratch.path()), [], "a process is left");
    assert_eq!(std::fs::read_dir(rig.scratch.path()).expect("the folder is there").count(), 0, "a folder is left");
    assert_eq!(zombies(), 0);
    (hits, load)
}

async fn kill_one(victims: Vec<Process>) -> bool {
    let victim = victims.iter().choose(&mut rand::rng());
    if let Some(victim) = victim {
        signal(victim, Signal::KILL);
    }
    victim.is_some()
}

async fn browser_kills(count: usize) {
    let (hits, load) = under_load(count, async |scratch| kill_one(browsers(scratch)).await).await;
    println!("{hits} browsers killed, {} pages served, {:?} failed", load.served(), load.failures.borrow());
    assert_eq!(*load.failures.borrow(), [], "of {}", load.served());
}

#[actix::test]
async fn no_request_fails_when_browsers_are_killed_under_load() {
    browser_kills(5).await;
}

#[actix::test]
#[ignore = "takes a minute: `just long`"]
async fn no_request_fails_in_fifty_kills() {
    browser_kills(50).await;
}

#[actix::test]
#[ignore = "takes a minute: `just long`"]
async fn no_request_fails_when_renderers_are_killed_under_load() {
    let (hits, load) = under_load(50, async |scratch| kill_one(renderers(scratch)).await).await;
    println!("{hits} renderers killed, {} pages served, {:?} failed", load.served(), load.failures.borrow());
    assert_eq!(*load.failures.borrow(), []);
}

/// Stops every browser for `time`, or until all of them were replaced.
async fn silence(time: Option<Duration>) {
    let (_, load) = under_load(1, async |scratch| {
        let stopped = browsers(scratch);
        stopped.iter().for_each(|browser| signal(browser, Signal::STOP));
        match time {
            Some(time) => sleep(time).await,
            None => {
                while browsers(scratch).iter().any(|browser| stopped.contains(browser)) {
                    sleep(Duration::from_millis(50)).await;
                }
            }
        }
        stopped.iter().for_each(|browser| signal(browser, Signal::CONT));
        !stopped.is_empty()
    })
    .await;
    println!("a silence, {} pages served, {:?} failed", load.served(), load.failures.borrow());
    assert_eq!(*load.failures.borrow(), []);
}

#[actix::test]
async fn a_browser_that_falls_silent_is_replaced_and_its_pages_are_rendered() {
    silence(None).await;
}

#[actix::test]
#[ignore = "takes a quarter of a minute: `just long`"]
async fn no_request_fails_when_browsers_are_silent_for_ten_seconds() {
    silence(Some(Duration::from_secs(10))).await;
}
