use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// A server without manners: it does what it is told with each connection,
/// counts them, and ends with the value.
pub(crate) struct Origin {
    pub address: SocketAddr,
    connections: Arc<AtomicUsize>,
    accepting: JoinHandle<()>,
}

impl Origin {
    /// Listens on a free port of `ip` and gives each connection to `behave`.
    pub(crate) async fn start<F, R>(ip: &str, behave: F) -> Self
    where
        F: Fn(TcpStream) -> R + Send + Sync + 'static,
        R: Future<Output = ()> + Send + 'static,
    {
        Self::at(TcpListener::bind((ip, 0)).await.expect("a loopback port is free"), behave)
    }

    /// As [`Origin::start`], on a socket that is bound already.
    pub(crate) fn at<F, R>(listener: TcpListener, behave: F) -> Self
    where
        F: Fn(TcpStream) -> R + Send + Sync + 'static,
        R: Future<Output = ()> + Send + 'static,
    {
        let address = listener.local_addr().expect("it is bound");
        let connections = Arc::new(AtomicUsize::new(0));
        let counter = connections.clone();
        let accepting = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                counter.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(behave(stream));
            }
        });
        Self { address, connections, accepting }
    }

    /// Answers each connection with what `answer` says to the head of its first
    /// request, and ends it.
    pub(crate) async fn saying<F>(ip: &str, answer: F) -> Self
    where
        F: Fn(&str) -> Vec<u8> + Send + Sync + 'static,
    {
        let answer = Arc::new(answer);
        Self::start(ip, move |mut stream| {
            let answer = answer.clone();
            async move {
                let head = read_head(&mut stream).await;
                say(&mut stream, &answer(&head)).await;
            }
        })
        .await
    }

    /// A server on every address of this machine that nobody should reach.
    pub(crate) async fn canary() -> Self {
        let listener = TcpListener::bind("[::]:0").await.expect("a port is free");
        Self::at(listener, |mut stream| async move {
            read_head(&mut stream).await;
            say(&mut stream, b"HTTP/1.1 200 OK\r\nContent-Length: 16\r\n\r\nthe canary sings").await;
        })
    }

    /// Connections accepted so far.
    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

impl Drop for Origin {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

/// What comes before the first empty line, or before the end.
pub(crate) async fn read_head(stream: &mut TcpStream) -> String {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read_u8().await {
            Ok(byte) => head.push(byte),
            Err(_) => break,
        }
    }
    String::from_utf8_lossy(&head).into_owned()
}

/// Writes `bytes`, says that this was all, and waits for the other side to
/// leave: closing with something unread would reset the answer away.
pub(crate) async fn say(stream: &mut TcpStream, bytes: &[u8]) {
    let _ = stream.write_all(bytes).await;
    let _ = stream.shutdown().await;
    let _ = tokio::io::copy(stream, &mut tokio::io::sink()).await;
}
