//! Bodies that are small on the wire and large in memory.

use std::io::Write;
use std::sync::Arc;

use async_compression::Level;
use async_compression::tokio::write::{BrotliEncoder, DeflateEncoder, GzipEncoder, ZlibEncoder, ZstdEncoder};
use async_compression::zstd::CParameter;
use tokio::io::{AsyncWrite, AsyncWriteExt};

use super::*;
use crate::egress::testing::{Origin, read_head, say};

/// What a page may be.
const PAGE: usize = 20_000_000;
/// What one fetch may add to the memory of the process, whatever the origin.
const MEMORY: usize = 60_000_000;

/// The encoded form of `plain`, repeated `times`.
async fn encoded(coding: &str, plain: &[u8], times: usize) -> Vec<u8> {
    async fn fill<W: AsyncWrite + Unpin>(mut encoder: W, plain: &[u8], times: usize) -> W {
        for _ in 0..times {
            encoder.write_all(plain).await.unwrap();
        }
        encoder.shutdown().await.unwrap();
        encoder
    }
    let (buffer, level) = (Vec::new(), Level::Fastest);
    match coding {
        "gzip" => fill(GzipEncoder::with_quality(buffer, Level::Best), plain, times).await.into_inner(),
        "br" => fill(BrotliEncoder::with_quality(buffer, Level::Precise(5)), plain, times).await.into_inner(),
        "zstd" => fill(ZstdEncoder::with_quality(buffer, level), plain, times).await.into_inner(),
        "zstd 128 MiB" => {
            let window = [CParameter::window_log(27)];
            fill(ZstdEncoder::with_quality_and_params(buffer, level, &window), plain, times).await.into_inner()
        }
        "deflate" => fill(ZlibEncoder::with_quality(buffer, level), plain, times).await.into_inner(),
        "raw deflate" => fill(DeflateEncoder::with_quality(buffer, level), plain, times).await.into_inner(),
        other => panic!("{other}"),
    }
}

/// Fetches from an origin that announces `coding`, says `piece` so many times
/// and ends.
async fn fetch_from(coding: &str, piece: &[u8], times: usize) -> Result<Fetched, EgressError> {
    fetch_up_to(PAGE, coding, piece, times).await
}

async fn fetch_up_to(max_bytes: usize, coding: &str, piece: &[u8], times: usize) -> Result<Fetched, EgressError> {
    let (coding, piece) = (coding.to_owned(), Arc::new(piece.to_vec()));
    let origin = Origin::start("127.0.0.2", move |mut stream| {
        let head = format!("HTTP/1.1 200 OK\r\nContent-Encoding: {coding}\r\nConnection: close\r\n");
        let length = format!("Content-Length: {}\r\n\r\n", piece.len() * times);
        let piece = piece.clone();
        async move {
            read_head(&mut stream).await;
            let mut alive = stream.write_all(format!("{head}{length}").as_bytes()).await.is_ok();
            for _ in 0..times {
                alive = alive && stream.write_all(&piece).await.is_ok();
            }
            say(&mut stream, b"").await;
        }
    })
    .await;
    let egress = egress("127.0.0.2/32", &format!("shop.test={}", origin.address));
    let url: Url = "http://shop.test/".parse().unwrap();
    fetch(&egress, None, Fetch { url: &url, deadline: Instant::now() + Duration::from_secs(30), max_bytes }).await
}

/// The most memory the process had since the last call, and what it has now.
fn memory() -> (usize, usize) {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let field = |name: &str| {
        let line = status.lines().find(|line| line.starts_with(name)).unwrap();
        line.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap() * 1024
    };
    let measured = (field("VmHWM:"), field("VmRSS:"));
    std::fs::OpenOptions::new().write(true).open("/proc/self/clear_refs").unwrap().write_all(b"5").unwrap();
    measured
}

#[tokio::test]
async fn every_coding_is_undone_alone_and_upon_another() {
    for (header, layers) in [
        ("gzip", &["gzip"][..]),
        ("x-gzip", &["gzip"]),
        ("GZIP", &["gzip"]),
        ("br", &["br"]),
        ("zstd", &["zstd"]),
        ("deflate", &["deflate"]),
        ("deflate", &["raw deflate"]),
        ("identity", &[]),
        ("gzip, gzip", &["gzip", "gzip"]),
        ("br, gzip", &["br", "gzip"]),
        ("deflate, zstd", &["deflate", "zstd"]),
    ] {
        let mut body = b"<p>plain".to_vec();
        for layer in layers {
            body = encoded(layer, &body, 1).await;
        }
        let page = fetch_from(header, &body, 1).await.unwrap();
        assert_eq!(page.body, "<p>plain", "{header}");
        let lengths = page.headers.iter().filter(|(name, _)| name == "content-length").count();
        assert_eq!(lengths, 0, "{header}: what was true of the coded body is not said");
    }
    let two_members = [encoded("gzip", b"one", 1).await, encoded("gzip", b" two", 1).await].concat();
    assert_eq!(fetch_from("gzip", &two_members, 1).await.unwrap().body, "one two");
    assert_eq!(fetch_from("gzip", b"", 1).await.unwrap().body, "");
}

#[tokio::test]
async fn what_is_not_the_coding_it_claims_is_no_page() {
    let (gzip, zstd) = (encoded("gzip", b"<p>plain", 1).await, encoded("zstd", b"<p>plain", 1).await);
    let undecodable = Some(EgressError::Undecodable("shop.test".to_owned()));
    for (header, body) in [
        ("gzip", b"<p>plain".to_vec()),
        ("gzip", gzip[..gzip.len() - 9].to_vec()),
        ("br", gzip.clone()),
        ("zstd", zstd[..zstd.len() / 2].to_vec()),
        ("deflate", b"\x78\x9c\xff\xff\xff".to_vec()),
        ("compress", gzip.clone()),
        ("gzip, gzip", gzip.clone()),
        ("gzip, gzip, gzip", gzip.clone()),
    ] {
        assert_eq!(fetch_from(header, &body, 1).await.err(), undecodable, "{header}");
    }
    assert_eq!(undecodable.map(|error| error.reason()), Some("content_type"));
}

#[tokio::test]
async fn a_bomb_is_too_large_and_leaves_the_memory_alone() {
    let zeros = vec![0; 1_000_000];
    let gzip = encoded("gzip", &zeros, 10).await;
    let mut bombs = vec![
        // Ten gigabytes and thirty.
        ("gzip", gzip.clone(), 1000, "too_large"),
        ("zstd", encoded("zstd", &zeros, 30).await, 1000, "too_large"),
        ("br", encoded("br", &zeros, 25).await, 1, "too_large"),
        ("deflate", encoded("deflate", &zeros, 25).await, 1, "too_large"),
        ("gzip, gzip", encoded("gzip", &gzip.repeat(100), 1).await, 1000, "too_large"),
        ("zstd, gzip", encoded("gzip", &encoded("zstd", &zeros, 30).await, 10).await, 1000, "too_large"),
    ];
    bombs.push(("zstd", encoded("zstd 128 MiB", &zeros, 200).await, 1, "content_type"));
    // What the first fetch of a process sets up is not the bombs'.
    assert!(fetch_from("gzip", &encoded("gzip", b"page", 1).await, 1).await.is_ok());
    for (coding, piece, times, reason) in bombs {
        let (wire, (_, before)) = (piece.len() * times, memory());
        let ended = fetch_from(coding, &piece, times).await.map(|page| page.body.len());
        let grown = memory().0.saturating_sub(before);
        println!("{coding}: {wire} bytes on the wire, {reason}, {} MB more memory", grown / 1_000_000);
        assert_eq!(ended.map_err(|error| error.reason()), Err(reason), "{coding}");
        assert!(grown < MEMORY, "{coding}: {grown} bytes");
    }
}

#[tokio::test]
async fn what_inflates_to_nothing_is_too_large_too() {
    let empty = encoded("gzip", b"", 1).await.repeat(1000);
    let twice = encoded("zstd", &empty, 20).await;
    for (coding, piece, times) in [("gzip", &empty, 20), ("gzip, zstd", &twice, 1)] {
        let ended = fetch_up_to(200_000, coding, piece, times).await.map(|page| page.body.len());
        assert_eq!(ended, Err(EgressError::TooLarge("shop.test".to_owned())), "{coding}");
    }
}

#[tokio::test]
async fn a_body_without_end_is_too_large_however_it_is_sent() {
    for head in ["", "Transfer-Encoding: chunked\r\n", "Content-Length: 99999999999\r\n", "Content-Encoding: gzip\r\n"]
    {
        let origin = Origin::start("127.0.0.2", move |mut stream| async move {
            read_head(&mut stream).await;
            let start = format!("HTTP/1.1 200 OK\r\n{head}\r\n");
            let mut piece = vec![b'x'; 65_536];
            if head.contains("chunked") {
                piece = [b"10000\r\n", &piece[..], b"\r\n"].concat();
            } else if head.contains("gzip") {
                piece = encoded("gzip", &piece, 1).await;
            }
            let mut alive = stream.write_all(start.as_bytes()).await.is_ok();
            while alive {
                alive = stream.write_all(&piece).await.is_ok();
            }
        })
        .await;
        let egress = egress("127.0.0.2/32", &format!("shop.test={}", origin.address));
        let url: Url = "http://shop.test/".parse().unwrap();
        let (_, before) = memory();
        let what = Fetch { url: &url, deadline: Instant::now() + Duration::from_secs(30), max_bytes: PAGE };
        let failure = fetch(&egress, None, what).await.err();
        let grown = memory().0.saturating_sub(before);
        assert_eq!(failure, Some(EgressError::TooLarge("shop.test".to_owned())), "{head}");
        assert!(grown < MEMORY, "{head}: {grown} bytes");
    }
}
