//! Certificates and handshakes that are not to be trusted.

use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, date_time_ymd};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::server::TlsStream;

use super::*;
use crate::egress::EgressSetupError;
use crate::egress::testing::Origin;

/// An authority of the test's own.
pub(super) struct Authority {
    pub pem: String,
    issuer: Issuer<'static, KeyPair>,
}

impl Authority {
    pub(super) fn new(name: &str) -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let pem = params.self_signed(&key).unwrap().pem();
        Self { pem, issuer: Issuer::new(params, key) }
    }

    /// A server's side for `name`, with a certificate that `change` may spoil.
    pub(super) fn acceptor(
        &self,
        name: &str,
        protocols: &[&[u8]],
        change: impl Fn(&mut CertificateParams),
    ) -> TlsAcceptor {
        let mut params = CertificateParams::new([name.to_owned()]).unwrap();
        change(&mut params);
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        acceptor(certificate.der().clone(), &key, protocols)
    }

    /// The way out that trusts this authority and knows `shop.test:443`.
    pub(super) fn egress(&self, address: SocketAddr) -> Egress {
        let hosts = format!("shop.test:443={address},other.test:443={address}");
        let mut config = config("127.0.0.2/32", &hosts);
        config.ca_cert_pem = Some(self.pem.clone().into_bytes());
        Egress::new(config).unwrap()
    }
}

fn acceptor(certificate: CertificateDer<'static>, key: &KeyPair, protocols: &[&[u8]]) -> TlsAcceptor {
    let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
    let mut config = ServerConfig::builder().with_no_client_auth().with_single_cert(vec![certificate], key).unwrap();
    config.alpn_protocols = protocols.iter().map(|protocol| protocol.to_vec()).collect();
    TlsAcceptor::from(Arc::new(config))
}

/// Serves TLS and gives each stream to `behave`.
pub(super) async fn serve<F, R>(acceptor: TlsAcceptor, behave: F) -> Origin
where
    F: Fn(TlsStream<TcpStream>) -> R + Send + Sync + 'static,
    R: Future<Output = ()> + Send + 'static,
{
    let behave = Arc::new(behave);
    Origin::start("127.0.0.2", move |stream| {
        let (acceptor, behave) = (acceptor.clone(), behave.clone());
        async move {
            if let Ok(stream) = acceptor.accept(stream).await {
                behave(stream).await;
            }
        }
    })
    .await
}

/// A polite answer over TLS.
async fn greet(mut stream: TlsStream<TcpStream>) {
    let mut head = [0; 4096];
    let length = stream.read(&mut head).await.unwrap_or(0);
    let host = head[..length].windows(15).any(|window| window.eq_ignore_ascii_case(b"host: shop.test"));
    let status = if host { "200 OK" } else { "421 Misdirected" };
    let answer = format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    let _ = stream.write_all(answer.as_bytes()).await;
    let _ = stream.shutdown().await;
}

fn tls(host: &str) -> Option<EgressError> {
    Some(EgressError::Tls(host.to_owned()))
}

#[tokio::test]
async fn a_certificate_of_an_unknown_authority_is_refused_until_it_is_configured() {
    let authority = Authority::new("the test's");
    let site = serve(authority.acceptor("shop.test", &[], |_| {}), greet).await;
    let hosts = format!("shop.test:443={0},other.test:443={0}", site.address);
    let mut config = config("127.0.0.2/32", &hosts);
    let stranger = Egress::new(config.clone()).unwrap();
    assert_eq!(get(&stranger, "https://shop.test/").await.err(), tls("shop.test"));
    config.ca_cert_pem = Some(authority.pem.clone().into_bytes());
    let trusting = Egress::new(config.clone()).unwrap();
    let page = get(&trusting, "https://shop.test/").await.unwrap();
    assert_eq!((page.status, page.final_url.as_str()), (200, "https://shop.test/"));
    assert_eq!(get(&trusting, "https://other.test/").await.err(), tls("other.test"));
    config.ca_cert_pem = Some(b"-----BEGIN CERTIFICATE-----\nnot base64\n-----END CERTIFICATE-----\n".to_vec());
    assert!(matches!(Egress::new(config), Err(EgressSetupError::Certificates(_))));
}

#[tokio::test]
async fn a_certificate_must_be_in_date_for_the_name_and_not_its_own_voucher() {
    let (authority, stranger) = (Authority::new("the test's"), Authority::new("a stranger's"));
    let expired = authority.acceptor("shop.test", &[], |params| {
        params.not_before = date_time_ymd(2020, 1, 1);
        params.not_after = date_time_ymd(2021, 1, 1);
    });
    let early = authority.acceptor("shop.test", &[], |params| params.not_before = date_time_ymd(4000, 1, 1));
    let made = rcgen::generate_simple_self_signed(["shop.test".to_owned()]).unwrap();
    for (name, acceptor) in [
        ("expired", expired),
        ("not yet valid", early),
        ("another name", authority.acceptor("shop.example", &[], |_| {})),
        ("a wildcard too far up", authority.acceptor("*.test.example", &[], |_| {})),
        ("an unknown authority", stranger.acceptor("shop.test", &[], |_| {})),
        ("self-signed", acceptor(made.cert.der().clone(), &made.signing_key, &[])),
    ] {
        let site = serve(acceptor, greet).await;
        let failure = get(&authority.egress(site.address), "https://shop.test/").await.err();
        assert_eq!(failure, tls("shop.test"), "{name}");
    }
}

#[tokio::test]
async fn a_handshake_that_goes_nowhere_has_its_reason() {
    let authority = Authority::new("the test's");
    let says = |bytes: &'static [u8]| {
        Origin::start("127.0.0.2", move |mut stream| async move {
            let _ = stream.read(&mut [0; 4096]).await;
            crate::egress::testing::say(&mut stream, bytes).await;
        })
    };
    for (name, bytes) in [
        ("plain HTTP", &b"HTTP/1.1 400 Bad Request\r\n\r\n"[..]),
        ("an alert", b"\x15\x03\x03\x00\x02\x02\x28"),
        ("an end", b""),
        ("a record that claims 64 KB", b"\x16\x03\x03\xff\xff\x02"),
        ("noise", b"\xff\xfe\xfd\xfc\xfb\xfa\xf9\xf8"),
    ] {
        let site = says(bytes).await;
        let failure = get(&authority.egress(site.address), "https://shop.test/").await.err();
        assert_eq!(failure, tls("shop.test"), "{name}");
    }
    let silent = Origin::start("127.0.0.2", |stream| async move {
        tokio::time::sleep(Duration::from_secs(30)).await;
        drop(stream);
    })
    .await;
    let failure = get_until(&authority.egress(silent.address), "https://shop.test/", Duration::from_millis(300)).await;
    assert_eq!(failure.err(), Some(EgressError::Timeout("shop.test".to_owned())));
}

#[tokio::test]
async fn a_way_from_https_over_http_leads_no_further_inside() {
    let (canary, authority) = (Origin::canary().await, Authority::new("the test's"));
    let inside = format!("http://127.0.0.1:{}/", canary.address.port());
    let plain = Origin::saying("127.0.0.2", move |_| {
        format!("HTTP/1.1 302 Found\r\nLocation: {inside}\r\nContent-Length: 0\r\n\r\n").into_bytes()
    })
    .await;
    let site = serve(authority.acceptor("shop.test", &[], |_| {}), |mut stream| async move {
        let _ = stream.read(&mut [0; 4096]).await;
        let answer = b"HTTP/1.1 301 Moved\r\nLocation: http://shop.test/\r\nContent-Length: 0\r\n\r\n";
        let _ = stream.write_all(answer).await;
        let _ = stream.shutdown().await;
    })
    .await;
    let mut config = config("127.0.0.2/32", &format!("shop.test={},shop.test:443={}", plain.address, site.address));
    config.ca_cert_pem = Some(authority.pem.clone().into_bytes());
    let failure = get(&Egress::new(config).unwrap(), "https://shop.test/").await.err();
    assert_eq!(failure, Some(EgressError::PrivateAddress("127.0.0.1".to_owned())));
    assert_eq!((plain.connections(), canary.connections()), (1, 0));
}
