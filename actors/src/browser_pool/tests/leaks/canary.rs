use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use tokio::task::JoinSet;

const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\naccess-control-allow-origin: *\r\n\
                        content-length: 2\r\nconnection: close\r\n\r\nok";

/// Listeners for TCP and UDP on one port of every loopback address there is,
/// which note whatever comes.
pub(super) struct Canary {
    pub port: u16,
    hits: Arc<Mutex<BTreeMap<String, usize>>>,
    _listening: JoinSet<()>,
}

impl Canary {
    pub async fn start() -> Self {
        for _ in 0..20 {
            if let Some(canary) = Self::try_start().await {
                return canary;
            }
        }
        panic!("no port is free for TCP and UDP on both families");
    }

    async fn try_start() -> Option<Self> {
        let v4 = TcpListener::bind("127.0.0.1:0").await.ok()?;
        let port = v4.local_addr().ok()?.port();
        let (hits, mut listening) = (Arc::default(), JoinSet::new());
        listening.spawn(accept(v4, Arc::clone(&hits)));
        listening.spawn(receive(UdpSocket::bind(("127.0.0.1", port)).await.ok()?, Arc::clone(&hits)));
        // A machine may have no IPv6; then nothing can be reached there either.
        if UdpSocket::bind("[::1]:0").await.is_ok() {
            let v6: SocketAddr = format!("[::1]:{port}").parse().ok()?;
            listening.spawn(accept(TcpListener::bind(v6).await.ok()?, Arc::clone(&hits)));
            listening.spawn(receive(UdpSocket::bind(v6).await.ok()?, Arc::clone(&hits)));
        }
        Some(Self { port, hits, _listening: listening })
    }

    /// What came, by what it asked for (`tcp` and `udp` when it named nothing),
    /// with how often.
    pub fn hits(&self) -> BTreeMap<String, usize> {
        self.hits.lock().expect("nobody panicked").clone()
    }
}

type Hits = Arc<Mutex<BTreeMap<String, usize>>>;

fn note(hits: &Hits, what: String) {
    *hits.lock().expect("nobody panicked").entry(what).or_default() += 1;
}

async fn accept(listener: TcpListener, hits: Hits) {
    while let Ok((stream, _)) = listener.accept().await {
        tokio::spawn(answer(stream, hits.clone()));
    }
}

async fn answer(mut stream: TcpStream, hits: Hits) {
    // A connection counts, also one that says nothing.
    note(&hits, "tcp".to_owned());
    let mut request = [0; 2048];
    let Ok(length) = stream.read(&mut request).await else { return };
    let text = String::from_utf8_lossy(&request[..length]).into_owned();
    if let Some(path) = text.split(' ').nth(1).and_then(|path| path.strip_prefix('/')) {
        note(&hits, path.to_owned());
    }
    let _ = stream.write_all(ANSWER).await;
}

async fn receive(socket: UdpSocket, hits: Hits) {
    let mut datagram = [0; 2048];
    while socket.recv_from(&mut datagram).await.is_ok() {
        note(&hits, "udp".to_owned());
    }
}
