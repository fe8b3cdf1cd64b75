use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::time::Duration;

use url::Url;

use super::reader::{Read, Reader};
use super::secret::Secret;
use super::variable::{Unset, Variable};
use super::{http, parse};

const BROWSER_POOL_URL: Variable = Variable::optional(
    "BROWSER_POOL_URL",
    "browsers run beside the API server",
    "http://worker-1:3002,http://worker-2:3002",
    "Comma-separated addresses of browser workers.",
)
.later();
const BROWSER_POOL_SIZE: Variable = Variable::defaulting("BROWSER_POOL_SIZE", "3", "Browser processes, 1 to 64.");
const MAX_CONCURRENT_PAGES: Variable =
    Variable::defaulting("MAX_CONCURRENT_PAGES", "10", "Pages open at a time in all browsers together, 1 to 1024.");
const PAGE_TIMEOUT: Variable =
    Variable::defaulting("PAGE_TIMEOUT", "30000", "Milliseconds before the load of a page is given up, 100 to 600000.");
const BROWSER_MEMORY_MB: Variable = Variable::defaulting(
    "BROWSER_MEMORY_MB",
    "700",
    "Megabytes that the processes of one browser may hold together, 300 to 65536. Above that its largest page is ended, \
     and the browser is replaced.",
);
const BROWSER_EXECUTABLE: Variable = Variable::optional(
    "BROWSER_EXECUTABLE",
    "the first Chromium found in the usual places",
    "/usr/bin/chromium-headless-shell",
    "Chromium to start.",
);
const BROWSER_ALLOW_NO_SANDBOX: Variable = Variable::defaulting(
    "BROWSER_ALLOW_NO_SANDBOX",
    "false",
    "Whether Chromium may run without its sandbox where the system cannot give it one.",
);
const HOSTING_API_TOKEN: Variable = Variable::optional(
    "HOSTING_API_TOKEN",
    "a browser worker listens on loopback only",
    "a-long-random-text",
    "Bearer token between API server and browser worker.",
)
.secret()
.later();
const POOL_SIZE: Variable = Variable::optional(
    "POOL_SIZE",
    "the value of `BROWSER_POOL_SIZE`",
    "3",
    "Browser processes of a `blazon browser-worker`, 1 to 64.",
)
.later();
const MAX_CONTEXTS: Variable = Variable::optional(
    "MAX_CONTEXTS",
    "the value of `MAX_CONCURRENT_PAGES`",
    "10",
    "Pages open at a time in a `blazon browser-worker`, 1 to 1024.",
)
.later();
/// `PORT` as the worker reads it.
const WORKER_PORT: Variable = Variable { unset: Unset::Value("3002"), ..http::PORT };

pub(super) const VARIABLES: &[Variable] = &[
    BROWSER_POOL_URL,
    BROWSER_POOL_SIZE,
    MAX_CONCURRENT_PAGES,
    PAGE_TIMEOUT,
    BROWSER_MEMORY_MB,
    BROWSER_EXECUTABLE,
    BROWSER_ALLOW_NO_SANDBOX,
    HOSTING_API_TOKEN,
    POOL_SIZE,
    MAX_CONTEXTS,
];

/// Where pages are rendered, and how many at a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrowserSettings {
    /// `BROWSER_POOL_URL`; empty for the embedded pool.
    pub pool_urls: Vec<Url>,
    /// `BROWSER_POOL_SIZE`
    pub pool_size: usize,
    /// `MAX_CONCURRENT_PAGES`
    pub max_concurrent_pages: usize,
    /// `PAGE_TIMEOUT`
    pub page_timeout: Duration,
    /// `BROWSER_MEMORY_MB`, in bytes.
    pub memory_limit: u64,
    /// `BROWSER_EXECUTABLE`
    pub executable: Option<PathBuf>,
    /// `BROWSER_ALLOW_NO_SANDBOX`
    pub allow_no_sandbox: bool,
    /// `HOSTING_API_TOKEN`
    pub token: Option<Secret>,
    pub worker: WorkerSettings,
}

/// What `blazon browser-worker` goes by besides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkerSettings {
    /// `PORT`, with the worker's own default.
    pub port: u16,
    /// `BIND` when there is a token, else a loopback address.
    pub bind: IpAddr,
    /// `POOL_SIZE`
    pub pool_size: usize,
    /// `MAX_CONTEXTS`
    pub max_contexts: usize,
}

impl BrowserSettings {
    pub(super) fn read(reader: &mut Reader<'_>) -> Read<Self> {
        let pool_urls = reader.optional(&BROWSER_POOL_URL, parse::list(parse::base_url));
        let pool_size = reader.value(&BROWSER_POOL_SIZE, parse::within(1..=64));
        let max_concurrent_pages = reader.value(&MAX_CONCURRENT_PAGES, parse::within(1..=1024));
        let page_timeout = reader.value(&PAGE_TIMEOUT, parse::timeout);
        let memory_megabytes = reader.value(&BROWSER_MEMORY_MB, parse::within(300..=65536));
        let executable = reader.optional(&BROWSER_EXECUTABLE, parse::readable_file);
        let allow_no_sandbox = reader.value(&BROWSER_ALLOW_NO_SANDBOX, parse::flag);
        let token = reader.secret(&HOSTING_API_TOKEN);
        let worker = WorkerSettings::read(reader, pool_size, max_concurrent_pages, &token);
        let allow_no_sandbox = allow_no_sandbox?;
        if allow_no_sandbox {
            reader.warn("BROWSER_ALLOW_NO_SANDBOX is on: a page that breaks out of Chromium has this user's rights");
        }
        Ok(Self {
            pool_urls: pool_urls?.unwrap_or_default(),
            pool_size: pool_size?,
            max_concurrent_pages: max_concurrent_pages?,
            page_timeout: page_timeout?,
            memory_limit: memory_megabytes? << 20,
            executable: executable?,
            allow_no_sandbox,
            token: token?,
            worker: worker?,
        })
    }
}

impl WorkerSettings {
    fn read(
        reader: &mut Reader<'_>,
        pool_size: Read<usize>,
        max_concurrent_pages: Read<usize>,
        token: &Read<Option<Secret>>,
    ) -> Read<Self> {
        let port = reader.value(&WORKER_PORT, parse::port);
        let bind = reader.value(&http::BIND, parse::ip_address);
        let own_size = reader.optional(&POOL_SIZE, parse::within(1..=64));
        let own_contexts = reader.optional(&MAX_CONTEXTS, parse::within(1..=1024));
        let guarded = matches!(token, Ok(Some(_)));
        let bind = bind?;
        Ok(Self {
            port: port?,
            bind: if guarded || bind.is_loopback() { bind } else { IpAddr::V4(Ipv4Addr::LOCALHOST) },
            pool_size: own_size?.map_or(pool_size, Ok)?,
            max_contexts: own_contexts?.map_or(max_concurrent_pages, Ok)?,
        })
    }
}
