use super::*;
use crate::egress::testing::Origin;

/// Sends visitors back to the same page until they bring the cookie it set.
fn cookie_wall(head: &str) -> Vec<u8> {
    let answer = if head.contains("\r\ncookie: wall=passed\r\n") {
        "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n"
    } else {
        "HTTP/1.1 302 Found\r\nLocation: /page\r\nSet-Cookie: wall=passed; Path=/; HttpOnly\r\nContent-Length: 4\r\n"
    };
    format!("{answer}Connection: close\r\n\r\nsite").into_bytes()
}

#[tokio::test]
async fn a_site_that_sets_a_cookie_and_redirects_to_itself_ends_in_its_page() {
    let origin = Origin::saying("127.0.0.2", cookie_wall).await;
    let egress = egress("127.0.0.2/32", &format!("shop.test={}", origin.address));
    for _ in 0..2 {
        let page = get(&egress, "http://shop.test/page").await.unwrap();
        assert_eq!((page.status, &page.body[..]), (200, &b"site"[..]));
    }
    assert_eq!(origin.connections(), 4, "the second fetch knows nothing of the first one's cookie");
}

#[tokio::test]
async fn a_cookie_stays_with_its_site() {
    let seen = |head: &str| head.lines().find(|line| line.starts_with("cookie")).unwrap_or("none").to_owned();
    let other = Origin::saying("127.0.0.2", move |head| {
        let seen = seen(head);
        format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{seen}", seen.len()).into_bytes()
    })
    .await;
    let first = Origin::saying("127.0.0.2", |head| {
        let next = if head.starts_with("GET /below") { "http://below.shop.test/" } else { "http://other.test/" };
        let cookies = "Set-Cookie: own=1\r\nSet-Cookie: all=2; Domain=shop.test\r\nSet-Cookie: no=3; Domain=other.test";
        format!("HTTP/1.1 302 Found\r\nLocation: {next}\r\n{cookies}\r\nContent-Length: 0\r\n\r\n").into_bytes()
    })
    .await;
    let hosts = format!("shop.test={},other.test={1},below.shop.test={1}", first.address, other.address);
    let egress = egress("127.0.0.2/32", &hosts);
    assert_eq!(get(&egress, "http://shop.test/").await.unwrap().body, "none");
    assert_eq!(get(&egress, "http://shop.test/below").await.unwrap().body, "cookie: all=2");
}
