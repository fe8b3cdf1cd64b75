use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http_body_util::Full;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

use crate::egress::testing::{config, text};
use crate::egress::{Egress, EgressConfig};

/// From where a request comes that went through no proxy.
pub(super) const DIRECT: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// A site on 127.0.0.2 that refuses those who come from some addresses, and
/// notes from where it was asked.
pub(super) struct Origin {
    pub address: SocketAddr,
    scheme: &'static str,
    egress: Egress,
    seen: Arc<Mutex<Vec<IpAddr>>>,
    connections: Arc<AtomicUsize>,
    accepting: JoinHandle<()>,
}

impl Origin {
    /// Serves plain HTTP, with `status_for` each address.
    pub(super) async fn http(status_for: impl Fn(IpAddr) -> u16 + Send + Sync + 'static) -> Self {
        Self::serve(None, status_for).await
    }

    /// Serves HTTPS under 127.0.0.2 and shop.test with a certificate of its own.
    pub(super) async fn https(status_for: impl Fn(IpAddr) -> u16 + Send + Sync + 'static) -> Self {
        let made = rcgen::generate_simple_self_signed(["127.0.0.2".to_owned(), "shop.test".to_owned()]).unwrap();
        let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap();
        let tls = ServerConfig::builder().with_no_client_auth().with_single_cert(vec![made.cert.der().clone()], key);
        Self::serve(Some((TlsAcceptor::from(Arc::new(tls.unwrap())), made.cert.pem())), status_for).await
    }

    async fn serve(
        tls: Option<(TlsAcceptor, String)>,
        status_for: impl Fn(IpAddr) -> u16 + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.2:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (acceptor, ca_pem) = tls.unzip();
        let scheme = if ca_pem.is_some() { "https" } else { "http" };
        let hosts = format!("shop.test={address},shop.test:443={address}");
        let ca_cert_pem = ca_pem.map(String::into_bytes);
        let egress = Egress::new(EgressConfig { ca_cert_pem, ..config("127.0.0.2/32", &hosts) }).unwrap();
        let (seen, status_for) = (Arc::new(Mutex::new(Vec::new())), Arc::new(status_for));
        let (noted, connections) = (seen.clone(), Arc::new(AtomicUsize::new(0)));
        let counted = connections.clone();
        let accepting = tokio::spawn(async move {
            while let Ok((stream, peer)) = listener.accept().await {
                counted.fetch_add(1, Ordering::SeqCst);
                let (acceptor, noted, status_for) = (acceptor.clone(), noted.clone(), status_for.clone());
                let asked = move || {
                    noted.lock().unwrap().push(peer.ip());
                    status_for(peer.ip())
                };
                tokio::spawn(async move {
                    match acceptor {
                        Some(acceptor) => answer(acceptor.accept(stream).await.ok(), peer.ip(), asked).await,
                        None => answer(Some(stream), peer.ip(), asked).await,
                    }
                });
            }
        });
        Self { address, scheme, egress, seen, connections, accepting }
    }

    /// A way out that may reach the site, and knows it as shop.test too.
    pub(super) fn egress(&self) -> Egress {
        self.egress.clone()
    }

    /// The site by its address, which a proxy needs no name server for.
    pub(super) fn url(&self) -> String {
        format!("{}://{}/", self.scheme, self.address)
    }

    /// Connections accepted so far.
    pub(super) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    /// From where it was asked since the last look.
    pub(super) fn seen(&self) -> Vec<IpAddr> {
        std::mem::take(&mut self.seen.lock().unwrap())
    }
}

impl Drop for Origin {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn answer<S>(stream: Option<S>, peer: IpAddr, asked: impl Fn() -> u16)
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let Some(stream) = stream else { return };
    let service = service_fn(|request: hyper::Request<_>| {
        let host = request.headers().get("host").and_then(|host| host.to_str().ok()).unwrap_or_default();
        let answer = text(asked(), format!("{host} from {peer}"));
        async move { Ok::<hyper::Response<Full<Bytes>>, Infallible>(answer) }
    });
    let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
}
