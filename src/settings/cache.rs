use std::time::Duration;

use super::parse;
use super::reader::{Read, Reader};
use super::secret::Secret;
use super::variable::Variable;

const CACHESTORE_REST_URL: Variable = Variable::optional(
    "CACHESTORE_REST_URL",
    "answers are kept inside the process, the day's requests in the database",
    "redis://localhost:6379",
    "Store that all replicas share, for answers and rate limits: `redis://` or `rediss://`, or `http(s)://` for one that speaks the Redis-over-REST protocol.",
)
.secret();
const CACHESTORE_REST_TOKEN: Variable = Variable::optional(
    "CACHESTORE_REST_TOKEN",
    "none",
    "token-of-the-store",
    "Bearer token of the shared store; required with an `http(s)://` address.",
)
.secret();
const CACHE_TTL_BRAND: Variable =
    Variable::defaulting("CACHE_TTL_BRAND", "604800", "Seconds that brand data is kept.").later();
const CACHE_TTL_BRAND_SIMPLE: Variable =
    Variable::defaulting("CACHE_TTL_BRAND_SIMPLE", "604800", "Seconds that simplified brands are kept.").later();
const CACHE_TTL_HTML: Variable =
    Variable::defaulting("CACHE_TTL_HTML", "3600", "Seconds that scraped HTML is kept; 0 keeps none, here and below.");
const CACHE_TTL_MARKDOWN: Variable =
    Variable::defaulting("CACHE_TTL_MARKDOWN", "3600", "Seconds that scraped Markdown is kept.");
const CACHE_TTL_SCREENSHOT: Variable =
    Variable::defaulting("CACHE_TTL_SCREENSHOT", "86400", "Seconds that screenshots are kept.").later();
const CACHE_TTL_SITEMAP: Variable =
    Variable::defaulting("CACHE_TTL_SITEMAP", "86400", "Seconds that sitemaps are kept.");
const CACHE_TTL_NAICS: Variable =
    Variable::defaulting("CACHE_TTL_NAICS", "2592000", "Seconds that industry classifications are kept.").later();
const CACHE_TTL_FONTS: Variable =
    Variable::defaulting("CACHE_TTL_FONTS", "604800", "Seconds that font lists are kept.").later();

pub(super) const VARIABLES: &[Variable] = &[
    CACHESTORE_REST_URL,
    CACHESTORE_REST_TOKEN,
    CACHE_TTL_HTML,
    CACHE_TTL_MARKDOWN,
    CACHE_TTL_BRAND,
    CACHE_TTL_BRAND_SIMPLE,
    CACHE_TTL_SCREENSHOT,
    CACHE_TTL_SITEMAP,
    CACHE_TTL_NAICS,
    CACHE_TTL_FONTS,
];

/// Where answers are cached, and for how long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CacheSettings {
    /// `CACHESTORE_REST_URL` and `CACHESTORE_REST_TOKEN`; `None` for the cache
    /// inside the process.
    pub store: Option<CacheStoreSettings>,
    pub ttl: CacheTtls,
}

/// A cache that several replicas share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CacheStoreSettings {
    /// `redis://`, `rediss://`, `http://` or `https://`, with its credentials.
    pub url: Secret,
    /// Always there when `url` is `http://` or `https://`.
    pub token: Option<Secret>,
}

/// How long each kind of answer is kept; zero keeps none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CacheTtls {
    /// `CACHE_TTL_BRAND`
    pub brand: Duration,
    /// `CACHE_TTL_BRAND_SIMPLE`
    pub brand_simple: Duration,
    /// `CACHE_TTL_HTML`
    pub html: Duration,
    /// `CACHE_TTL_MARKDOWN`
    pub markdown: Duration,
    /// `CACHE_TTL_SCREENSHOT`
    pub screenshot: Duration,
    /// `CACHE_TTL_SITEMAP`
    pub sitemap: Duration,
    /// `CACHE_TTL_NAICS`
    pub naics: Duration,
    /// `CACHE_TTL_FONTS`
    pub fonts: Duration,
}

impl CacheSettings {
    pub(super) fn read(reader: &mut Reader<'_>) -> Read<Self> {
        let store = read_store(reader);
        let ttl = CacheTtls::read(reader);
        Ok(Self { store: store?, ttl: ttl? })
    }
}

fn read_store(reader: &mut Reader<'_>) -> Read<Option<CacheStoreSettings>> {
    let url = reader.optional(&CACHESTORE_REST_URL, parse::address(&["redis", "rediss", "http", "https"]));
    let token = reader.secret(&CACHESTORE_REST_TOKEN);
    let (url, token) = (url?, token?);
    let Some(url) = url else {
        if token.is_some() {
            reader.warn("CACHESTORE_REST_TOKEN has no effect without CACHESTORE_REST_URL");
        }
        return Ok(None);
    };
    if token.is_none() && url.to_ascii_lowercase().starts_with("http") {
        let problem = "it is not set, and CACHESTORE_REST_URL with http:// or https:// needs it";
        return Err(reader.refuse(&CACHESTORE_REST_TOKEN, problem));
    }
    Ok(Some(CacheStoreSettings { url: Secret::new(url), token }))
}

impl CacheTtls {
    fn read(reader: &mut Reader<'_>) -> Read<Self> {
        let brand = reader.value(&CACHE_TTL_BRAND, parse::ttl);
        let brand_simple = reader.value(&CACHE_TTL_BRAND_SIMPLE, parse::ttl);
        let html = reader.value(&CACHE_TTL_HTML, parse::ttl);
        let markdown = reader.value(&CACHE_TTL_MARKDOWN, parse::ttl);
        let screenshot = reader.value(&CACHE_TTL_SCREENSHOT, parse::ttl);
        let sitemap = reader.value(&CACHE_TTL_SITEMAP, parse::ttl);
        let naics = reader.value(&CACHE_TTL_NAICS, parse::ttl);
        let fonts = reader.value(&CACHE_TTL_FONTS, parse::ttl);
        Ok(Self {
            brand: brand?,
            brand_simple: brand_simple?,
            html: html?,
            markdown: markdown?,
            screenshot: screenshot?,
            sitemap: sitemap?,
            naics: naics?,
            fonts: fonts?,
        })
    }
}
