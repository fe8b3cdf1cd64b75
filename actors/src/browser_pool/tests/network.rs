use super::*;
use crate::egress::EgressError;
use crate::egress::testing::Site;

/// Ways for a page to reach `{canary}`, which it must not.
const ATTEMPTS: &str = r#"<!doctype html><link rel=stylesheet href="http://{canary}/css"><img src="http://{canary}/img">
<link rel=preconnect href="http://{canary}"><link rel=prefetch href="http://{canary}/prefetch">
<iframe src="http://{canary}/frame"></iframe><object data="http://{canary}/object"></object>
<video src="http://{canary}/video"></video><form id=f action="http://{canary}/form" target=i method=post></form><iframe name=i></iframe>
<script src="http://{canary}/script"></script>
<script>
fetch("http://{canary}/fetch", {mode: "no-cors"}).catch(() => {});
fetch("http://localhost:{port}/name", {mode: "no-cors"}).catch(() => {});
navigator.sendBeacon("http://{canary}/beacon", "x");
try { new WebSocket("ws://{canary}/socket") } catch {}
try { new EventSource("http://{canary}/events") } catch {}
new RTCPeerConnection({iceServers: [{urls: "turn:{canary}?transport=tcp", username: "u", credential: "c"}]})
  .createDataChannel("x");
window.open("http://{canary}/popup");
f.submit();
</script><p>tried</p>"#;

#[actix::test]
async fn a_page_reaches_no_address_that_is_not_allowed() {
    let canary = Site::canary().await;
    let address = canary.address;
    let body = ATTEMPTS.replace("{canary}", &address.to_string()).replace("{port}", &address.port().to_string());
    let site = Site::serve("127.0.0.2", move |_| html(body.clone())).await;
    // By its name the page comes through the proxy even when the lock is broken.
    let rig = Rig::with(testing::egress(SITES, &format!("shop.test={}", site.address)), |_| {});
    let page = rig.render("http://shop.test/").await.expect("the page itself is allowed");
    assert!(page.html.contains("<p>tried</p>"));
    assert_eq!(canary.connections(), 0);
    assert!(site.connections() > 0);
}

#[actix::test]
async fn a_private_address_is_named_whether_asked_for_or_led_to() {
    let canary = Site::canary().await;
    let forbidden = canary.url("/");
    let (there, by_script) = (forbidden.clone(), format!("<script>location.href = '{forbidden}'</script>"));
    let site = Site::serve("127.0.0.2", move |request| match request.uri().path() {
        "/redirect" => redirect(&there),
        _ => html(by_script.clone()),
    })
    .await;
    let rig = Rig::start();
    let tunnelled = forbidden.replace("http:", "https:");
    for url in [forbidden.clone(), tunnelled, site.url("/redirect"), site.url("/script")] {
        let refusal = rig.render(&url).await.expect_err("it may not be reached");
        let RenderError::Egress(error) = refusal else { panic!("{url}: {refusal:?}") };
        assert_eq!(error, EgressError::PrivateAddress("127.0.0.1".to_owned()), "{url}");
    }
    assert_eq!(canary.connections(), 0);
}

#[actix::test]
async fn a_name_leads_where_the_host_map_says() {
    let site = Site::serve("127.0.0.2", |_| html("<p>welcome</p>")).await;
    let rig = Rig::with(testing::egress(SITES, &format!("shop.test={}", site.address)), |_| {});
    let page = rig.render("http://shop.test/").await.expect("it is mapped");
    assert_eq!(page.final_url.as_str(), "http://shop.test/");
    assert!(page.html.contains("welcome"));
}

#[actix::test]
async fn a_page_that_cannot_be_reached_says_why() {
    let rig = Rig::start();
    let unknown = rig.render("http://unknown.test/").await.expect_err("nobody knows the name");
    let RenderError::Egress(error) = unknown else { panic!("{unknown:?}") };
    assert!(matches!(error.reason(), "dns" | "timeout"), "{error:?}");
    let gone = Site::serve("127.0.0.2", |_| html("")).await.url("/");
    let closed = rig.render(&gone).await.expect_err("nobody listens");
    assert_eq!(closed, EgressError::Refused("127.0.0.2".to_owned()).into());
    let plain = Site::serve("127.0.0.2", |_| html("")).await;
    let untrusted = rig.render(&plain.url("/").replace("http:", "https:")).await.expect_err("it speaks no TLS");
    assert_eq!(untrusted, EgressError::Tls("127.0.0.2".to_owned()).into());
    let file = rig.render("file:///etc/hostname").await.expect_err("it is not the web");
    assert!(matches!(file, RenderError::Egress(EgressError::BadUrl(_))), "{file:?}");
}

#[actix::test]
async fn the_browsers_own_port_is_out_of_reach_of_its_pages() {
    let rig = Rig::with(testing::egress("127.0.0.0/8", ""), |_| {});
    let site = Site::serve("127.0.0.2", |_| html("<p>up</p>")).await;
    rig.render(&site.url("/")).await.expect("it is allowed");
    let profile = std::fs::read_dir(rig.scratch.path()).expect("the folder is there").next().expect("a browser runs");
    let file = profile.expect("it can be read").path().join("DevToolsActivePort");
    let text = std::fs::read_to_string(file).expect("the browser wrote its port");
    let port = text.lines().next().expect("the first line is the port");
    let refusal = rig.render(&format!("http://127.0.0.1:{port}/json/list")).await.expect_err("it is ours");
    assert_eq!(refusal, EgressError::PrivateAddress("127.0.0.1".to_owned()).into());
}

#[actix::test]
async fn contexts_share_no_cookies() {
    let site = Site::serve("127.0.0.2", |request| {
        let cookie = request.headers().get("cookie").and_then(|value| value.to_str().ok()).unwrap_or("none");
        html(format!("<p>{cookie}</p><script>document.cookie = 'left=behind'</script>"))
    })
    .await;
    let rig = Rig::start();
    for _ in 0..2 {
        let page = rig.render(&site.url("/")).await.expect("it is a page");
        assert!(page.html.contains("<p>none</p>"), "{}", page.html);
    }
}
