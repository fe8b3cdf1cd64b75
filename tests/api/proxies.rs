//! The proxy ladder through the whole application, over tinyproxy and
//! microsocks.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::sync::{Arc, Mutex};

use actix_web::{App, HttpRequest, HttpResponse, HttpServer, web};
use actors::key_ring::Plan;
use actors::proxy_escalator::testing::Proxy;

use crate::helpers::{Reply, TestApp};

const DIRECT: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// A site that refuses those who come without a proxy, and notes who came for
/// what. It ends with the test's runtime.
struct PickySite {
    address: SocketAddr,
    seen: Arc<Mutex<Vec<(IpAddr, String)>>>,
}

impl PickySite {
    fn start() -> Self {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let noted = web::Data::from(seen.clone());
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("it is bound");
        let server = HttpServer::new(move || App::new().app_data(noted.clone()).default_service(web::to(answer)));
        actix_web::rt::spawn(server.workers(1).disable_signals().listen(listener).expect("listening").run());
        Self { address, seen }
    }

    /// Who came for `path` since the last look, at whatever path.
    fn visitors(&self, path: &str) -> Vec<IpAddr> {
        let seen = std::mem::take(&mut *self.seen.lock().expect("not poisoned"));
        seen.into_iter().filter(|(_, asked)| asked == path).map(|(peer, _)| peer).collect()
    }
}

async fn answer(request: HttpRequest, seen: web::Data<Mutex<Vec<(IpAddr, String)>>>) -> HttpResponse {
    let peer = request.peer_addr().expect("it has a peer").ip();
    seen.lock().expect("not poisoned").push((peer, request.path().to_owned()));
    match request.path() {
        _ if peer == DIRECT => HttpResponse::Forbidden().content_type("text/html").body("<title>No</title>Go away."),
        "/text" => HttpResponse::Ok().content_type("text/plain").body("plain words"),
        _ => HttpResponse::Ok().content_type("text/html; charset=utf-8").body(
            "<!doctype html><title>Picky</title><script>document.title += ', and awake'</script><p>Welcome, proxy.",
        ),
    }
}

async fn scrape(app: &TestApp, site: &PickySite, path: &str, more: &str) -> Reply {
    let user = app.key(Plan::Pro, 10).await;
    app.get(&format!("/v1/web/scrape/html?url=http://{}{path}{more}", site.address), &user.key).await
}

fn title(reply: &Reply) -> String {
    assert_eq!(reply.status, 200, "{}", reply.text);
    reply.json()["data"]["metadata"]["title"].as_str().unwrap_or_default().to_owned()
}

#[actix_web::test]
async fn a_page_refused_directly_is_rendered_through_the_proxy_and_the_host_is_remembered() {
    let (proxy, site) = (Proxy::tinyproxy(), PickySite::start());
    let app = TestApp::start_with(&[("PROXY_DATACENTER_URL", &proxy.url())]).await;
    assert_eq!(title(&scrape(&app, &site, "/a", "").await), "Picky, and awake");
    assert_eq!(site.visitors("/a"), [DIRECT, proxy.ip()]);
    assert!(proxy.log().contains(&format!("GET http://{}/a", site.address)), "{}", proxy.log());
    assert_eq!(title(&scrape(&app, &site, "/b", "").await), "Picky, and awake");
    assert_eq!(site.visitors("/b"), [proxy.ip()], "the browser begins where it was served");
    assert_eq!(title(&scrape(&app, &site, "/c", "&javascript=false").await), "Picky");
    assert_eq!(site.visitors("/c"), [proxy.ip()], "and so does a plain fetch");
    let text = scrape(&app, &site, "/text", "").await;
    assert_eq!(text.json()["data"]["html"], "plain words", "{}", text.text);
}

#[actix_web::test]
async fn a_browser_climbs_past_a_proxy_that_refuses_and_one_that_hangs() {
    let (refusing, socks, site) = (Proxy::tinyproxy(), Proxy::microsocks(), PickySite::start());
    let hanging = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let hanging_url = format!("http://{}", hanging.local_addr().expect("it is bound"));
    for datacenter in [refusing.url_as("http", "user:wrong@"), hanging_url] {
        let app = TestApp::start_with(&[
            ("PROXY_DATACENTER_URL", &datacenter),
            ("PROXY_RESIDENTIAL_URL", &socks.url()),
            ("PROXY_MAX_RETRIES_PER_TIER", "0"),
            ("PROXY_REQUEST_TIMEOUT", "3000"),
        ])
        .await;
        assert_eq!(title(&scrape(&app, &site, "/a", "").await), "Picky, and awake", "{datacenter}");
        assert_eq!(site.visitors("/a"), [DIRECT, socks.ip()], "{datacenter}");
    }
}

#[actix_web::test]
async fn when_every_tier_fails_the_client_learns_of_the_last_and_of_no_proxy() {
    let (socks, site) = (Proxy::microsocks(), PickySite::start());
    let app = TestApp::start_with(&[
        ("PROXY_ISP_URL", &socks.url_as("socks5", "user:hunter2@")),
        ("PROXY_MAX_RETRIES_PER_TIER", "1"),
    ])
    .await;
    for more in ["", "&javascript=false"] {
        let reply = scrape(&app, &site, "/a", more).await;
        assert_eq!((reply.status, reply.detail("reason").as_str()), (502, "refused"), "{}", reply.text);
        assert!(!reply.text.contains("hunter2") && !reply.text.contains(&socks.ip().to_string()), "{}", reply.text);
        assert_eq!(site.visitors("/a"), [DIRECT]);
    }
}

#[actix_web::test]
async fn without_a_proxy_a_page_has_all_the_time_that_the_client_gives() {
    let app = TestApp::start_with(&[("PROXY_REQUEST_TIMEOUT", "200")]).await;
    let user = app.key(Plan::Pro, 10).await;
    for more in ["&javascript=false", ""] {
        let reply = app.scrape("html", "/slow", more, &user).await;
        assert_eq!(reply.status, 200, "the page takes 700 ms: {}", reply.text);
    }
}
