use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use super::*;

#[test]
fn nothing_has_to_be_set() {
    let settings = settings(&[]);
    assert_eq!(settings.warnings, Vec::<String>::new());
    assert_eq!((settings.http.port, settings.http.bind), (3001, IpAddr::V4(Ipv4Addr::UNSPECIFIED)));
    assert_eq!((settings.http.node_env, settings.http.log_level), (NodeEnv::Development, LogLevel::Info));
    assert_eq!(settings.http.app_url.as_str(), "http://localhost:3000/");
    for url in [&settings.http.api_url, &settings.http.public_api_url, &settings.http.service_base_url] {
        assert_eq!(url.as_str(), "http://localhost:3001/");
    }
    assert!(!settings.http.auth_bypass);
    assert_eq!(settings.database.url.expose(), "sqlite://./data/blazon.db");
    assert!(settings.egress.allow_cidrs.is_empty() && settings.egress.hosts.is_empty());
    assert_eq!(settings.storage, StorageSettings::Files("./data/assets".into()));
    assert_eq!(settings.cache.store, None);
    assert_eq!(settings.email, None);
}

#[test]
fn the_proxy_defaults_are_those_of_the_specification() {
    let proxy = settings(&[]).proxy;
    assert!(proxy.escalation_enabled && !proxy.skip_direct && !proxy.has_proxy());
    assert_eq!((proxy.max_retries_per_tier, proxy.request_timeout), (2, Duration::from_secs(15)));
    assert_eq!(proxy.escalation_status_codes, [403, 429, 503, 520, 521, 522, 523, 524]);
}

#[test]
fn the_cache_keeps_each_kind_as_long_as_the_specification_says() {
    let (hour, day) = (Duration::from_secs(3_600), Duration::from_secs(86_400));
    let expected = CacheTtls {
        brand: 7 * day,
        brand_simple: 7 * day,
        html: hour,
        markdown: hour,
        screenshot: day,
        sitemap: day,
        naics: 30 * day,
        fonts: 7 * day,
    };
    assert_eq!(settings(&[]).cache.ttl, expected);
    assert_eq!(settings(&[("CACHE_TTL_HTML", "0")]).cache.ttl.html, Duration::ZERO);
}

#[test]
fn the_plans_are_those_of_the_specification() {
    let rows = settings(&[]).plans.by_name().map(|(name, limits)| {
        (name, limits.per_minute, limits.per_day, limits.concurrent_crawls, limits.monthly_credits, limits.rollover)
    });
    let expected = [
        ("free", 20, 1_000, 1, 0, false),
        ("starter", 60, 10_000, 3, 5_000, false),
        ("pro", 200, 100_000, 10, 50_000, false),
        ("enterprise", 1_000, 1_000_000, 50, 0, false),
    ];
    assert_eq!(rows, expected);
}

#[test]
fn a_worker_has_its_own_port_and_takes_the_pool_sizes_over() {
    let browser = settings(&[("BROWSER_POOL_SIZE", "5"), ("MAX_CONCURRENT_PAGES", "20")]).browser;
    assert_eq!((browser.pool_size, browser.max_concurrent_pages), (5, 20));
    assert_eq!(browser.page_timeout, Duration::from_secs(30));
    assert_eq!((browser.worker.port, browser.worker.pool_size, browser.worker.max_contexts), (3002, 5, 20));
    let worker = settings(&[("PORT", "4000"), ("POOL_SIZE", "2"), ("MAX_CONTEXTS", "4")]).browser.worker;
    assert_eq!((worker.port, worker.pool_size, worker.max_contexts), (4000, 2, 4));
}

#[test]
fn a_worker_without_a_token_listens_on_loopback_only() {
    assert!(settings(&[("BIND", "0.0.0.0")]).browser.worker.bind.is_loopback());
    let open = settings(&[("BIND", "10.0.0.1"), ("HOSTING_API_TOKEN", "shared-with-the-server")]);
    assert_eq!(open.browser.worker.bind, IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1)));
}

#[test]
fn addresses_of_the_api_follow_the_internal_one_until_they_are_set() {
    let http = settings(&[("API_URL", "http://api:3001"), ("NEXT_PUBLIC_API_URL", "https://example.com/api")]).http;
    assert_eq!(http.service_base_url.as_str(), "http://api:3001/");
    assert_eq!(http.public_api_url.join("v1/account").expect("a path").as_str(), "https://example.com/api/v1/account");
}

#[test]
fn a_model_follows_the_default_until_it_has_its_own() {
    let models = settings(&[("LLM_DEFAULT_MODEL", "one"), ("LLM_QUERY_MODEL", "two")]).llm.models;
    assert_eq!(models.extraction.as_deref(), Some("one"));
    assert_eq!(models.classification.as_deref(), Some("one"));
    assert_eq!(models.query.as_deref(), Some("two"));
}

#[test]
fn an_object_store_is_used_once_its_credentials_are_there() {
    let storage = settings(&[
        ("OBJECT_STORE_ACCESS_KEY", "id"),
        ("OBJECT_STORE_SECRET_KEY", "key"),
        ("OBJECT_STORE_ENDPOINT", "https://objects.example.com"),
    ])
    .storage;
    let StorageSettings::S3(s3) = storage else { panic!("not a bucket: {storage:?}") };
    assert_eq!(s3.bucket, "blazon-assets");
    assert_eq!(s3.endpoint.expect("an endpoint").as_str(), "https://objects.example.com/");
    assert_eq!(settings(&[("STORAGE_PROVIDER", "database")]).storage, StorageSettings::Database);
}

#[test]
fn ranges_lose_their_host_bits_and_a_single_address_is_a_range() {
    let egress = settings(&[("EGRESS_ALLOW_CIDRS", "10.1.2.3/8, ::1,")]).egress;
    let ranges: Vec<_> = egress.allow_cidrs.iter().map(ToString::to_string).collect();
    assert_eq!(ranges, ["10.0.0.0/8", "::1/128"]);
}
