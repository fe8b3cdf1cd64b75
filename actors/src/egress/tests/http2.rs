//! Frames that no honest server sends.

use std::sync::Arc;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::server::TlsStream;

use super::tls::{Authority, serve};
use super::*;
use crate::egress::testing::NameServer;

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const PUSH_PROMISE: u8 = 5;
const PING: u8 = 6;
const GOAWAY: u8 = 7;
const WINDOW_UPDATE: u8 = 8;
const CONTINUATION: u8 = 9;

const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;
/// `:status: 200` in HPACK's static table.
const STATUS_200: &[u8] = &[0x88];

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

/// A header `x: v…` that is kept in no table, with a value of `length` bytes.
fn literal_header(length: usize) -> Vec<u8> {
    let mut block = vec![0x00, 0x01, b'x', 0x7f];
    let mut rest = length - 127;
    while rest >= 128 {
        block.push(u8::try_from(rest % 128).unwrap() | 0x80);
        rest /= 128;
    }
    block.push(u8::try_from(rest).unwrap());
    block.resize(block.len() + length, b'v');
    block
}

/// What a server says to a request: once, and then for ever.
#[derive(Clone, Default)]
struct Script {
    once: Vec<u8>,
    again: Vec<u8>,
}

/// Speaks HTTP/2 until a request is there, then plays the script.
async fn play(mut stream: TlsStream<TcpStream>, script: Arc<Script>) {
    let mut preface = [0; 24];
    if stream.read_exact(&mut preface).await.is_err() {
        return;
    }
    let _ = stream.write_all(&frame(SETTINGS, 0, 0, &[])).await;
    loop {
        let mut head = [0; 9];
        if stream.read_exact(&mut head).await.is_err() {
            return;
        }
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]) as usize;
        let _ = stream.read_exact(&mut vec![0; length]).await;
        if head[3] == HEADERS {
            break;
        }
    }
    let (mut reader, mut writer) = tokio::io::split(stream);
    // What the client answers must not pile up on its side.
    let drain = tokio::spawn(async move { tokio::io::copy(&mut reader, &mut tokio::io::sink()).await });
    let mut alive = writer.write_all(&script.once).await.is_ok();
    while alive && !script.again.is_empty() {
        alive = writer.write_all(&script.again).await.is_ok();
    }
    let _ = writer.flush().await;
    let _ = drain.await;
}

/// The way out to servers at any port of `shop.test`, over HTTP/2.
struct Visitor {
    authority: Authority,
    egress: Egress,
    _names: NameServer,
}

impl Visitor {
    async fn new() -> Self {
        let authority = Authority::new("the test's");
        // A mapped host would be spoken to in HTTP/1.1.
        let names = NameServer::start(&[("shop.test", &["127.0.0.2"])]).await;
        let mut config = config("127.0.0.2/32", "");
        config.nameservers = vec![names.address];
        config.ca_cert_pem = Some(authority.pem.clone().into_bytes());
        Self { authority, egress: Egress::new(config).unwrap(), _names: names }
    }

    /// Fetches from a server that plays `script`; also the connections it took.
    async fn fetch(&self, script: Script, deadline: Duration) -> (Result<Fetched, EgressError>, usize) {
        let script = Arc::new(script);
        let acceptor = self.authority.acceptor("shop.test", &[b"h2"], |_| {});
        let site = serve(acceptor, move |stream| play(stream, script.clone())).await;
        let url = format!("https://shop.test:{}/", site.address.port());
        (get_until(&self.egress, &url, deadline).await, site.connections())
    }
}

fn once(frames: &[Vec<u8>]) -> Script {
    Script { once: frames.concat(), again: Vec::new() }
}

fn forever(once: Vec<u8>, again: Vec<u8>) -> Script {
    Script { once, again: again.repeat(64) }
}

#[tokio::test]
async fn an_honest_server_is_read_over_http2() {
    let large = [STATUS_200, &literal_header(60_000)].concat();
    let pieces: Vec<&[u8]> = large.chunks(16_000).collect();
    let mut block = vec![frame(HEADERS, 0, 1, pieces[0])];
    let last = pieces.len() - 1;
    for (index, piece) in pieces.iter().enumerate().skip(1) {
        block.push(frame(CONTINUATION, if index == last { END_HEADERS } else { 0 }, 1, piece));
    }
    let body = frame(DATA, END_STREAM, 1, b"site");
    let visitor = Visitor::new().await;
    for head in [frame(HEADERS, END_HEADERS, 1, STATUS_200), block.concat()] {
        let (ended, connections) = visitor.fetch(once(&[head, body.clone()]), Duration::from_secs(20)).await;
        assert_eq!((&ended.unwrap().body[..], connections), (&b"site"[..], 1));
    }
}

#[tokio::test]
async fn frames_against_the_rules_end_the_fetch_with_a_reason() {
    let head = frame(HEADERS, END_HEADERS, 1, STATUS_200);
    let huge = forever(frame(HEADERS, 0, 1, STATUS_200), frame(CONTINUATION, 0, 1, &[0x00; 0]));
    let giant: Vec<u8> = literal_header(1_000_000)
        .chunks(16_000)
        .map(|piece| frame(CONTINUATION, 0, 1, piece))
        .collect::<Vec<_>>()
        .concat();
    let reset = |code: u32| frame(RST_STREAM, 0, 1, &code.to_be_bytes());
    let go_away = |last: u32, code: u32| frame(GOAWAY, 0, 0, &[last.to_be_bytes(), code.to_be_bytes()].concat());
    let scripts = [
        ("reset: cancel", once(&[reset(8)]), "refused"),
        // The request is sent again, and nothing comes of it.
        ("reset: refused", once(&[reset(7)]), "timeout"),
        ("reset: calm down", once(&[reset(11)]), "refused"),
        ("a storm of resets", forever(head.clone(), reset(8)), "refused"),
        ("reset in the body", once(&[head.clone(), frame(DATA, 0, 1, b"be"), reset(2)]), "refused"),
        ("go away", once(&[go_away(0, 0)]), "refused"),
        ("a storm of go away", forever(go_away(1, 0), go_away(1, 0)), "timeout"),
        ("go away in the body", once(&[head.clone(), frame(DATA, 0, 1, b"be"), go_away(1, 1)]), "timeout"),
        ("continuations without end", huge, "refused"),
        (
            "a giant head",
            Script { once: [frame(HEADERS, 0, 1, STATUS_200), giant].concat(), ..Script::default() },
            "refused",
        ),
        ("a storm of settings", forever(Vec::new(), frame(SETTINGS, 0, 0, &[])), "timeout"),
        ("a storm of pings", forever(Vec::new(), frame(PING, 0, 0, &[0; 8])), "timeout"),
        ("empty data without end", forever(head.clone(), frame(DATA, 0, 1, &[])), "refused"),
        ("window too wide", once(&[frame(WINDOW_UPDATE, 0, 0, &[0x7f, 0xff, 0xff, 0xff])]), "refused"),
        ("data nobody asked for", once(&[frame(DATA, 0, 9, b"what")]), "refused"),
        ("a push", once(&[frame(PUSH_PROMISE, END_HEADERS, 1, &[0, 0, 0, 2, 0x82])]), "refused"),
        ("a frame over the limit", once(&[head.clone(), frame(DATA, 0, 1, &vec![0; 100_000])]), "refused"),
        ("bad compression", once(&[frame(HEADERS, END_HEADERS, 1, &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff])]), "refused"),
        ("no status", once(&[frame(HEADERS, END_HEADERS, 1, &literal_header(127))]), "refused"),
        ("HTTP/1.1 after all", Script { once: b"HTTP/1.1 200 OK\r\n\r\n".to_vec(), ..Script::default() }, "refused"),
        ("nothing", Script::default(), "timeout"),
    ];
    let visitor = Visitor::new().await;
    let mut wrong = Vec::new();
    for (name, script, reason) in &scripts {
        let deadline = Duration::from_millis(if *reason == "timeout" { 600 } else { 20_000 });
        let (ended, connections) = visitor.fetch(script.clone(), deadline).await;
        let ended = ended.map(|page| page.body.len()).map_err(|error| error.reason());
        if ended != Err(*reason) || !(1..=3).contains(&connections) {
            wrong.push(format!("{name}: {ended:?} over {connections} connections, not {reason}"));
        }
    }
    println!("{} of {} scripts", scripts.len() - wrong.len(), scripts.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
