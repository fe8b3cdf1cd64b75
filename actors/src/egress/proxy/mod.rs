//! The filtering forward proxy that a browser context must use.
//!
//! A browser resolves and connects on its own, out of sight of any HTTP client
//! of ours; so it is given no other way than this listener, one per context.

mod forward;
mod headers;
mod meter;
mod session;

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::time::sleep;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::{Egress, EgressError, ReservedSocket, Upstream};
use session::Session;

/// A listener on 127.0.0.1 that serves one browser context: `CONNECT` tunnels
/// and plain HTTP in absolute form, WebSocket upgrades included. The target is
/// taken from the request line alone. Dropping it closes the listener and
/// every connection.
pub struct FilteringProxy {
    address: SocketAddr,
    session: Arc<Session>,
    _closes: DropGuard,
    // Keeps a page whose allow list holds 127.0.0.1 from using the proxy twice.
    _reserved: ReservedSocket,
}

impl FilteringProxy {
    /// Opens a listener whose connections all pass `egress`, through `upstream`
    /// when given. `max_bytes` bounds what the context may receive in total, as
    /// counted on the wire.
    ///
    /// # Errors
    /// When no loopback port can be had.
    pub async fn open(egress: Egress, upstream: Option<Upstream>, max_bytes: u64) -> std::io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let reserved = egress.reserve(address);
        let closing = CancellationToken::new();
        let session = Arc::new(Session::new(egress, upstream, max_bytes, closing.clone()));
        tokio::spawn(accept(listener, session.clone()));
        Ok(Self { address, session, _closes: closing.drop_guard(), _reserved: reserved })
    }

    /// Where the browser finds the proxy.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Why the latest request to `host` (a name or address without a port) was
    /// not served; `None` when it was, or when there was none.
    pub fn refusal(&self, host: &str) -> Option<EgressError> {
        self.session.refusal(host)
    }
}

async fn accept(listener: TcpListener, session: Arc<Session>) {
    loop {
        let accepted = tokio::select! {
            () = session.closing.cancelled() => return,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, peer)) if peer.ip().is_loopback() => {
                let serving = session.clone();
                session.spawn(async move { serving.serve(stream).await });
            }
            Ok(_) => {}
            Err(error) => {
                tracing::warn!(%error, "the browser proxy cannot accept");
                // Out of file descriptors, as a rule: trying again at once would spin.
                sleep(Duration::from_millis(50)).await;
            }
        }
    }
}

#[cfg(test)]
mod tests;
