//! The pool with a real Chromium and real sites on loopback addresses.

mod hostile;
mod kills;
mod leaks;
mod leftovers;
mod network;
mod pages;
mod processes;

use std::time::Duration;

use actix::Arbiter;
use bytes::Bytes;
use http_body_util::Full;
use hyper::Response;
use tempfile::TempDir;
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::{BrowserPoolActor, BrowserPoolConfig, Drain, GetBrowserHealth, RenderError, RenderPage, RenderedPage};
use crate::egress::{Egress, testing};
use crate::supervise::{Gate, Keeper, KeeperHandle, RestartPolicy, Room};

/// Where the sites of these tests live; 127.0.0.1 stays forbidden.
const SITES: &str = "127.0.0.2/32";

/// A pool under its keeper, with a scratch folder of its own.
struct Rig {
    gate: Gate<BrowserPoolActor>,
    scratch: TempDir,
    _keeper: KeeperHandle,
}

impl Rig {
    fn start() -> Self {
        Self::with(testing::egress(SITES, ""), |_| {})
    }

    fn with(egress: Egress, change: impl FnOnce(&mut BrowserPoolConfig)) -> Self {
        let scratch = tempfile::tempdir().expect("a temporary folder");
        let mut config = BrowserPoolConfig {
            executable: None,
            pool_size: 2,
            max_pages: 4,
            page_timeout: Duration::from_secs(10),
            allow_no_sandbox: rustix::process::geteuid().is_root(),
            memory_limit: 700 << 20,
            scratch_dir: scratch.path().to_owned(),
        };
        change(&mut config);
        let room = Room {
            name: "browser pool",
            arbiter: Arbiter::current(),
            slots: 32,
            patience: Duration::from_secs(30),
            policy: RestartPolicy::default(),
        };
        let (escalations, _) = mpsc::unbounded_channel();
        let factory = move |lifeline| BrowserPoolActor::new(egress.clone(), &config, lifeline);
        let (gate, keeper) = Keeper::start(room, escalations, factory);
        Self { gate, scratch, _keeper: keeper }
    }

    async fn render(&self, url: &str) -> Result<RenderedPage, RenderError> {
        self.render_within(Duration::from_secs(20), url, None).await
    }

    async fn render_within(
        &self,
        time: Duration,
        url: &str,
        wait_for: Option<&str>,
    ) -> Result<RenderedPage, RenderError> {
        let deadline = Instant::now() + time;
        let url = url.parse().expect("a URL");
        let order = RenderPage {
            url,
            wait_for: wait_for.map(str::to_owned),
            measure: false,
            upstream: None,
            deadline,
            limit: None,
        };
        self.gate.ask_until(deadline, order).await.expect("the actor answers before the deadline")
    }

    async fn drain(&self) {
        let drain = Drain { pages_until: Instant::now() + Duration::from_secs(5) };
        self.gate.ask(drain).await.expect("the actor answers");
    }
}

/// An answer of the given type.
fn typed(status: u16, content_type: &str, body: impl Into<Bytes>) -> Response<Full<Bytes>> {
    let answer = Response::builder().status(status).header("content-type", content_type);
    answer.body(Full::new(body.into())).expect("the parts are valid")
}

fn html(body: impl Into<Bytes>) -> Response<Full<Bytes>> {
    typed(200, "text/html; charset=utf-8", body)
}

fn redirect(location: &str) -> Response<Full<Bytes>> {
    let answer = Response::builder().status(302).header("location", location);
    answer.body(Full::default()).expect("the parts are valid")
}
