use std::collections::HashSet;
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::sync::{Arc, Mutex, PoisonError};

/// The sockets this service itself listens on or keeps its data behind; no
/// allow list opens them.
pub(super) struct OwnSockets {
    configured: Vec<SocketAddr>,
    reserved: Mutex<HashSet<SocketAddr>>,
}

/// Keeps a socket out of everybody's reach until dropped.
pub struct ReservedSocket {
    owner: Arc<OwnSockets>,
    socket: SocketAddr,
}

impl OwnSockets {
    pub(super) fn new(configured: Vec<SocketAddr>) -> Self {
        Self { configured, reserved: Mutex::default() }
    }

    pub(super) fn reserve(self: &Arc<Self>, socket: SocketAddr) -> ReservedSocket {
        self.reserved.lock().unwrap_or_else(PoisonError::into_inner).insert(socket);
        ReservedSocket { owner: self.clone(), socket }
    }

    /// Whether some socket of ours has this port: the cheap question before
    /// [`OwnSockets::contains`].
    pub(super) fn has_port(&self, port: u16) -> bool {
        self.configured.iter().any(|own| own.port() == port)
            || self.reserved.lock().unwrap_or_else(PoisonError::into_inner).iter().any(|own| own.port() == port)
    }

    /// Whether a connection to `socket` would end at one of ours.
    pub(super) fn contains(&self, socket: SocketAddr) -> bool {
        let ip = socket.ip().to_canonical();
        let meets = |own: &SocketAddr| {
            own.port() == socket.port()
                && (own.ip().to_canonical() == ip || (own.ip().is_unspecified() && is_local(ip)))
        };
        self.configured.iter().any(meets)
            || self.reserved.lock().unwrap_or_else(PoisonError::into_inner).iter().any(meets)
    }
}

impl Drop for ReservedSocket {
    fn drop(&mut self) {
        self.owner.reserved.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.socket);
    }
}

/// Whether this machine answers to `ip`: only an own address can be bound.
fn is_local(ip: IpAddr) -> bool {
    ip.is_loopback() || ip.is_unspecified() || UdpSocket::bind((ip, 0)).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn socket(text: &str) -> SocketAddr {
        text.parse().unwrap()
    }

    #[test]
    fn a_wildcard_socket_is_met_at_every_local_address_and_at_no_other() {
        let own = OwnSockets::new(vec![socket("0.0.0.0:3001"), socket("10.0.0.5:5432")]);
        assert!(own.contains(socket("127.0.0.1:3001")) && own.contains(socket("[::1]:3001")));
        assert!(own.contains(socket("[::ffff:127.0.0.1]:3001")));
        assert!(own.contains(socket("10.0.0.5:5432")));
        assert!(!own.contains(socket("127.0.0.1:3002")));
        assert!(!own.contains(socket("8.8.8.8:3001")) && !own.contains(socket("10.0.0.6:5432")));
    }

    #[test]
    fn a_reserved_socket_is_free_again_after_the_drop() {
        let own = Arc::new(OwnSockets::new(Vec::new()));
        let reserved = own.reserve(socket("127.0.0.1:40000"));
        assert!(own.has_port(40000) && own.contains(socket("127.0.0.1:40000")));
        drop(reserved);
        assert!(!own.has_port(40000) && !own.contains(socket("127.0.0.1:40000")));
    }
}
