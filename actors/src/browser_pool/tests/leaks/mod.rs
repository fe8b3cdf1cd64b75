//! One page with every way out we know, in both kinds of Chromium.

mod canary;
mod vectors;

use std::path::Path;
use std::process::{Command, Stdio};

use hyper::Request;
use hyper::body::Incoming;
use tokio::time::sleep;

use super::*;
use crate::browser_pool::{discover, flags};
use crate::egress::FilteringProxy;
use crate::egress::testing::Site;
use canary::Canary;
use vectors::{ALONE, HEADERS, HELPERS, TOGETHER};

const FULL_CHROMIUM: &str = "/usr/lib/chromium/chromium";

/// How long the page with all vectors is left open.
const OPEN: Duration = Duration::from_millis(2500);

fn vectors() -> usize {
    TOGETHER.len() + HEADERS.len() + ALONE.len()
}

/// Aims a vector at the canary.
fn aimed(template: &str, name: &str, port: u16) -> String {
    let template = template.replace("{url}", &format!("http://127.0.0.1:{port}/{name}"));
    template.replace("{at}", &format!("127.0.0.1:{port}")).replace("{port}", &port.to_string())
}

fn all_together(port: u16) -> String {
    let frames = HEADERS.iter().map(|(name, ..)| format!("<iframe src=\"/header?{name}\"></iframe>\n"));
    let vectors = TOGETHER.iter().map(|(name, markup)| aimed(markup, name, port) + "\n");
    let end = format!(
        "<p>tried</p><script>setTimeout(() => document.body.insertAdjacentHTML('beforeend', '<b class=done></b>'), {})</script>",
        OPEN.as_millis()
    );
    format!(
        "<!doctype html><meta charset=utf-8>{HELPERS}\n{}{}{end}",
        frames.collect::<String>(),
        vectors.collect::<String>()
    )
}

/// A site whose pages try to reach the canary's port.
async fn hostile(ip: &str, port: u16) -> Site {
    Site::serve(ip, move |request| answer(&request, port)).await
}

fn answer(request: &Request<Incoming>, port: u16) -> Response<Full<Bytes>> {
    let query = request.uri().query().unwrap_or_default();
    match request.uri().path() {
        "/" => html(all_together(port)),
        "/redirect" => redirect(query),
        "/worker.js" => {
            typed(200, "text/javascript", format!("fetch('{query}', {{mode: 'no-cors'}}); importScripts('{query}')"))
        }
        "/header" => {
            let (name, header, value) = HEADERS.iter().find(|(name, ..)| *name == query).expect("it is in the table");
            let answer = Response::builder().header("content-type", "text/html");
            let answer = answer.header(*header, aimed(value, name, port));
            answer.body(Full::from("<img src=/nothing><script>x.y</script>")).expect("the parts are valid")
        }
        "/alone" => {
            let (name, markup) = ALONE.iter().find(|(name, _)| *name == query).expect("it is in the table");
            html(aimed(markup, name, port))
        }
        _ => typed(404, "text/plain", ""),
    }
}

/// Opens every vector in our own pool and returns what reached the canary.
async fn leaks_of(executable: &Path) -> std::collections::BTreeMap<String, usize> {
    let canary = Canary::start().await;
    let site = hostile("127.0.0.2", canary.port).await;
    // The address is a secure context, where more is on offer; the name comes
    // through the proxy even when the lock is broken.
    let egress = testing::egress(SITES, &format!("shop.test={}", site.address));
    let rig = Rig::with(egress, |config| config.executable = Some(executable.to_owned()));
    let whole = async |url: String| {
        let page = rig.render_within(Duration::from_secs(60), &url, Some("b.done")).await.expect("it may be opened");
        assert!(page.html.contains("<p>tried</p>"));
    };
    let alone = async || {
        for (name, _) in ALONE {
            let outcome = rig.render_within(Duration::from_secs(30), &site.url(&format!("/alone?{name}")), None).await;
            let refusal = outcome.expect_err("it leads to the canary");
            assert!(matches!(refusal, RenderError::Egress(_)), "{name}: {refusal:?}");
        }
    };
    tokio::join!(whole(site.url("/")), whole("http://shop.test/".to_owned()), alone());
    sleep(Duration::from_millis(300)).await;
    canary.hits()
}

#[actix::test]
async fn no_vector_leaves_the_headless_shell() {
    let executable = discover::executable(None).expect("there is a browser");
    assert_eq!(leaks_of(&executable).await, Default::default(), "of {} vectors", vectors());
    println!("{} vectors in {}: 0 hits", vectors(), executable.display());
}

#[actix::test]
async fn no_vector_leaves_full_chromium() {
    let executable = Path::new(FULL_CHROMIUM);
    assert!(executable.is_file(), "{FULL_CHROMIUM} is missing: ./scripts/test installs it");
    assert_eq!(leaks_of(executable).await, Default::default(), "of {} vectors", vectors());
    println!("{} vectors in {}: 0 hits", vectors(), executable.display());
}

/// Without the two parts of the lock that a browser's own proxy setting does
/// not bring, the same page must be seen by the canary; otherwise the tests
/// above prove nothing.
#[actix::test]
async fn the_vectors_work_when_the_lock_is_open() {
    let canary = Canary::start().await;
    // The one address that the resolver's rules leave alone.
    let site = hostile("127.0.0.1", canary.port).await;
    let proxy = FilteringProxy::open(testing::egress(SITES, ""), None, u64::MAX).await.expect("a port is free");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let kept = |flag: &std::ffi::OsString| {
        let flag = flag.to_string_lossy();
        !["--proxy-", "--webrtc-ip", "--force-webrtc-ip"].iter().any(|lock| flag.starts_with(lock))
    };
    let executable = discover::executable(None).expect("there is a browser");
    #[expect(clippy::disallowed_methods, reason = "a browser that our own launcher would not start")]
    let mut browser = Command::new(executable)
        .args(flags::arguments(folder.path(), !rustix::process::geteuid().is_root()).into_iter().filter(kept))
        .arg(format!("--proxy-server=http://{}", proxy.address()))
        .arg(site.url("/"))
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let mut hits = canary.hits();
    for _ in 0..8 {
        sleep(Duration::from_secs(1)).await;
        let before = std::mem::replace(&mut hits, canary.hits());
        if hits.len() == before.len() && hits.contains_key("udp") {
            break;
        }
    }
    browser.kill().expect("it is ours");
    browser.wait().expect("it was ours");
    let silent: Vec<_> = TOGETHER.iter().map(|(name, _)| *name).filter(|name| !hits.contains_key(*name)).collect();
    println!("{} of {} vectors named themselves; not: {silent:?}", hits.len(), vectors());
    assert!(hits.len() > 45 && hits.contains_key("udp"), "{hits:?}");
}
