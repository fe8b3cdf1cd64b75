use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use async_compression::tokio::bufread::{BrotliDecoder, DeflateDecoder, GzipDecoder, ZlibDecoder, ZstdDecoder};
use async_compression::zstd::DParameter;
use bytes::{Bytes, BytesMut};
use futures::TryStreamExt;
use reqwest::Response;
use reqwest::header::{CONTENT_ENCODING, HeaderMap, HeaderValue};
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncRead, BufReader, ReadBuf};
use tokio_util::io::StreamReader;

use super::{EgressError, translate};

/// The content codings that [`read_body`] undoes, as an `Accept-Encoding` header.
pub(super) const ACCEPTED_CODINGS: HeaderValue = HeaderValue::from_static("gzip, br, zstd, deflate");

/// Codings on top of each other that are undone. A browser has no such limit;
/// no honest site comes near it, and each one multiplies what a bomb costs.
const MOST_CODINGS: usize = 2;
/// RFC 9659: 8 MiB is all that a zstd frame may ask a decoder to keep. The
/// library would grant 128 MiB.
const ZSTD_WINDOW_LOG: u32 = 23;

/// Bytes that pass at a stretch.
const PAUSE: usize = 64 * 1024;

type Reader = Pin<Box<dyn AsyncBufRead + Send>>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Coding {
    Brotli,
    Deflate,
    Gzip,
    Zstd,
}

/// The whole body, inflated. It is counted as it inflates, so that a bomb is
/// noticed at `max_bytes`.
///
/// The HTTP client's own decoding is not used: it grants zstd any window and
/// hands over what is encoded twice as if it were not encoded.
///
/// # Errors
/// [`EgressError::TooLarge`], [`EgressError::Undecodable`], or what broke the
/// connection.
pub(super) async fn read_body(response: Response, host: &str, max_bytes: usize) -> Result<Bytes, EgressError> {
    let codings = codings(response.headers()).ok_or_else(|| EgressError::Undecodable(host.to_owned()))?;
    if codings.is_empty() {
        return read_plain(response, host, max_bytes).await;
    }
    // What comes over the wire and what lies between two codings is never seen,
    // but it costs as much: a stream of empty gzip members inflates to nothing.
    let wire = StreamReader::new(response.bytes_stream().map_err(io::Error::other));
    let mut reader = capped(Box::pin(wire), max_bytes);
    for coding in codings.into_iter().rev() {
        let inflated = inflate(coding, reader).await.map_err(|error| broken(error, host))?;
        reader = capped(inflated, max_bytes);
    }
    collect(reader).await.map_err(|error| broken(error, host))
}

fn capped(inner: Pin<Box<dyn AsyncRead + Send>>, max_bytes: usize) -> Reader {
    Box::pin(BufReader::new(Capped { inner, left: max_bytes, until_pause: PAUSE }))
}

/// Bytes up to a limit, beyond which there is [`Oversized`]. It pauses now and
/// then: a decoder that finds input and no output would never let go of the
/// thread, and no deadline would end it.
struct Capped {
    inner: Pin<Box<dyn AsyncRead + Send>>,
    left: usize,
    until_pause: usize,
}

#[derive(Debug, thiserror::Error)]
#[error("the inflated body is over the limit")]
struct Oversized;

impl AsyncRead for Capped {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.until_pause == 0 {
            self.until_pause = PAUSE;
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        let before = buffer.filled().len();
        ready!(self.inner.as_mut().poll_read(context, buffer))?;
        let read = buffer.filled().len() - before;
        self.until_pause = self.until_pause.saturating_sub(read);
        self.left = self.left.checked_sub(read).ok_or_else(|| io::Error::other(Oversized))?;
        Poll::Ready(Ok(()))
    }
}

/// The codings in the order they were applied; `None` when one is unknown or
/// there are too many.
fn codings(headers: &HeaderMap) -> Option<Vec<Coding>> {
    let mut found = Vec::new();
    for value in headers.get_all(CONTENT_ENCODING) {
        for name in value.to_str().ok()?.split(',').map(|name| name.trim().to_ascii_lowercase()) {
            found.push(match name.as_str() {
                "" | "identity" => continue,
                "br" => Coding::Brotli,
                "deflate" => Coding::Deflate,
                "gzip" | "x-gzip" => Coding::Gzip,
                "zstd" => Coding::Zstd,
                _ => return None,
            });
        }
    }
    (found.len() <= MOST_CODINGS).then_some(found)
}

async fn inflate(coding: Coding, mut reader: Reader) -> io::Result<Pin<Box<dyn AsyncRead + Send>>> {
    let first = reader.fill_buf().await?.first().copied();
    Ok(match (coding, first) {
        // Servers announce a coding for an empty body too.
        (_, None) => Box::pin(tokio::io::empty()),
        (Coding::Brotli, _) => Box::pin(BrotliDecoder::new(reader)),
        (Coding::Zstd, _) => {
            let limit = DParameter::window_log_max(ZSTD_WINDOW_LOG);
            let mut decoder = ZstdDecoder::with_params(reader, &[limit]);
            decoder.multiple_members(true);
            Box::pin(decoder)
        }
        (Coding::Gzip, _) => {
            let mut decoder = GzipDecoder::new(reader);
            decoder.multiple_members(true);
            Box::pin(decoder)
        }
        // "deflate" means zlib; some servers never understood that.
        (Coding::Deflate, Some(first)) if first & 0x0f == 8 => Box::pin(ZlibDecoder::new(reader)),
        (Coding::Deflate, _) => Box::pin(DeflateDecoder::new(reader)),
    })
}

async fn read_plain(mut response: Response, host: &str, max_bytes: usize) -> Result<Bytes, EgressError> {
    let too_large = || EgressError::TooLarge(host.to_owned());
    if response.content_length().is_some_and(|announced| announced > max_bytes as u64) {
        return Err(too_large());
    }
    let mut body = BytesMut::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| translate(error, host))? {
        if body.len() + chunk.len() > max_bytes {
            return Err(too_large());
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body.freeze())
}

async fn collect(mut reader: Reader) -> io::Result<Bytes> {
    let mut body = BytesMut::new();
    loop {
        let inflated = reader.fill_buf().await?;
        if inflated.is_empty() {
            return Ok(body.freeze());
        }
        body.extend_from_slice(inflated);
        let length = inflated.len();
        reader.consume(length);
    }
}

/// A failure of the connection or an excess, which the decoders pass through as
/// they are, or a failure of the coding itself.
fn broken(error: io::Error, host: &str) -> EgressError {
    match error.downcast::<reqwest::Error>() {
        Ok(error) => translate(error, host),
        Err(error) if error.get_ref().is_some_and(|cause| cause.is::<Oversized>()) => {
            EgressError::TooLarge(host.to_owned())
        }
        Err(_) => EgressError::Undecodable(host.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(values: &[&'static str]) -> Option<Vec<Coding>> {
        let header = |value: &&'static str| (CONTENT_ENCODING, HeaderValue::from_static(value));
        codings(&HeaderMap::from_iter(values.iter().map(header)))
    }

    #[test]
    fn codings_are_read_from_any_spelling_and_in_order() {
        assert_eq!(parsed(&[]), Some(Vec::new()));
        assert_eq!(parsed(&["identity", ""]), Some(Vec::new()));
        assert_eq!(parsed(&["GZip"]), Some(vec![Coding::Gzip]));
        assert_eq!(parsed(&["x-gzip, BR"]), Some(vec![Coding::Gzip, Coding::Brotli]));
        assert_eq!(parsed(&["deflate", "zstd"]), Some(vec![Coding::Deflate, Coding::Zstd]));
        assert_eq!(parsed(&["compress"]), None);
        assert_eq!(parsed(&["gzip, gzip, gzip"]), None);
    }
}
