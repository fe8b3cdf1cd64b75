//! The client's side of SOCKS5 (RFC 1928) with a user name and password (RFC
//! 1929), for the `CONNECT` command alone.

use std::io;
use std::net::{IpAddr, SocketAddr};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

const VERSION: u8 = 5;
const PASSWORD_VERSION: u8 = 1;
const CONNECT: u8 = 1;
const NO_AUTHENTICATION: u8 = 0;
const USER_AND_PASSWORD: u8 = 2;
const IPV4: u8 = 1;
const NAME: u8 = 3;
const IPV6: u8 = 4;

/// Where the proxy is to connect to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Destination {
    Socket(SocketAddr),
    /// For the proxy to resolve; at most 255 bytes.
    Name(String, u16),
}

/// Why there is no tunnel.
#[derive(Debug, thiserror::Error)]
pub(super) enum SocksError {
    #[error("the connection to the proxy broke: {0}")]
    Io(#[from] io::Error),
    #[error("the proxy speaks no SOCKS5")]
    Protocol,
    #[error("the proxy refuses our credentials")]
    Credentials,
    /// A code of RFC 1928, section 6.
    #[error("the proxy opens no connection (code {0})")]
    Refused(u8),
}

/// Asks the proxy at the other end of `stream` for a connection to
/// `destination`. Afterwards the stream is that connection.
///
/// # Errors
/// [`SocksError`]; the stream is of no use then.
pub(super) async fn open_tunnel<S>(
    stream: &mut S,
    destination: &Destination,
    credentials: Option<(&str, &str)>,
) -> Result<(), SocksError>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let offered: &[u8] = match credentials {
        Some(_) => &[VERSION, 2, NO_AUTHENTICATION, USER_AND_PASSWORD],
        None => &[VERSION, 1, NO_AUTHENTICATION],
    };
    stream.write_all(offered).await?;
    match (read::<2>(stream).await?, credentials) {
        ([VERSION, NO_AUTHENTICATION], _) => {}
        ([VERSION, USER_AND_PASSWORD], Some((user, password))) => log_in(stream, user, password).await?,
        ([VERSION, _], _) => return Err(SocksError::Credentials),
        _ => return Err(SocksError::Protocol),
    }
    stream.write_all(&request(destination)?).await?;
    let [version, reply, _, kind] = read::<4>(stream).await?;
    match (version, reply) {
        (VERSION, 0) => skip_address(stream, kind).await,
        (VERSION, code) => Err(SocksError::Refused(code)),
        _ => Err(SocksError::Protocol),
    }
}

async fn log_in<S>(stream: &mut S, user: &str, password: &str) -> Result<(), SocksError>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let mut message = vec![PASSWORD_VERSION];
    for part in [user, password] {
        message.push(u8::try_from(part.len()).map_err(|_| SocksError::Credentials)?);
        message.extend_from_slice(part.as_bytes());
    }
    stream.write_all(&message).await?;
    match read::<2>(stream).await? {
        [_, 0] => Ok(()),
        _ => Err(SocksError::Credentials),
    }
}

fn request(destination: &Destination) -> Result<Vec<u8>, SocksError> {
    let mut message = vec![VERSION, CONNECT, 0];
    let port = match destination {
        Destination::Socket(socket) => {
            match socket.ip() {
                IpAddr::V4(ip) => {
                    message.push(IPV4);
                    message.extend_from_slice(&ip.octets());
                }
                IpAddr::V6(ip) => {
                    message.push(IPV6);
                    message.extend_from_slice(&ip.octets());
                }
            }
            socket.port()
        }
        Destination::Name(name, port) => {
            message.extend_from_slice(&[NAME, u8::try_from(name.len()).map_err(|_| SocksError::Protocol)?]);
            message.extend_from_slice(name.as_bytes());
            *port
        }
    };
    message.extend_from_slice(&port.to_be_bytes());
    Ok(message)
}

/// Reads past the address that the proxy connects from, which says nothing.
async fn skip_address<S: AsyncRead + Unpin>(stream: &mut S, kind: u8) -> Result<(), SocksError> {
    let length = match kind {
        IPV4 => 4,
        IPV6 => 16,
        NAME => usize::from(stream.read_u8().await?),
        _ => return Err(SocksError::Protocol),
    };
    let mut address = vec![0; length + 2];
    stream.read_exact(&mut address).await?;
    Ok(())
}

async fn read<const LENGTH: usize>(stream: &mut (impl AsyncRead + Unpin)) -> io::Result<[u8; LENGTH]> {
    let mut bytes = [0; LENGTH];
    stream.read_exact(&mut bytes).await?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use tokio::io::duplex;

    use super::*;

    /// What the client says and how it ends when the proxy sends `answers`.
    async fn play(
        answers: &[u8],
        to: Destination,
        credentials: Option<(&str, &str)>,
    ) -> (Vec<u8>, Result<String, String>) {
        let (mut client, mut proxy) = duplex(4096);
        proxy.write_all(answers).await.unwrap();
        let opened = open_tunnel(&mut client, &to, credentials).await.map_err(|error| error.to_string());
        client.shutdown().await.unwrap();
        let mut said = Vec::new();
        proxy.read_to_end(&mut said).await.unwrap();
        drop(proxy);
        let mut rest = String::new();
        client.read_to_string(&mut rest).await.unwrap();
        (said, opened.map(|()| rest))
    }

    fn by_name() -> Destination {
        Destination::Name("shop.test".to_owned(), 443)
    }

    #[tokio::test]
    async fn a_tunnel_is_asked_for_by_name_with_credentials_and_nothing_of_the_site_is_swallowed() {
        let answers = b"\x05\x02\x01\x00\x05\x00\x00\x01\x7f\x00\x00\x01\x00\x50hello";
        let (said, opened) = play(answers, by_name(), Some(("user", "pass"))).await;
        assert_eq!(said, b"\x05\x02\x00\x02\x01\x04user\x04pass\x05\x01\x00\x03\x09shop.test\x01\xbb");
        assert_eq!(opened.as_deref(), Ok("hello"));
    }

    #[tokio::test]
    async fn a_tunnel_is_asked_for_by_address_of_either_family() {
        let answers = b"\x05\x00\x05\x00\x00\x03\x04name\x00\x50";
        let (said, opened) = play(answers, Destination::Socket("127.0.0.2:80".parse().unwrap()), None).await;
        assert_eq!(
            (&said[..], opened.as_deref()),
            (&b"\x05\x01\x00\x05\x01\x00\x01\x7f\x00\x00\x02\x00\x50"[..], Ok(""))
        );
        let (said, _) = play(answers, Destination::Socket("[::2]:80".parse().unwrap()), None).await;
        assert_eq!(said[3..8], [5, 1, 0, 4, 0]);
    }

    #[tokio::test]
    async fn every_way_to_refuse_is_told_apart() {
        for (answers, credentials, expected) in [
            (&b"\x05\xff"[..], None, "the proxy refuses our credentials"),
            (b"\x05\x02", None, "the proxy refuses our credentials"),
            (b"\x05\x02\x01\x01", Some(("user", "wrong")), "the proxy refuses our credentials"),
            (b"\x05\x00\x05\x05\x00\x01", None, "the proxy opens no connection (code 5)"),
            (b"HTTP/1.1 400", None, "the proxy speaks no SOCKS5"),
        ] {
            let (_, opened) = play(answers, by_name(), credentials).await;
            assert_eq!(opened, Err(expected.to_owned()));
        }
        let mut gone = duplex(64).0;
        assert!(matches!(open_tunnel(&mut gone, &by_name(), None).await, Err(SocksError::Io(_))));
    }
}
