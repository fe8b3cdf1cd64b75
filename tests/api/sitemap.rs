//! Sitemaps from the outside: where they are looked for, what is read of them,
//! what they cost, and what hostile ones cannot do.

use std::io::Write;

use actix_web::HttpResponse;
use actors::key_ring::{CreatedKey, Plan};
use flate2::Compression;
use flate2::write::GzEncoder;
use futures::future::join_all;
use serde_json::{Value, json};

use crate::helpers::{Canary, MORE_HOSTS, Reply, TestApp, Web, page};

async fn app_with(web: &Web) -> TestApp {
    let hosts = format!("{},private.test=127.0.0.2:80", web.named("map.test"));
    TestApp::start_with(&[(MORE_HOSTS, &hosts)]).await
}

async fn sitemap(app: &TestApp, user: &CreatedKey, query: &str) -> Reply {
    app.get(&format!("/v1/web/scrape/sitemap?domain={query}"), &user.key).await
}

async fn data(app: &TestApp, user: &CreatedKey) -> Value {
    let reply = sitemap(app, user, "map.test").await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    reply.json()["data"].clone()
}

fn xml(body: String) -> HttpResponse {
    HttpResponse::Ok().content_type("application/xml").body(body)
}

/// A list of pages, by their paths on the site.
fn pages(paths: &[&str]) -> String {
    let urls = paths.iter().map(|path| format!("<url><loc>http://map.test{path}</loc></url>"));
    format!(
        "<?xml version=\"1.0\"?><urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">{}</urlset>",
        urls.collect::<String>()
    )
}

/// An index of further files, by their URLs or paths on the site.
fn index(files: &[&str]) -> String {
    let absolute = |file: &str| if file.starts_with('/') { format!("http://map.test{file}") } else { file.to_owned() };
    let files = files.iter().map(|file| format!("<sitemap><loc>{}</loc></sitemap>", absolute(file)));
    format!("<?xml version=\"1.0\"?><sitemapindex>{}</sitemapindex>", files.collect::<String>())
}

fn gzipped(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).expect("memory takes it");
    encoder.finish().expect("memory takes it")
}

fn robots(text: &'static str) -> HttpResponse {
    HttpResponse::Ok().content_type("text/plain").body(text)
}

fn urls(data: &Value) -> Vec<String> {
    let urls = data["urls"].as_array().expect("URLs").iter();
    urls.map(|url| url.as_str().expect("a URL").replace("http://map.test", "")).collect()
}

#[actix_web::test]
async fn what_robots_txt_lists_is_read_paid_and_kept() {
    let web = Web::start(|path| match path {
        "/robots.txt" => robots(
            "User-agent: *\nDisallow: /maps/\nSitemap: /maps/pages.xml\nsitemap:http://map.test/maps/news.txt # new",
        ),
        "/maps/pages.xml" => xml(pages(&["/", "/blog/1", "/blog/2", "/about"])),
        "/maps/news.txt" => HttpResponse::Ok().body("\u{feff}http://map.test/news/1\r\n\nhttp://map.test/blog/1\n"),
        _ => HttpResponse::NotFound().finish(),
    });
    let app = app_with(&web).await;
    let user = app.key(Plan::Pro, 10).await;
    let first = sitemap(&app, &user, "map.test").await;
    assert_eq!(first.status, 200, "{}", first.text);
    let body = first.json();
    let listed =
        ["/", "/blog/1", "/blog/2", "/about", "/news/1", "/blog/1"].map(|path| format!("http://map.test{path}"));
    assert_eq!(
        body["data"],
        json!({
            "domain": "map.test",
            "sitemap": "http://map.test/maps/pages.xml",
            "urls": listed,
            "count": 6,
            "groups": {
                "/": { "count": 1, "samples": ["http://map.test/"] },
                "about": { "count": 1, "samples": ["http://map.test/about"] },
                "blog": { "count": 3, "samples": ["http://map.test/blog/1", "http://map.test/blog/2", "http://map.test/blog/1"] },
                "news": { "count": 1, "samples": ["http://map.test/news/1"] },
            },
            "truncated": false,
        })
    );
    assert_eq!(body["_meta"]["cache"], json!({ "hit": false }));
    assert!(body["_meta"]["timing"]["total_ms"].is_u64(), "{body}");
    assert_eq!(body.as_object().map(|body| body.len()), Some(2), "{body}");
    assert_eq!((first.header("x-credits-used"), first.header("x-cache")), ("1", "miss"));
    assert!(!web.asked().contains_key("/sitemap.xml"), "the usual places are for sites that list none");

    let second = sitemap(&app, &user, "http://MAP.test/any/path").await;
    assert_eq!(second.json()["data"], body["data"]);
    assert_eq!(second.json()["_meta"]["cache"], json!({ "hit": true }));
    assert_eq!((second.header("x-credits-used"), second.header("x-credits-remaining")), ("1", "8"));
    assert_eq!(web.asked()["/maps/pages.xml"], 1);
    assert_eq!(sitemap(&app, &user, "map.test&cache=false").await.header("x-cache"), "miss");
    assert_eq!(web.asked()["/maps/pages.xml"], 2);
}

#[actix_web::test]
async fn the_usual_places_are_tried_in_order_and_indexes_followed() {
    let web = Web::start(|path| {
        match path {
        "/robots.txt" => robots("User-agent: *\nSitemap: http://map.test/gone.xml\n"),
        // An error page that says it is fine.
        "/sitemap.xml" => page("not found", &[]),
        "/sitemap_index.xml" => HttpResponse::Found().insert_header(("location", "/root.xml")).finish(),
        "/root.xml" => xml(index(&["/a.xml", "/nested.xml", "/root.xml", "/sitemap_index.xml", "/gone.xml", "/b.xml.gz"])),
        "/nested.xml" => xml(index(&["/feed", "/nested.xml", "/a.xml#again"])),
        "/a.xml" => xml(pages(&["/a/1", "/a/1"])),
        "/b.xml.gz" => HttpResponse::Ok().content_type("application/gzip").body(gzipped(pages(&["/b/1"]).as_bytes())),
        "/feed" => HttpResponse::Ok().content_type("text/html").body(
            "<rss><channel><link>http://map.test/</link><item><link>http://map.test/feed/1</link></item></channel></rss>",
        ),
        _ => HttpResponse::NotFound().finish(),
    }
    });
    let app = app_with(&web).await;
    let user = app.key(Plan::Pro, 10).await;
    let data = data(&app, &user).await;
    assert_eq!(urls(&data), ["/a/1", "/a/1", "/b/1", "/feed/1"], "{data}");
    assert_eq!((&data["sitemap"], &data["truncated"]), (&json!("http://map.test/root.xml"), &json!(false)));
    assert!(!web.asked().contains_key("/sitemap-index.xml"), "what comes after the first that has URLs");
    let asked = web.asked();
    for once in ["/gone.xml", "/nested.xml", "/a.xml", "/feed"] {
        assert_eq!(asked[once], 1, "{once}");
    }
}

#[actix_web::test]
async fn a_site_without_a_sitemap_costs_nothing_for_anybody() {
    let web = Web::start(|_| HttpResponse::NotFound().finish());
    let app = app_with(&web).await;
    let user = app.key(Plan::Pro, 10).await;
    let empty = |domain: &str| json!({ "domain": domain, "sitemap": null, "urls": [], "count": 0, "groups": {}, "truncated": false });
    let replies = join_all((0..5).map(|_| sitemap(&app, &user, "map.test"))).await;
    for reply in replies {
        assert_eq!(reply.status, 200, "{}", reply.text);
        assert_eq!(reply.json()["data"], empty("map.test"));
        assert_eq!(reply.header("x-credits-used"), "0");
    }
    for place in ["/robots.txt", "/sitemap.xml", "/sitemap_index.xml", "/sitemap-index.xml"] {
        assert!(web.asked().contains_key(place), "{place}");
    }
    let nobody = sitemap(&app, &user, "no-such-name.test").await;
    let data = &nobody.json()["data"];
    assert_eq!((nobody.status, &data["sitemap"], &data["truncated"]), (200, &Value::Null, &json!(true)), "{data}");
    let balance = app.balance(&user).await;
    assert_eq!((balance.balance, balance.held), (10, 0));
}

#[actix_web::test]
async fn a_sitemap_that_appears_is_found_the_next_time() {
    let published = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let is_there = published.clone();
    let web = Web::start(move |path| match path {
        "/sitemap.xml" if is_there.load(std::sync::atomic::Ordering::Relaxed) => xml(pages(&["/new"])),
        _ => HttpResponse::NotFound().finish(),
    });
    let app = app_with(&web).await;
    let user = app.key(Plan::Pro, 1).await;
    assert_eq!(data(&app, &user).await["count"], 0);
    published.store(true, std::sync::atomic::Ordering::Relaxed);
    assert_eq!(urls(&data(&app, &user).await), ["/new"]);
    let refused = sitemap(&app, &user, "map.test").await;
    assert_eq!((refused.status, refused.code().as_str()), (402, "USAGE_EXCEEDED"));
}

#[actix_web::test]
async fn a_thousand_urls_are_enough() {
    let web = Web::start(|path| match path {
        "/sitemap.xml" => xml(index(&["/1.xml", "/2.xml", "/3.xml", "/4.xml", "/5.xml", "/6.xml"])),
        path => match path.strip_suffix(".xml") {
            Some(number @ ("/1" | "/2" | "/3" | "/4" | "/5" | "/6")) => {
                let paths: Vec<_> = (0..400).map(|at| format!("/part{}/{at}", &number[1..])).collect();
                xml(pages(&paths.iter().map(String::as_str).collect::<Vec<_>>()))
            }
            _ => HttpResponse::NotFound().finish(),
        },
    });
    let app = app_with(&web).await;
    let user = app.key(Plan::Pro, 10).await;
    let data = data(&app, &user).await;
    let urls = urls(&data);
    assert_eq!((urls.len(), &data["count"], &data["truncated"]), (1_000, &json!(1_000), &json!(true)));
    assert_eq!((urls[0].as_str(), urls[400].as_str(), urls[999].as_str()), ("/part1/0", "/part2/0", "/part3/199"));
    assert_eq!(data["groups"]["part3"]["count"], 200);
    assert_eq!(data["groups"]["part3"]["samples"].as_array().map(Vec::len), Some(5));
    assert!(!web.asked().contains_key("/6.xml"), "the search ends with the URLs that are wanted");
}

#[actix_web::test]
async fn what_is_missing_for_now_is_said_and_not_kept() {
    let web = Web::start(|path| match path {
        "/sitemap.xml" => xml(index(&["/busy.xml", "/a.xml"])),
        "/a.xml" => xml(pages(&["/a"])),
        "/busy.xml" => HttpResponse::ServiceUnavailable().finish(),
        _ => HttpResponse::NotFound().finish(),
    });
    let app = app_with(&web).await;
    let user = app.key(Plan::Pro, 10).await;
    for _ in 0..2 {
        let reply = sitemap(&app, &user, "map.test").await;
        assert_eq!(reply.header("x-cache"), "miss");
        let data = reply.json()["data"].clone();
        assert_eq!((urls(&data), &data["truncated"]), (vec!["/a".to_owned()], &json!(true)));
    }
}

#[actix_web::test]
async fn hostile_sitemaps_stay_within_bounds() {
    let bomb = gzipped(&vec![b' '; 60 << 20]);
    let trap = Canary::start().await;
    let canary = trap.address();
    let web = Web::start(move |path| {
        match path {
        "/robots.txt" => HttpResponse::Ok().body(format!("Sitemap: http://{canary}/listed.xml\nSitemap: file:///etc/passwd\nSitemap: /index.xml")),
        "/index.xml" => {
            let endless: Vec<_> = (0..100).map(|at| format!("/endless/{at}")).collect();
            let reaching = format!("http://{canary}/in.xml");
            let others = ["http://127.0.0.2/x.xml", "http://[::1]/x.xml", "http://private.test/x.xml", "http://map.test:99/x.xml", &reaching];
            let own = ["/laughs.xml", "/bomb.xml.gz", "/coded.xml", "/to-canary", "/loop", "/broken.xml"];
            xml(index(&own.into_iter().chain(others).chain(endless.iter().map(String::as_str)).collect::<Vec<_>>()))
        }
        "/laughs.xml" => xml("<!DOCTYPE urlset [<!ENTITY a 'http://map.test/a'><!ENTITY b '&a;&a;&a;&a;'>]><urlset><url><loc>&b;</loc></url><url><loc>http://map.test/laughs</loc></url></urlset>".to_owned()),
        "/bomb.xml.gz" => HttpResponse::Ok().body(bomb.clone()),
        "/coded.xml" => HttpResponse::Ok().insert_header(("content-encoding", "gzip")).body(bomb.clone()),
        "/to-canary" => HttpResponse::Found().insert_header(("location", format!("http://{canary}/secret"))).finish(),
        "/loop" => HttpResponse::Found().insert_header(("location", "/loop")).finish(),
        "/broken.xml" => xml(format!("{}<url><loc>http://map.test/half", pages(&["/whole"]).trim_end_matches("</urlset>"))),
        path if path.starts_with("/endless/") => xml(index(&[&format!("{path}x"), &format!("{path}y")])),
        _ => HttpResponse::NotFound().finish(),
    }
    });
    let app = app_with(&web).await;
    let user = app.key(Plan::Pro, 10).await;
    let data = data(&app, &user).await;
    assert_eq!(urls(&data), ["/laughs", "/whole"], "{data}");
    assert_eq!((&data["sitemap"], &data["truncated"]), (&json!("http://map.test/index.xml"), &json!(true)));
    let files = web.asked().into_iter().filter(|(path, _)| path != "/robots.txt" && path != "/loop");
    assert!(files.map(|(_, times)| times).sum::<usize>() <= 50);
    assert_eq!(trap.hits(), 0);
}

#[actix_web::test]
async fn a_wrong_domain_is_named_and_costs_nothing() {
    let web = Web::start(|_| HttpResponse::NotFound().finish());
    let app = app_with(&web).await;
    let user = app.key(Plan::Pro, 10).await;
    for domain in [
        "",
        "localhost",
        "127.0.0.1",
        "[::1]",
        "2130706433",
        "0x7f.1",
        "co.uk",
        "map.test:8080",
        "me@map.test",
        "map..test",
        "ftp://map.test",
        "file:///etc/passwd",
        "http://169.254.169.254/latest",
        "private.test",
        "map%20.test",
        "map.test&cache=maybe",
    ] {
        let reply = sitemap(&app, &user, domain).await;
        let field = if domain.contains("cache") { "cache" } else { "domain" };
        assert_eq!((reply.status, reply.code().as_str()), (400, "INPUT_VALIDATION_ERROR"), "{domain}: {}", reply.text);
        assert_eq!(reply.detail("field"), field, "{domain}");
        assert_eq!(reply.header("x-credits-used"), "0", "{domain}");
    }
    let balance = app.balance(&user).await;
    assert_eq!((balance.balance, balance.held), (10, 0));
    assert_eq!((app.canary.hits(), web.asked().len()), (0, 0));
    let stranger = app.get("/v1/web/scrape/sitemap?domain=map.test", "").await;
    assert_eq!((stranger.status, stranger.code().as_str()), (401, "UNAUTHORIZED"));
}

#[actix_web::test]
async fn a_crawl_that_is_told_to_begins_with_the_sitemap_too() {
    let web = Web::start(|path| match path {
        "/robots.txt" => robots("Sitemap: map.xml\nUser-agent: *\nDisallow: /private\n"),
        "/map.xml" => xml(pages(&["/listed/1", "/private/1", "/start/", "/listed/2"])
            .replace("</urlset>", "<url><loc>http://elsewhere.test/</loc></url></urlset>")),
        "/start/" => page("home", &["/linked".to_owned()]),
        "/linked" | "/listed/1" | "/listed/2" => page(path, &[]),
        _ => HttpResponse::NotFound().finish(),
    });
    let app = app_with(&web).await;
    let user = app.key(Plan::Pro, 50).await;
    for (more, paths) in
        [(true, vec!["/start/", "/linked", "/listed/1", "/listed/2"]), (false, vec!["/start/", "/linked"])]
    {
        let body = json!({ "url": "http://map.test/start/", "useSitemap": more });
        let started = app.post("/v1/web/crawl", &user.key, &[], &body).await;
        assert_eq!(started.status, 202, "{}", started.text);
        let id = started.json()["jobId"].as_str().expect("an id").to_owned();
        let ended = loop {
            let data = app.get(&format!("/v1/web/crawl/{id}"), &user.key).await.json()["data"].clone();
            if matches!(data["status"].as_str(), Some("completed" | "failed")) {
                break data;
            }
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        };
        let crawled = ended["pages"].as_array().expect("pages").iter();
        let crawled: Vec<_> =
            crawled.map(|page| page["url"].as_str().expect("a URL").replace("http://map.test", "")).collect();
        assert_eq!(crawled, paths, "{ended}");
        assert_eq!(ended["skipped"]["robots"], i32::from(more), "{ended}");
    }
    assert_eq!(web.asked()["/map.xml"], 1);
}
