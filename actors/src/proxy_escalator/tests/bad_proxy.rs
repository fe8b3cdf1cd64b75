//! Proxies that do not do their work.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
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
            while let Ok((mut stream, _)) = listener.accept().await {
                let index = {
                    let mut noted = noted.lock().unwrap();
                    noted.push(Vec::new());
                    noted.len() - 1
                };
                let noted = noted.clone();
                tokio::spawn(async move {
                    let (mut bytes, mut lines) = ([0; 1024], lines.iter());
                    if !stays {
                        return;
                    }
                    loop {
                        match stream.read(&mut bytes).await {
                            Ok(0) | Err(_) => return,
                            Ok(length) => noted.lock().unwrap()[index].extend_from_slice(&bytes[..length]),
                        }
                        if let Some(line) = lines.next() {
                            let _ = stream.write_all(line).await;
                        }
                    }
                });
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
