//! Pages that want to hold a browser up, and their neighbours.

use std::cell::Cell;
use std::path::Path;

use tokio::time::sleep;

use super::kills::browsers;
use super::*;
use crate::egress::testing::Site;

/// How much longer than it is given a page may take until its end is seen.
const LITTLE: Duration = Duration::from_secs(2);

/// Those that are in every run, and those that need a long one.
const QUICK: &[(&str, &str)] = &[
    ("alert storm", "<script>for (;;) alert(1)</script>"),
    ("open storm", "<script>for (;;) open('/calm')</script>"),
    ("endless loop", "<script>for (;;);</script>"),
    (
        "memory eater",
        "<script>const all = []; setInterval(() => { for (let i = 0; i < 50; i++) all.push(new Uint8Array(1 << 20).fill(i)) })</script>",
    ),
    (
        "before unload",
        "<script>onbeforeunload = (event) => { event.preventDefault(); for (;;); }; location = '/calm'</script>",
    ),
];
const LONG: &[(&str, &str)] = &[
    (
        "1 GB of elements",
        "<script>for (let i = 0; i < 1e7; i++) { const p = document.createElement('p'); p.textContent = 'x'.repeat(99) + i; document.body.append(p) }</script>",
    ),
    ("1 GB of text", "<script>setInterval(() => document.body.append('x'.repeat(1 << 24) + Math.random()))</script>"),
    (
        "10,000 frames",
        "<script>for (let i = 0; i < 10000; i++) document.body.append(Object.assign(document.createElement('iframe'), {srcdoc: i}))</script>",
    ),
    ("frames of itself", "<iframe src=\"?1\"></iframe><iframe src=\"?2\"></iframe><iframe src=\"?3\"></iframe>"),
    ("endless redirect", ""),
    ("endless reload", "<script>location.reload()</script>"),
    ("endless write", "<script>for (;;) document.write('<p>more')</script>"),
    (
        "endless frames",
        "<script>function f() { document.body.append(document.createElement('p')); requestAnimationFrame(f) } f()</script>",
    ),
    (
        "endless history",
        "<script>for (let i = 0; ; i++) { try { history.pushState(i, '', '?' + i) } catch {} }</script>",
    ),
    (
        "100,000 listeners",
        "<script>for (let i = 0; i < 1e5; i++) { addEventListener('message', () => { i++ }); setInterval(() => postMessage(i)) }</script>",
    ),
    (
        "huge canvas",
        "<script>for (;;) { const c = document.createElement('canvas'); c.width = c.height = 16000; c.getContext('2d').fillRect(0, 0, 16000, 16000); document.body.append(c) }</script>",
    ),
    (
        "huge WebGL",
        "<script>for (let i = 0; i < 500; i++) { const c = document.createElement('canvas'); c.width = c.height = 8000; const gl = c.getContext('webgl'); gl?.clear(gl.COLOR_BUFFER_BIT); document.body.append(c) }</script>",
    ),
    ("print storm", "<script>for (;;) print()</script>"),
    (
        "workers",
        "<script>for (let i = 0; i < 500; i++) new Worker(URL.createObjectURL(new Blob(['for (;;);'])))</script>",
    ),
    (
        "message storm",
        "<script>const {port1, port2} = new MessageChannel(); port1.onmessage = port2.onmessage = () => { for (let i = 0; i < 99; i++) port1.postMessage('x'.repeat(1e5)) }; port1.postMessage(1)</script>",
    ),
    ("console storm", "<script>for (;;) console.log('x'.repeat(1e5))</script>"),
    ("cookie storm", "<script>for (let i = 0; ; i++) document.cookie = i + '=' + 'x'.repeat(3000)</script>"),
    ("endless hash", "<script>for (let i = 0; ; i++) location.hash = i</script>"),
    ("deep tree", "<script>document.body.innerHTML = '<div>'.repeat(1e6)</script>"),
    (
        "slow selector",
        "<script>document.body.innerHTML = '<i><b></b></i>'.repeat(1e5); for (;;) document.querySelectorAll('i:has(~ i b ~ b)')</script>",
    ),
    ("regular expression", "<script>/^(a+)+$/.test('a'.repeat(99) + 'b')</script>"),
];

async fn site() -> Site {
    Site::serve("127.0.0.2", |request| {
        let (path, query) = (request.uri().path(), request.uri().query().unwrap_or_default());
        match path.strip_prefix('/').and_then(|number| number.parse::<usize>().ok()) {
            _ if path == "/calm" => html(format!("<p id=p></p><script>p.textContent = 'calm ' + {query}</script>")),
            Some(index) => match QUICK.iter().chain(LONG).nth(index) {
                Some(("endless redirect", _)) => redirect(&format!("{path}?{query}1")),
                Some((_, script)) => html(format!("<body>{script}")),
                None => typed(404, "text/plain", ""),
            },
            None => typed(404, "text/plain", ""),
        }
    })
    .await
}

/// Renders calm pages one after the other until `over`, and returns the mean
/// time of one in milliseconds.
async fn calm(rig: &Rig, site: &Site, over: impl Fn(usize) -> bool) -> f64 {
    let begun = Instant::now();
    let mut number = 0;
    while number == 0 || !over(number) {
        number += 1;
        let page = rig.render(&site.url(&format!("/calm?{number}"))).await.expect("a calm page is rendered");
        assert!(page.html.contains(&format!("calm {number}<")), "{}", page.html);
    }
    begun.elapsed().as_secs_f64() * 1000.0 / number as f64
}

/// Holds a hostile page open for `time`, after which it must end whatever its
/// end is.
async fn hold(rig: &Rig, site: &Site, index: usize, time: Duration) -> String {
    let begun = Instant::now();
    let outcome = rig.render_within(time, &site.url(&format!("/{index}")), Some("b.never")).await;
    let refusal = outcome.expect_err("the selector never matches");
    assert!(begun.elapsed() < time + LITTLE, "{refusal} after {:?}", begun.elapsed());
    format!("{refusal} after {} ms", begun.elapsed().as_millis())
}

/// Renders hostile pages beside calm ones, and prints how much longer those
/// took than without.
async fn endure(time: Duration, pages: impl Iterator<Item = &'static str>) {
    let (rig, site) = (Rig::start(), site().await);
    for (index, name) in pages.enumerate() {
        let alone = calm(&rig, &site, |pages| pages == 3).await;
        let over = Cell::new(false);
        let holding = async {
            let end = hold(&rig, &site, index, time).await;
            over.set(true);
            end
        };
        let (end, beside) = tokio::join!(holding, calm(&rig, &site, |_| over.get()));
        println!("{name}: {end}; neighbours {beside:.0} ms, {:.1} x", beside / alone);
    }
    calm(&rig, &site, |pages| pages == 2).await;
    rig.drain().await;
    nothing_is_left(rig.scratch.path());
}

fn nothing_is_left(scratch: &Path) {
    assert_eq!(browsers(scratch), []);
    assert_eq!(std::fs::read_dir(scratch).expect("the folder is there").count(), 0);
}

fn named(pages: &'static [(&str, &str)]) -> impl Iterator<Item = &'static str> {
    pages.iter().map(|(name, _)| *name)
}

#[actix::test]
async fn hostile_pages_end_in_time_and_their_neighbours_are_right() {
    endure(Duration::from_millis(1500), named(QUICK)).await;
}

#[actix::test]
#[ignore = "takes two minutes: `just long`"]
async fn every_hostile_page_ends_in_time_and_its_neighbours_are_right() {
    endure(Duration::from_secs(6), named(QUICK).chain(named(LONG))).await;
}

#[actix::test]
async fn a_browser_over_its_memory_limit_is_replaced() {
    let site = site().await;
    let rig = Rig::with(testing::egress(SITES, ""), |config| config.memory_limit = 1 << 20);
    rig.render(&site.url("/calm?1")).await.expect("it is a page");
    let before = browsers(rig.scratch.path());
    // Any page is too much here, once somebody looks.
    let spins = rig.render_within(Duration::from_secs(6), &site.url("/2"), None).await.expect_err("it does not end");
    assert_eq!(spins, RenderError::Crashed);
    calm(&rig, &site, |_| true).await;
    while browsers(rig.scratch.path()).iter().any(|browser| before.contains(browser)) {
        sleep(Duration::from_millis(50)).await;
    }
}

#[actix::test]
async fn a_browser_with_two_late_pages_in_a_row_is_replaced() {
    let (rig, site) = (Rig::with(testing::egress(SITES, ""), |config| config.pool_size = 1), site().await);
    calm(&rig, &site, |_| true).await;
    let before = browsers(rig.scratch.path());
    for _ in 0..2 {
        rig.render_within(Duration::from_secs(1), &site.url("/2"), None).await.expect_err("it does not end");
    }
    calm(&rig, &site, |_| true).await;
    while browsers(rig.scratch.path()).iter().any(|browser| before.contains(browser)) {
        sleep(Duration::from_millis(50)).await;
    }
}
