//! Every case on every way out, with a canary on every address of this machine.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpSocket;
use tokio::time::{Instant, timeout};
use url::Url;

use super::cases::{self, Attempt, Case, Outcome};
use super::smuggled::SMUGGLED;
use super::zone;
use crate::egress::testing::{NameServer, Origin, config};
use crate::egress::{Egress, Fetch, FilteringProxy, Upstream, fetch};

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\nsite";

/// One canary, one open site with what it answers, an upstream proxy that would
/// fetch anything, and the three ways to them.
struct Range {
    canary: Origin,
    _names: NameServer,
    _site: Origin,
    answer: Arc<Mutex<String>>,
    upstream: Origin,
    /// Targets that the upstream proxy was asked for, except the open site.
    asked: Arc<Mutex<Vec<String>>>,
    egress: Egress,
    proxy: FilteringProxy,
}

impl Range {
    async fn set_up() -> Self {
        let (canary, names) = (Origin::canary().await, zone::serve().await);
        let answer = Arc::new(Mutex::new(OK.to_owned()));
        let asked = Arc::new(Mutex::new(Vec::new()));
        let site = open_site(answer.clone()).await;
        let mut config = config("127.0.0.2/32", &format!("site.test={}", site.address));
        config.nameservers = vec![names.address];
        let egress = Egress::new(config).unwrap();
        let proxy = FilteringProxy::open(egress.clone(), None, u64::MAX / 2).await.unwrap();
        let upstream = upstream_proxy(answer.clone(), asked.clone()).await;
        Self { canary, _names: names, _site: site, answer, upstream, asked, egress, proxy }
    }

    /// Sets the site up for the case and returns the URL to begin with, as text.
    fn prepare(&self, case: &Case) -> String {
        let (text, answer) = match &case.attempt {
            Attempt::Url(text) => (text.clone(), OK.to_owned()),
            Attempt::Answer(answer) => ("http://site.test/self".to_owned(), answer.clone()),
        };
        *self.answer.lock().unwrap() = answer;
        self.asked.lock().unwrap().clear();
        text
    }

    /// The reason for which a fetch of `text` ended, or its body.
    async fn fetch(&self, upstream: Option<&Upstream>, text: &str) -> Result<String, String> {
        let url = Url::parse(text).map_err(|_| "bad_url".to_owned())?;
        let what = Fetch { url: &url, deadline: Instant::now() + Duration::from_secs(20), max_bytes: 10_000 };
        match fetch(&self.egress, upstream, what).await {
            Ok(page) => Ok(String::from_utf8_lossy(&page.body).into_owned()),
            Err(error) => Err(error.reason().to_owned()),
        }
    }

    /// As a browser: parses, asks the proxy in absolute form and follows
    /// redirects. The status of the last answer, or 0 for what a browser would
    /// not send.
    async fn browse(&self, text: &str) -> u16 {
        let Ok(mut url) = Url::parse(text) else { return 0 };
        for _ in 0..20 {
            match url.scheme() {
                "http" => {}
                "https" | "ws" | "wss" => return self.tunnel(&url).await,
                _ => return 0,
            }
            // Browsers keep the user name to themselves.
            let _ = (url.set_username(""), url.set_password(None));
            url.set_fragment(None);
            let request = format!("GET {url} HTTP/1.1\r\nHost: site.test\r\nConnection: close\r\n\r\n");
            let answer = self.ask(request.as_bytes()).await;
            let location = answer.lines().find_map(|line| line.strip_prefix("Location: ")).unwrap_or_default();
            match (status(&answer), url.join(location)) {
                (301 | 302 | 303 | 307 | 308, Ok(next)) => url = next,
                (301 | 302 | 303 | 307 | 308, Err(_)) => return 0,
                (status, _) => return status,
            }
        }
        0
    }

    /// The status of a `CONNECT` to where `url` leads.
    async fn tunnel(&self, url: &Url) -> u16 {
        let (Some(host), Some(port)) = (url.host_str(), url.port_or_known_default()) else { return 0 };
        self.connect(&format!("{host}:{port}")).await
    }

    async fn connect(&self, target: &str) -> u16 {
        let request = format!("CONNECT {target} HTTP/1.1\r\nHost: site.test:443\r\n\r\nGET / HTTP/1.1\r\n\r\n");
        status(&self.ask(request.as_bytes()).await)
    }

    /// What the proxy says to these bytes, to the end of its first head at least.
    async fn ask(&self, request: &[u8]) -> String {
        let mut stream = TcpSocket::new_v4().unwrap().connect(self.proxy.address()).await.unwrap();
        let mut answer = Vec::new();
        let _ = stream.write_all(request).await;
        // A tunnel ends when both sides have said so; elsewhere the proxy takes
        // half an end for a whole one.
        if request.starts_with(b"CONNECT") {
            let _ = stream.shutdown().await;
        }
        timeout(Duration::from_secs(20), stream.read_to_end(&mut answer)).await.expect("the proxy closes").ok();
        String::from_utf8_lossy(&answer).into_owned()
    }
}

fn status(answer: &str) -> u16 {
    answer.split(' ').nth(1).and_then(|word| word.parse().ok()).unwrap_or(0)
}

async fn open_site(answer: Arc<Mutex<String>>) -> Origin {
    Origin::saying("127.0.0.2", move |head| {
        let current = answer.lock().unwrap().clone();
        if head.contains(" /ok") { OK.into() } else { current.into_bytes() }
    })
    .await
}

/// A forward proxy that would go anywhere, and notes where it was asked to.
async fn upstream_proxy(answer: Arc<Mutex<String>>, asked: Arc<Mutex<Vec<String>>>) -> Origin {
    Origin::saying("127.0.0.3", move |head| {
        let target = head.split(' ').nth(1).unwrap_or_default();
        let open = ["http://site.test/", "http://site.test./"].iter().find_map(|site| target.strip_prefix(site));
        match open {
            Some("ok") => OK.into(),
            Some(path) if path.starts_with("ok%0d") => OK.into(),
            Some(_) => answer.lock().unwrap().clone().into_bytes(),
            None => {
                asked.lock().unwrap().push(target.to_owned());
                OK.into()
            }
        }
    })
    .await
}

/// Whether a fetch, directly or through the upstream, ended as it must.
fn fetched_as(outcome: Outcome, through_upstream: bool, got: &Result<String, String>) -> bool {
    match (outcome, got) {
        (Outcome::Refused(reasons), Err(reason)) => reasons.contains(&reason.as_str()),
        (Outcome::Unresolved, Err(reason)) => !through_upstream && reason == "dns",
        (Outcome::Unresolved, Ok(_)) => through_upstream,
        (Outcome::LikeAProxy, got) if through_upstream => got.as_ref().is_err_and(|reason| reason == "refused"),
        (Outcome::Harmless | Outcome::LikeAProxy, got) => got.as_deref().is_ok_and(|body| matches!(body, "site" | "")),
        (Outcome::Refused(_), Ok(_)) => false,
    }
}

/// Whether a browser saw what it must: 0 is what it does not even ask for.
fn browsed_as(outcome: Outcome, status: u16) -> bool {
    match outcome {
        Outcome::Refused(_) | Outcome::Unresolved => status == 0 || status >= 400,
        Outcome::Harmless | Outcome::LikeAProxy => status != 0 && status != 403,
    }
}

/// The ways on which `case` did not end as it must.
async fn wrong_ways(range: &Range, case: &Case, tried: &mut usize) -> Vec<String> {
    let text = range.prepare(case);
    let through: Upstream = format!("http://u:p@{}", range.upstream.address).parse().unwrap();
    let (mut wrong, heard) = (Vec::new(), range.canary.connections());
    let mut judge = |way: &str, right: bool, got: String| {
        *tried += 1;
        if !right || range.canary.connections() > heard {
            wrong.push(format!("{way}: {case:?} ended with {got}"));
        }
    };
    let direct = range.fetch(None, &text).await;
    judge("fetch", fetched_as(case.outcome, false, &direct), format!("{direct:?}"));
    let proxied = range.fetch(Some(&through), &text).await;
    let asked = range.asked.lock().unwrap().clone();
    let right = fetched_as(case.outcome, true, &proxied) && (asked.is_empty() || case.outcome == Outcome::Unresolved);
    judge("upstream", right, format!("{proxied:?}, {asked:?}"));
    let status = range.browse(&text).await;
    judge("browser", browsed_as(case.outcome, status), status.to_string());
    if let (Attempt::Url(_), Ok(url)) = (&case.attempt, Url::parse(&text)) {
        let status = range.tunnel(&url).await;
        judge("tunnel", browsed_as(case.outcome, status), status.to_string());
    }
    // A program in the browser's place need not spell hosts as browsers do.
    if let Some(authority) = bare_authority(&text) {
        let status = range.connect(authority).await;
        judge("raw tunnel", browsed_as(case.outcome, status), status.to_string());
    }
    wrong
}

/// What stands between `http://` and `/` in an otherwise plain URL.
fn bare_authority(text: &str) -> Option<&str> {
    let authority = text.strip_prefix("http://")?.strip_suffix('/')?;
    let plain = !authority.contains(|letter: char| letter.is_control() || "/@#?\\ ".contains(letter));
    (plain && authority.contains(':')).then_some(authority)
}

#[tokio::test]
async fn no_case_gets_inside_on_any_way_out() {
    let range = Range::set_up().await;
    let cases = cases::all(range.canary.address.port());
    let blocked = cases.iter().filter(|case| !matches!(case.outcome, Outcome::Harmless | Outcome::LikeAProxy)).count();
    let (mut wrong, mut right, mut tried) = (Vec::new(), 0, 0);
    for case in &cases {
        let ways = wrong_ways(&range, case, &mut tried).await;
        right += usize::from(ways.is_empty());
        wrong.extend(ways);
    }
    let hits = range.canary.connections();
    println!("{right} of {} cases ({blocked} to be blocked), {tried} attempts, {hits} canary hits", cases.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(blocked >= 160, "{blocked} cases are to be blocked");
    assert_eq!(hits, 0);
}

#[tokio::test]
async fn the_canary_hears_every_address_of_this_machine() {
    let canary = Origin::canary().await;
    for (heard, ip) in ["127.0.0.1", "127.0.0.9", "0.0.0.0", "::1"].into_iter().enumerate() {
        let socket = std::net::SocketAddr::new(ip.parse().unwrap(), canary.address.port());
        let dialler = if socket.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() };
        let mut stream = dialler.unwrap().connect(socket).await.unwrap();
        stream.write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
        let mut song = String::new();
        stream.read_to_string(&mut song).await.unwrap();
        assert!(song.ends_with("the canary sings"));
        assert_eq!(canary.connections(), heard + 1);
    }
}

/// Resolved and judged, never dialled: these addresses are other people's.
#[tokio::test]
async fn what_is_public_stays_open() {
    let range = Range::set_up().await;
    let (mut allowed, mut refused) = (0, Vec::new());
    for host in cases::PUBLIC_HOSTS.iter().chain(zone::PUBLIC_NAMES) {
        for port in [80, 443, 1024, 8080, 8443, 65535] {
            let url: Url = format!("http://{host}:{port}/").parse().unwrap();
            let checked = range.egress.check_url(&url);
            let resolved = range.egress.resolve(url.host_str().unwrap(), port).await;
            match (checked, resolved) {
                (Ok(()), Ok(sockets)) if sockets.iter().all(|socket| socket.port() == port) => allowed += 1,
                other => refused.push(format!("{url}: {other:?}")),
            }
        }
    }
    println!("{} hosts, {allowed} of {} allowed", allowed / 6, allowed + refused.len());
    assert!(refused.is_empty(), "{}", refused.join("\n"));
    assert!(allowed / 6 >= 12);
}

#[tokio::test]
async fn requests_that_mean_two_things_lead_to_the_open_site_or_nowhere() {
    let range = Range::set_up().await;
    let port = range.canary.address.port().to_string();
    let mut wrong = Vec::new();
    for (request, statuses) in SMUGGLED {
        let answer = range.ask(request.replace("{port}", &port).as_bytes()).await;
        let got: Vec<u16> = answer.match_indices("HTTP/1.").map(|(at, _)| status(&answer[at..])).collect();
        if got != *statuses || range.canary.connections() > 0 {
            wrong.push(format!("{request:?} got {got:?}, not {statuses:?}"));
        }
    }
    println!("{} of {} requests", SMUGGLED.len() - wrong.len(), SMUGGLED.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
