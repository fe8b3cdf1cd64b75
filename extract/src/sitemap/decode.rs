use std::borrow::Cow;
use std::io::Read;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};
use flate2::read::MultiGzDecoder;

use super::SitemapError;

/// Bytes of a file, inflated; the protocol allows 50 MB.
const MAX_BYTES: usize = 50 * 1024 * 1024;

/// How many times its size a gzipped file may inflate to. Real ones stay below
/// 50.
const MAX_RATIO: usize = 100;

/// Inflated bytes up to which the ratio does not count: these hurt nobody.
const HARMLESS: usize = 1024 * 1024;

/// Returns the text of a file: inflated, and in the charset of its byte order
/// mark, its zero bytes, or its XML declaration; else UTF-8.
pub(super) fn text(bytes: &[u8]) -> Result<String, SitemapError> {
    let bytes = inflated(bytes)?;
    if bytes.len() > MAX_BYTES {
        return Err(SitemapError::TooLarge);
    }
    let (text, _, _) = encoding(&bytes).decode(&bytes);
    Ok(text.into_owned())
}

fn inflated(bytes: &[u8]) -> Result<Cow<'_, [u8]>, SitemapError> {
    if !is_gzip(bytes) {
        return Ok(Cow::Borrowed(bytes));
    }
    let limit = MAX_BYTES.min(HARMLESS.max(bytes.len().saturating_mul(MAX_RATIO)));
    let mut inflated = Vec::new();
    let mut reader = MultiGzDecoder::new(bytes).take(limit as u64 + 1);
    // A file that breaks off is still read up to there.
    let whole = reader.read_to_end(&mut inflated);
    if inflated.len() > limit {
        return Err(SitemapError::TooLarge);
    }
    if is_gzip(&inflated) || (whole.is_err() && inflated.is_empty()) {
        return Err(SitemapError::NotASitemap);
    }
    Ok(Cow::Owned(inflated))
}

fn is_gzip(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x1f, 0x8b])
}

fn encoding(bytes: &[u8]) -> &'static Encoding {
    if let Some((encoding, _)) = Encoding::for_bom(bytes) {
        return encoding;
    }
    match bytes {
        [0, b'<', ..] => UTF_16BE,
        [b'<', 0, ..] => UTF_16LE,
        _ => declared(bytes).unwrap_or(UTF_8),
    }
}

/// Reads the charset in `<?xml … encoding="…"?>`. UTF-16 cannot be meant: the
/// declaration would not have been read.
fn declared(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(200)]);
    let declaration = head.trim_start().strip_prefix("<?xml")?.split("?>").next()?;
    let behind = declaration.split_once("encoding")?.1.trim_start().strip_prefix('=')?.trim_start();
    let label = behind.get(1..)?.split(['"', '\'']).next()?;
    Encoding::for_label(label.as_bytes()).filter(|encoding| *encoding != UTF_16LE && *encoding != UTF_16BE)
}
