use super::*;
use crate::egress::testing::Site;

/// Far below the 30 s after which a driver gives up by itself.
const WELL_BEFORE: Duration = Duration::from_secs(10);

async fn site() -> Site {
    Site::serve("127.0.0.2", |request| match request.uri().path() {
        "/script" => html("<!doctype html><p id=p>plain</p><script>p.textContent = 'made by ' + 'script'</script>"),
        "/late" => html(
            "<p>early</p><script>setTimeout(() => document.body.insertAdjacentHTML('beforeend', '<b class=late>there</b>'), 700)</script>",
        ),
        "/missing" => typed(404, "text/html", "<h1>nothing here</h1>"),
        "/pdf" => typed(200, "application/pdf", "%PDF-1.4"),
        "/json" => typed(200, "application/json", "{}"),
        "/empty" => Response::builder().status(204).body(Full::default()).expect("valid"),
        "/download" => {
            let answer = Response::builder().header("content-type", "text/html");
            let answer = answer.header("content-disposition", "attachment; filename=a.html");
            answer.body(Full::from("<p>saved</p>")).expect("valid")
        }
        "/alert" => html("<script>alert(1); confirm(2); prompt(3)</script><p>after the dialogs</p>"),
        "/moved" => redirect("/script"),
        "/other-site" => html("<p>gate</p><script>location.href = 'http://other.test/script'</script>"),
        "/script-moved" => html("<p>gate</p><script>location.replace('/missing')</script>"),
        "/reading" => html("<p>stays</p><script>setTimeout(() => { location.href = '/empty' }, 10)</script>"),
        "/large" => html("<p>large</p><script>document.body.append(document.createComment('x'.repeat(21 * 1024 * 1024)))</script>"),
        "/loop" => html("<p>before</p><script>onload = () => { for (;;); }</script>"),
        "/headers" => {
            let answer = Response::builder().header("content-type", "text/html").header("X-Shop", "open");
            answer.body(Full::from("<p>hi</p>")).expect("valid")
        }
        _ => typed(404, "text/plain", ""),
    })
    .await
}

#[actix::test]
async fn a_page_is_read_as_its_scripts_left_it() {
    let (rig, site) = (Rig::start(), site().await);
    let page = rig.render(&site.url("/script")).await.expect("it is a page");
    assert_eq!(page.status, 200);
    assert!(page.html.starts_with("<!DOCTYPE html>\n<html>"), "{}", page.html);
    assert!(page.html.contains("<p id=\"p\">made by script</p>"), "{}", page.html);
}

#[actix::test]
async fn the_status_and_the_headers_are_those_of_the_last_document() {
    let (rig, site) = (Rig::start(), site().await);
    let missing = rig.render(&site.url("/missing")).await.expect("an error page is a page");
    assert_eq!(missing.status, 404);
    let moved = rig.render(&site.url("/moved")).await.expect("it leads to a page");
    assert_eq!((moved.status, moved.final_url.path()), (200, "/script"));
    let by_script = rig.render(&site.url("/script-moved")).await.expect("it leads to a page");
    assert_eq!((by_script.status, by_script.final_url.path()), (404, "/missing"));
    assert!(by_script.html.contains("nothing here"));
    let headers = rig.render(&site.url("/headers")).await.expect("it is a page").headers;
    assert!(headers.contains(&("x-shop".to_owned(), "open".to_owned())), "{headers:?}");
}

#[actix::test]
async fn a_page_may_move_on_to_another_site() {
    let site = site().await;
    let hosts = format!("one.test={0},other.test={0}", site.address);
    let rig = Rig::with(testing::egress(SITES, &hosts), |_| {});
    let page = rig.render("http://one.test/other-site").await.expect("it leads to a page");
    assert_eq!(page.final_url.as_str(), "http://other.test/script");
    assert!(page.html.contains("made by script"));
}

#[actix::test]
async fn a_selector_is_waited_for() {
    let (rig, site) = (Rig::start(), site().await);
    let url = site.url("/late");
    let page = rig.render_within(WELL_BEFORE, &url, Some("b.late")).await.expect("it comes in time");
    assert!(page.html.contains("there"));
    let never = rig.render_within(Duration::from_secs(3), &url, Some("b.never")).await;
    assert_eq!(never.expect_err("it never comes"), RenderError::SelectorNotFound("b.never".to_owned()));
    let bad = rig.render_within(WELL_BEFORE, &url, Some("b..")).await;
    assert_eq!(bad.expect_err("it is no selector"), RenderError::BadSelector("b..".to_owned()));
}

#[actix::test]
async fn what_is_not_html_is_named() {
    let (rig, site) = (Rig::start(), site().await);
    for (path, content_type) in
        [("/pdf", "application/pdf"), ("/json", "application/json"), ("/download", "an attachment")]
    {
        let answer = rig.render_within(WELL_BEFORE, &site.url(path), None).await;
        let expected = RenderError::NotHtml { content_type: content_type.to_owned() };
        assert_eq!(answer.expect_err("it is not HTML"), expected, "{path}");
    }
}

#[actix::test]
async fn an_answer_without_content_is_an_empty_page() {
    let (rig, site) = (Rig::start(), site().await);
    let page = rig.render_within(WELL_BEFORE, &site.url("/empty"), None).await.expect("it is an answer");
    assert_eq!((page.status, page.html.as_str()), (204, ""));
    let stays = rig.render_within(WELL_BEFORE, &site.url("/reading"), None).await.expect("it stays");
    assert_eq!((stays.status, stays.final_url.path()), (200, "/reading"));
}

#[actix::test]
async fn dialogs_do_not_hold_a_page_up() {
    let (rig, site) = (Rig::start(), site().await);
    let page = rig.render_within(WELL_BEFORE, &site.url("/alert"), None).await.expect("it is a page");
    assert!(page.html.contains("after the dialogs"));
}

#[actix::test]
async fn a_document_over_the_limit_is_refused() {
    let (rig, site) = (Rig::start(), site().await);
    let refusal = rig.render(&site.url("/large")).await.expect_err("it is too large");
    assert_eq!(refusal, RenderError::Egress(crate::egress::EgressError::TooLarge("127.0.0.2".to_owned())));
}

#[actix::test]
async fn a_page_that_spins_ends_at_the_deadline_and_leaves_the_browser_usable() {
    let (rig, site) = (Rig::start(), site().await);
    let spins = rig.render_within(Duration::from_secs(3), &site.url("/loop"), None).await;
    assert_eq!(
        spins.expect_err("it cannot be read"),
        crate::egress::EgressError::Timeout("127.0.0.2".to_owned()).into()
    );
    rig.render(&site.url("/script")).await.expect("the next page is none the worse");
}

/// A page whose script never arrives: the parser stands still, `load` never comes.
#[actix::test]
async fn a_page_that_never_loads_is_shown_as_it_stands() {
    let silent = tokio::net::TcpListener::bind("127.0.0.2:0").await.expect("a port is free");
    let address = silent.local_addr().expect("it is bound");
    let body = format!("<p>text that came</p><img src=http://{address}/never.png>");
    let site = Site::serve("127.0.0.2", move |_| html(body.clone())).await;
    let rig = Rig::with(testing::egress(SITES, ""), |config| config.page_timeout = Duration::from_secs(1));
    let page = rig.render(&site.url("/")).await.expect("something came");
    assert!(page.html.contains("text that came"));
    let nothing = rig.render_within(Duration::from_secs(3), &format!("http://{address}/"), None).await;
    assert_eq!(nothing.expect_err("nothing came"), crate::egress::EgressError::Timeout("127.0.0.2".to_owned()).into());
}
