//! Sites that do harm, seen from the outside: what the caller is told, what it
//! costs, and whether the service is well afterwards.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

use actors::key_ring::Plan;

use crate::helpers::TestApp;

/// Serves each connection on a thread of its own with `behave`, which gets the
/// path that was asked for.
fn origin(behave: fn(&mut TcpStream, &str)) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("bound");
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            std::thread::spawn(move || {
                let head = read_head(&mut stream);
                behave(&mut stream, &head);
                let _ = stream.shutdown(std::net::Shutdown::Write);
                let _ = stream.read_to_end(&mut Vec::new());
            });
        }
    });
    address
}

/// The head of a request, or the first byte of a TLS handshake.
fn read_head(stream: &mut TcpStream) -> String {
    let (mut head, mut byte) = (Vec::new(), [0]);
    while !head.ends_with(b"\r\n\r\n") && head != b"\x16" && stream.read_exact(&mut byte).is_ok() {
        head.push(byte[0]);
    }
    String::from_utf8_lossy(&head).into_owned()
}

/// Goes on with `piece` until the other side has had enough.
fn endlessly(stream: &mut TcpStream, piece: &[u8], pause: Duration) {
    while stream.write_all(piece).is_ok() {
        if !pause.is_zero() {
            let _ = stream.set_read_timeout(Some(pause));
            if matches!(stream.read(&mut [0]), Ok(0)) {
                return;
            }
        }
    }
}

fn harm(stream: &mut TcpStream, head: &str) {
    let ok = |rest: &str| format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n{rest}");
    let path = head.split(' ').nth(1).unwrap_or_default();
    let answer = match path {
        "/endless" => {
            let _ = stream.write_all(ok("\r\n").as_bytes());
            return endlessly(stream, &[b'x'; 65_536], Duration::ZERO);
        }
        "/drip" => {
            let _ = stream.write_all(ok("Content-Length: 1000\r\n\r\n").as_bytes());
            return endlessly(stream, b"x", Duration::from_millis(100));
        }
        "/drip-head" => return endlessly(stream, b"H", Duration::from_millis(100)),
        "/half" => ok("Content-Length: 1000\r\n\r\nhalf"),
        "/chunk" => ok("Transfer-Encoding: chunked\r\n\r\n10\r\nhalf"),
        "/lengths" => ok("Content-Length: 4\r\nContent-Length: 5\r\n\r\nhalfs"),
        "/headers" => ok(&format!("{}\r\n", "X: y\r\n".repeat(10_000))),
        "/header" => ok(&format!("X: {}\r\n\r\n", "y".repeat(1_000_000))),
        "/old" => "<html>HTTP/0.9</html>".to_owned(),
        "/coding" => ok("Content-Encoding: gzip\r\nContent-Length: 4\r\n\r\nhalf"),
        "/codings" => ok("Content-Encoding: gzip, gzip, gzip\r\nContent-Length: 4\r\n\r\nhalf"),
        "/length" => ok("Content-Length: 40000000000\r\n\r\n"),
        "/wall" if !head.contains("cookie: seen=1") => {
            "HTTP/1.1 302 Found\r\nLocation: /wall\r\nSet-Cookie: seen=1\r\nContent-Length: 0\r\n\r\n".to_owned()
        }
        _ => ok("Content-Length: 9\r\n\r\n<p>well.\n"),
    };
    let _ = stream.write_all(answer.as_bytes());
}

#[actix_web::test]
async fn a_harmful_site_costs_its_caller_nothing_and_the_service_no_health() {
    let (site, closed) = (origin(harm), origin(|_, _| {}));
    let hosts = format!("harm.test={site},harm.test:443={site},closed.test={closed}");
    let app = TestApp::start_with(&[("EGRESS_HOSTS", &hosts)]).await;
    let user = app.key(Plan::Pro, 50).await;
    let asked = [
        ("http://harm.test/endless", "too_large"),
        ("http://harm.test/length", "too_large"),
        ("http://harm.test/headers", "too_large"),
        ("http://harm.test/header", "too_large"),
        ("http://harm.test/drip", "timeout"),
        ("http://harm.test/drip-head", "timeout"),
        ("http://harm.test/half", "refused"),
        ("http://harm.test/chunk", "refused"),
        ("http://harm.test/lengths", "refused"),
        ("http://harm.test/old", "refused"),
        ("http://harm.test/coding", "content_type"),
        ("http://harm.test/codings", "content_type"),
        ("http://closed.test/", "refused"),
        ("https://harm.test/", "tls"),
    ];
    let requests = asked.map(|(url, reason)| {
        let path = format!("/v1/web/scrape/html?url={url}&javascript=false&timeout=5000");
        let (app, user) = (&app, &user);
        async move { (url, reason, app.get(&path, &user.key).await) }
    });
    for (url, reason, reply) in futures::future::join_all(requests).await {
        assert_eq!(reply.status, 502, "{url}: {}", reply.text);
        assert_eq!((reply.code().as_str(), reply.detail("reason").as_str()), ("WEBSITE_ACCESS_ERROR", reason), "{url}");
        assert_eq!(reply.header("x-credits-used"), "0", "{url}");
    }
    let balance = app.balance(&user).await;
    assert_eq!((balance.balance, balance.held), (50, 0), "nothing is charged and nothing held");
    for path in ["/well", "/wall"] {
        let reply =
            app.get(&format!("/v1/web/scrape/html?url=http://harm.test{path}&javascript=false"), &user.key).await;
        assert_eq!(reply.status, 200, "{path}: {}", reply.text);
        assert!(reply.json()["data"]["html"].as_str().is_some_and(|html| html.contains("well.")), "{path}");
    }
    assert_eq!(app.balance(&user).await.available(), 48);
    assert_eq!(app.get("/readyz", "").await.status, 200);
}
