use actors::key_ring::Plan;

use crate::helpers::TestApp;

#[actix_web::test]
async fn a_page_comes_back_as_html_with_what_it_says_of_itself() {
    let app = TestApp::start().await;
    let user = app.key(Plan::Pro, 10).await;
    let reply = app.scrape("html", "/article", "&javascript=false", &user).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    let body = reply.json();
    assert_eq!(body["success"], true);
    assert_eq!(body["credits_used"], 1);
    assert_eq!(body["request_id"], reply.header("x-request-id"));
    let data = &body["data"];
    assert_eq!(data["url"], "http://site.test/article");
    assert_eq!(data["status_code"], 200);
    assert!(data["html"].as_str().is_some_and(|html| html.contains("<nav>")), "uncleaned");
    assert_eq!(data["headers"]["content-type"], "text/html; charset=utf-8");
    assert!(data["metadata"]["title"].as_str().is_some_and(|title| title.contains("lighthouse at Skarvik")));
    assert_eq!(data["metadata"]["description"], "A village that would not let its light go out.");
    assert_eq!(data["metadata"]["rendered"], false);
    assert!(data["metadata"]["load_time_ms"].is_u64());
}

#[actix_web::test]
async fn a_page_comes_back_as_markdown_of_its_main_content() {
    let app = TestApp::start().await;
    let user = app.key(Plan::Pro, 10).await;
    let reply = app.scrape("markdown", "/article", "&javascript=false", &user).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    let body = reply.json();
    assert_eq!(body["credits_used"], 2);
    let data = &body["data"];
    let markdown = data["markdown"].as_str().expect("markdown");
    assert!(markdown.contains("one hundred and ninety-four"), "{markdown}");
    assert!(markdown.contains("## A committee of eleven"), "{markdown}");
    assert!(markdown.contains("[coastal authority](http://site.test/authority)"), "{markdown}");
    assert!(!markdown.contains("Weather") && !markdown.contains("All rights reserved"), "{markdown}");
    assert!(data["word_count"].as_u64().is_some_and(|words| (150..260).contains(&words)), "{}", data["word_count"]);
    assert_eq!(data["metadata"]["author"], "Ingrid Dahl");
    assert_eq!(data["metadata"]["published_date"], "2024-03-17");
}

#[actix_web::test]
async fn markdown_options_are_obeyed() {
    let app = TestApp::start().await;
    let user = app.key(Plan::Pro, 20).await;
    let options = "&javascript=false&include_links=false&include_images=false&main_content_only=false";
    let reply = app.scrape("markdown", "/article", options, &user).await;
    let markdown = reply.json()["data"]["markdown"].as_str().expect("markdown").to_owned();
    assert!(markdown.contains("Weather") && markdown.contains("All rights reserved"), "{markdown}");
    assert!(!markdown.contains("]("), "neither links nor images: {markdown}");
    assert!(markdown.contains("coastal authority"), "a link's text stays: {markdown}");
}

#[actix_web::test]
async fn text_made_by_script_is_there_when_scripts_run_and_only_then() {
    let app = TestApp::start().await;
    let user = app.key(Plan::Pro, 20).await;
    let rendered = app.scrape("markdown", "/scripted", "", &user).await;
    assert_eq!(rendered.status, 200, "{}", rendered.text);
    let data = &rendered.json()["data"];
    assert!(data["markdown"].as_str().is_some_and(|text| text.contains("written by a script")), "{data}");
    assert_eq!(data["metadata"]["rendered"], true);
    let plain = app.scrape("html", "/scripted", "&javascript=false", &user).await.json();
    assert_eq!(plain["data"]["metadata"]["title"], "Scripted");
    assert!(plain["data"]["html"].as_str().is_some_and(|html| html.contains(r#"<main id="app"></main>"#)));
}

#[actix_web::test]
async fn an_element_that_appears_late_is_waited_for() {
    let app = TestApp::start().await;
    let user = app.key(Plan::Pro, 20).await;
    let reply = app.scrape("html", "/late", "&wait_for=%23late", &user).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    assert!(reply.json()["data"]["html"].as_str().is_some_and(|html| html.contains("Late text.")));
    let never = app.scrape("html", "/late", "&wait_for=%23never&timeout=2500", &user).await;
    assert_eq!((never.status, never.detail("reason").as_str()), (502, "timeout"), "{}", never.text);
    assert_eq!(app.balance(&user).await.available(), 19, "what failed is free");
}

#[actix_web::test]
async fn the_targets_own_status_is_an_answer() {
    let app = TestApp::start().await;
    let user = app.key(Plan::Pro, 20).await;
    for more in ["&javascript=false", ""] {
        let reply = app.scrape("html", "/missing", more, &user).await;
        assert_eq!(reply.status, 200, "{}", reply.text);
        assert_eq!(reply.json()["data"]["status_code"], 404);
        assert_eq!(reply.json()["data"]["metadata"]["title"], "Gone");
    }
}

#[actix_web::test]
async fn redirects_are_followed_and_said() {
    let app = TestApp::start().await;
    let user = app.key(Plan::Pro, 20).await;
    for more in ["&javascript=false", ""] {
        let data = app.scrape("html", "/moved", more, &user).await.json()["data"].clone();
        assert_eq!(data["url"], "http://site.test/moved");
        assert_eq!(data["metadata"]["final_url"], "http://site.test/article");
        assert_eq!(data["metadata"]["canonical_url"], "http://site.test/article");
    }
}

#[actix_web::test]
async fn the_charset_of_the_page_is_respected() {
    let app = TestApp::start().await;
    let user = app.key(Plan::Pro, 20).await;
    for more in ["&javascript=false", ""] {
        let data = app.scrape("html", "/latin1", more, &user).await.json()["data"].clone();
        assert_eq!(data["metadata"]["title"], "Café");
    }
}

#[actix_web::test]
async fn text_that_is_not_html_comes_back_as_it_is() {
    let app = TestApp::start().await;
    let user = app.key(Plan::Pro, 20).await;
    for more in ["&javascript=false", ""] {
        let plain = app.scrape("markdown", "/plain", more, &user).await.json();
        assert_eq!(plain["data"]["markdown"], "just *text*\n");
        let json = app.scrape("html", "/json", more, &user).await.json();
        assert_eq!(json["data"]["html"], r#"{"a":1}"#);
        assert_eq!(json["data"]["metadata"]["rendered"], false);
    }
}
