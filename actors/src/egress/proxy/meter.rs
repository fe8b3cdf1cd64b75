use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use super::session::Session;
use crate::egress::EgressError;

/// Bytes that a browser context may still receive.
pub(super) struct Budget {
    limit: u64,
    used: AtomicU64,
}

impl Budget {
    pub(super) fn new(limit: u64) -> Self {
        Self { limit, used: AtomicU64::new(0) }
    }

    /// Whether more than the limit has been received.
    pub(super) fn is_exhausted(&self) -> bool {
        self.used.load(Ordering::Relaxed) > self.limit
    }

    /// Counts `bytes`; false when they are beyond the limit.
    fn spend(&self, bytes: u64) -> bool {
        self.used.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes) <= self.limit
    }
}

/// A connection to a site (or to the upstream proxy), whose reads are counted
/// against the session's budget and fail beyond it.
pub(super) struct Metered {
    pub stream: TcpStream,
    pub session: Arc<Session>,
    /// Whose bytes they are, for the refusal.
    pub host: String,
}

impl AsyncRead for Metered {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;
        let received = (buffer.filled().len() - before) as u64;
        if self.session.budget.spend(received) {
            return Poll::Ready(Ok(()));
        }
        self.session.remember(&self.host, Some(EgressError::TooLarge(self.host.clone())));
        Poll::Ready(Err(io::Error::other("the byte budget of this browser context is spent")))
    }
}

impl AsyncWrite for Metered {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
