//! Answers that are not what HTTP/1.1 asks for, byte by byte.

use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::time::sleep;

use super::*;
use crate::egress::testing::{Origin, read_head};

/// How a whole answer of an origin must end.
type End = Result<&'static str, &'static str>;

const ANSWERS: &[(&str, &str, End)] = &[
    ("nothing", "", Err("refused")),
    ("half a status line", "HTTP/1.1 20", Err("refused")),
    ("half a head", "HTTP/1.1 200 OK\r\nContent-Ty", Err("refused")),
    ("a head without its end", "HTTP/1.1 200 OK\r\nA: b\r\n", Err("refused")),
    ("no HTTP", "SSH-2.0-OpenSSH_9.2\r\n", Err("refused")),
    ("HTTP/0.9", "<html>old</html>", Err("refused")),
    ("TLS", "\u{16}\u{3}\u{1}\u{0}\u{5}", Err("refused")),
    ("no version", "HTTP 200 OK\r\n\r\n", Err("refused")),
    ("HTTP/9.9", "HTTP/9.9 200 OK\r\n\r\nx", Err("refused")),
    ("status 99", "HTTP/1.1 99 Low\r\n\r\n", Err("refused")),
    ("status 20", "HTTP/1.1 20 OK\r\n\r\n", Err("refused")),
    ("status words", "HTTP/1.1 OK 200\r\n\r\n", Err("refused")),
    ("status 1000", "HTTP/1.1 1000 High\r\n\r\n", Err("refused")),
    ("status 999", "HTTP/1.1 999 Denied\r\nContent-Length: 2\r\n\r\nno", Ok("no")),
    ("no reason phrase", "HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok", Ok("ok")),
    ("HTTP/1.0 to the end", "HTTP/1.0 200 OK\r\n\r\nto the end", Ok("to the end")),
    ("lone line feeds", "HTTP/1.1 200 OK\nContent-Length: 2\n\nok", Ok("ok")),
    ("length too long", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort", Err("refused")),
    ("length too short", "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nlonger", Ok("long")),
    ("two equal lengths", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok", Ok("ok")),
    ("two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 4\r\n\r\nokok", Err("refused")),
    ("negative length", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nok", Err("refused")),
    ("length in words", "HTTP/1.1 200 OK\r\nContent-Length: two\r\n\r\nok", Err("refused")),
    ("endless length", "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\nok", Err("refused")),
    ("length over the limit", "HTTP/1.1 200 OK\r\nContent-Length: 4000000000\r\n\r\nok", Err("too_large")),
    ("chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", Ok("ok")),
    ("chunks cut short", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nok", Err("refused")),
    ("no last chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n", Err("refused")),
    ("chunk size in words", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxx\r\nok\r\n", Err("refused")),
    (
        "endless chunk size",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\nok\r\n",
        Err("refused"),
    ),
    (
        "chunks and a length",
        "HTTP/1.1 200 OK\r\nContent-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
        Ok("ok"),
    ),
    ("header without a name", "HTTP/1.1 200 OK\r\n: b\r\n\r\n", Err("refused")),
    ("header without a colon", "HTTP/1.1 200 OK\r\nab\r\n\r\n", Err("refused")),
    ("header with a zero", "HTTP/1.1 200 OK\r\nA: \u{0}\r\n\r\n", Err("refused")),
    (
        "interim answers",
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
        Ok("ok"),
    ),
    ("an upgrade nobody asked for", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\nwhat", Err("refused")),
    ("no content with content", "HTTP/1.1 204 No Content\r\nContent-Length: 4\r\n\r\nmore", Ok("")),
    ("a redirect to nothing", "HTTP/1.1 302 Found\r\nLocation: \r\nContent-Length: 0\r\n\r\n", Err("blocked")),
    ("a redirect nowhere", "HTTP/1.1 302 Found\r\nContent-Length: 2\r\n\r\nok", Ok("ok")),
];

/// The number that the request names as its path.
fn asked(head: &str) -> usize {
    head.split(' ').nth(1).and_then(|path| path[1..].parse().ok()).expect("a request of ours")
}

#[tokio::test]
async fn every_broken_answer_has_its_reason_and_every_odd_one_its_page() {
    let origin = Origin::saying("127.0.0.2", |head| ANSWERS[asked(head)].1.as_bytes().to_vec()).await;
    let egress = egress("127.0.0.2/32", &format!("shop.test={}", origin.address));
    let mut wrong = Vec::new();
    for (index, (name, _, end)) in ANSWERS.iter().enumerate() {
        let ended = get_until(&egress, &format!("http://shop.test/{index}"), Duration::from_secs(5)).await;
        let ended = ended.map(|page| String::from_utf8_lossy(&page.body).into_owned()).map_err(|error| error.reason());
        if ended.as_deref() != end.as_ref().map(|body| *body) {
            wrong.push(format!("{name}: {ended:?}, not {end:?}"));
        }
    }
    println!("{} of {} answers", ANSWERS.len() - wrong.len(), ANSWERS.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn a_head_may_be_large_but_not_huge() {
    let head = |count: usize, length: usize| {
        let line = format!("X: {}\r\n", "v".repeat(length));
        format!("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n{}\r\nok", line.repeat(count))
    };
    let too_large = Some(EgressError::TooLarge("shop.test".to_owned()));
    for (name, answer, refused) in [
        ("as a browser would take it", head(300, 200), None),
        ("10,000 headers", head(10_000, 1), too_large.clone()),
        ("1 MB in one header", head(1, 1_000_000), too_large.clone()),
        ("1 MB of headers", head(200, 5_000), too_large.clone()),
        ("a status line of 1 MB", format!("HTTP/1.1 200 {}\r\n\r\n", "K".repeat(1_000_000)), too_large),
    ] {
        let origin = Origin::saying("127.0.0.2", move |_| answer.clone().into_bytes()).await;
        let egress = egress("127.0.0.2/32", &format!("shop.test={}", origin.address));
        assert_eq!(get(&egress, "http://shop.test/").await.err(), refused, "{name}");
    }
}

/// Answers that begin and then go on for ever, a byte each 20 ms.
const DRIPS: &[(&str, &str)] = &[
    ("", "HTTP/1.1 200 OK  "),
    ("HTTP/1.1 200 OK\r\n", "X: y\r\n"),
    ("HTTP/1.1 200 OK\r\nContent-Length: 90000\r\n\r\n", "x"),
    ("HTTP/1.1 200 OK\r\n\r\n", "x"),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\nx\r\n"),
    ("", "HTTP/1.1 100 Continue\r\n\r\n"),
];

#[tokio::test]
async fn an_answer_that_drips_ends_at_the_deadline() {
    let origin = Origin::start("127.0.0.2", |mut stream| async move {
        let (start, drip) = DRIPS[asked(&read_head(&mut stream).await)];
        let mut alive = stream.write_all(start.as_bytes()).await.is_ok();
        for byte in drip.as_bytes().iter().cycle() {
            sleep(Duration::from_millis(20)).await;
            alive = alive && stream.write_all(&[*byte]).await.is_ok();
            if !alive {
                return;
            }
        }
    })
    .await;
    let egress = egress("127.0.0.2/32", &format!("slow.test={}", origin.address));
    for (index, drip) in DRIPS.iter().enumerate() {
        let url = format!("http://slow.test/{index}");
        let failure = get_until(&egress, &url, Duration::from_millis(300)).await.err();
        assert_eq!(failure, Some(EgressError::Timeout("slow.test".to_owned())), "{drip:?}");
    }
}

/// What is said before the connection is reset; `None`: not even the request is
/// waited for.
const RESETS: &[Option<&str>] = &[
    None,
    Some(""),
    Some("HTTP/1.1 200 OK\r\nX: "),
    Some("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n"),
    Some("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nbegun"),
    Some("HTTP/1.1 200 OK\r\n\r\nto the end"),
    Some("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nbegun\r\n"),
];

#[tokio::test]
async fn a_reset_at_any_moment_is_a_broken_connection() {
    for said in RESETS {
        let origin = Origin::start("127.0.0.2", move |mut stream| async move {
            if let Some(said) = said {
                read_head(&mut stream).await;
                let _ = stream.write_all(said.as_bytes()).await;
                sleep(Duration::from_millis(20)).await;
            }
            // Without lingering, closing is a reset.
            let _ = stream.set_zero_linger();
        })
        .await;
        let egress = egress("127.0.0.2/32", &format!("shop.test={}", origin.address));
        let failure = get(&egress, "http://shop.test/").await.err();
        assert_eq!(failure, Some(EgressError::Refused("shop.test".to_owned())), "{said:?}");
    }
}
