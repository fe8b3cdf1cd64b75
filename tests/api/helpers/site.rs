use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use actix_web::http::StatusCode;
use actix_web::http::header::{CONTENT_TYPE, LOCATION};
use actix_web::{App, HttpResponse, HttpServer, web};

const ARTICLE: &str = include_str!("article.html");

/// A site on loopback with a page for every kind of trouble. Counts what it is
/// asked for.
pub struct TestSite {
    address: SocketAddr,
    requests: Arc<AtomicUsize>,
}

impl TestSite {
    /// Starts the site; redirects to trouble lead to `canary`.
    pub fn start(canary: SocketAddr) -> Self {
        let requests = Arc::new(AtomicUsize::new(0));
        let counter = requests.clone();
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("bound");
        let server = HttpServer::new(move || {
            let counter = counter.clone();
            App::new().app_data(web::Data::new(canary)).default_service(web::to(
                move |request: actix_web::HttpRequest, canary: web::Data<SocketAddr>| {
                    counter.fetch_add(1, Ordering::Relaxed);
                    async move { answer(request.path(), **canary).await }
                },
            ))
        });
        let server = server.workers(1).disable_signals().listen(listener).expect("listening").run();
        actix_web::rt::spawn(server);
        Self { address, requests }
    }

    /// Where the site listens, for `EGRESS_HOSTS`.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Requests so far.
    pub fn requests(&self) -> usize {
        self.requests.load(Ordering::Relaxed)
    }
}

async fn answer(path: &str, canary: SocketAddr) -> HttpResponse {
    let html =
        |body: &str| HttpResponse::Ok().insert_header((CONTENT_TYPE, "text/html; charset=utf-8")).body(body.to_owned());
    match path {
        "/article" => html(ARTICLE),
        "/scripted" => html(SCRIPTED),
        "/late" => html(LATE),
        "/missing" => HttpResponse::NotFound().content_type("text/html").body("<title>Gone</title><p>Nothing here."),
        "/latin1" => HttpResponse::Ok()
            .insert_header((CONTENT_TYPE, "text/html; charset=iso-8859-1"))
            .body(b"<title>Caf\xe9</title><article><p>Un caf\xe9 cr\xe8me, s'il vous pla\xeet, dit-elle au gar\xe7on du caf\xe9.</p></article>".to_vec()),
        "/plain" => HttpResponse::Ok().insert_header((CONTENT_TYPE, "text/plain")).body("just *text*\n"),
        "/json" => HttpResponse::Ok().json(serde_json::json!({ "a": 1 })),
        "/pdf" => HttpResponse::Ok().content_type("application/pdf").body(b"%PDF-1.7\n\x00\x01".to_vec()),
        "/large" => html(&"<p>large</p>".repeat(2_000_000)),
        "/hang" => {
            tokio::time::sleep(Duration::from_secs(60)).await;
            html("too late")
        }
        "/slow" => {
            tokio::time::sleep(Duration::from_millis(700)).await;
            html(ARTICLE)
        }
        "/loop" => HttpResponse::Found().insert_header((LOCATION, "/loop")).finish(),
        "/moved" => HttpResponse::build(StatusCode::MOVED_PERMANENTLY).insert_header((LOCATION, "/article")).finish(),
        "/to-canary" => HttpResponse::Found().insert_header((LOCATION, format!("http://{canary}/secret"))).finish(),
        "/to-file" => HttpResponse::Found().insert_header((LOCATION, "file:///etc/passwd")).finish(),
        "/reaches-in" => html(&REACHES_IN.replace("CANARY", &canary.to_string())),
        "/walks-in" => html(&format!("<p>wait</p><script>location.href = 'http://{canary}/secret'</script>")),
        _ => HttpResponse::NotFound().finish(),
    }
}

const SCRIPTED: &str = r#"<!doctype html><html lang="en"><title>Scripted</title><body><main id="app"></main>
<script>
  document.getElementById('app').innerHTML =
    '<article><h1>Made by script</h1><p>This sentence was not in the source of the page, it was written by a script that ran in a browser.</p></article>';
</script></body></html>"#;

const LATE: &str = r#"<!doctype html><title>Late</title><body><p>Early text.</p>
<script>setTimeout(() => { const p = document.createElement('p'); p.id = 'late'; p.textContent = 'Late text.'; document.body.append(p); }, 600);</script>
</body>"#;

const REACHES_IN: &str = r#"<!doctype html><title>Reaches in</title><body><p>The page itself is fine.</p>
<img src="http://CANARY/img"><iframe src="http://CANARY/frame"></iframe><script src="http://CANARY/script"></script>
<link rel="stylesheet" href="http://CANARY/style">
<script>
  fetch('http://CANARY/fetch').catch(() => {});
  navigator.sendBeacon('http://CANARY/beacon');
  new WebSocket('ws://CANARY/socket');
  new EventSource('http://CANARY/events');
</script></body>"#;

/// A listener that must never be reached.
pub struct Canary {
    address: SocketAddr,
    hits: Arc<AtomicUsize>,
}

impl Canary {
    /// Starts listening.
    pub async fn start() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.2:0").await.expect("a free port");
        let address = listener.local_addr().expect("bound");
        let hits = Arc::new(AtomicUsize::new(0));
        let counter = hits.clone();
        actix_web::rt::spawn(async move {
            while listener.accept().await.is_ok() {
                counter.fetch_add(1, Ordering::Relaxed);
            }
        });
        Self { address, hits }
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Connections so far.
    pub fn hits(&self) -> usize {
        self.hits.load(Ordering::Relaxed)
    }
}
