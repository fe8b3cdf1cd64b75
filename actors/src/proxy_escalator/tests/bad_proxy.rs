//! Proxies that do not do their work.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// A listener with a line for each thing that it is told, whatever it is told.
pub(super) struct BadProxy {
    pub address: SocketAddr,
    heard: Arc<Mutex<Vec<Vec<u8>>>>,
    accepting: JoinHandle<()>,
}

impl BadProxy {
    /// Closes each connection at once.
    pub(super) async fn closing() -> Self {
        Self::start(&[], false).await
    }

    /// Accepts and never says a word.
    pub(super) async fn hanging() -> Self {
        Self::start(&[], true).await
    }

    /// Refuses with 403, tunnels included, in its own name.
    pub(super) async fn forbidding() -> Self {
        Self::start(&[b"HTTP/1.1 403 Filtered\r\nContent-Length: 8\r\nConnection: close\r\n\r\nfiltered"], true).await
    }

    /// Takes a SOCKS5 request without credentials and opens no connection.
    pub(super) async fn unwilling_socks() -> Self {
        Self::start(&[b"\x05\x00", b"\x05\x02\x00\x01\x00\x00\x00\x00\x00\x00"], true).await
    }

    async fn start(lines: &'static [&'static [u8]], stays: bool) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let heard = Arc::new(Mutex::new(Vec::new()));
        let noted = heard.clone();
        let accepting = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                if stays {
                    tokio::spawn(listen_and_answer(stream, lines, noted.clone()));
                }
            }
        });
        Self { address, heard, accepting }
    }

    pub(super) fn url(&self, scheme: &str) -> String {
        format!("{scheme}://{}", self.address)
    }

    /// What each connection said.
    pub(super) fn heard(&self) -> Vec<Vec<u8>> {
        self.heard.lock().unwrap().clone()
    }
}

impl Drop for BadProxy {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn listen_and_answer(mut stream: TcpStream, lines: &[&[u8]], heard: Arc<Mutex<Vec<Vec<u8>>>>) {
    let index = {
        let mut heard = heard.lock().unwrap();
        heard.push(Vec::new());
        heard.len() - 1
    };
    let (mut bytes, mut lines) = ([0; 1024], lines.iter());
    while let Ok(length @ 1..) = stream.read(&mut bytes).await {
        heard.lock().unwrap()[index].extend_from_slice(&bytes[..length]);
        if let Some(line) = lines.next() {
            let _ = stream.write_all(line).await;
        }
    }
}
