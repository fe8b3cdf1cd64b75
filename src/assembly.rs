//! What the settings mean for the actors.

use std::net::SocketAddr;

use actors::browser_pool::BrowserPoolConfig;
use actors::database::DatabaseConnection;
use actors::egress::{Egress, EgressConfig};
use actors::job_queue::JobQueue;
use actors::key_ring::Plan;
use actors::proxy_escalator::ProxyConfig;
use actors::shared_store::SharedStoreConfig;
use actors::system::{CacheTtls, PlanLimits, Plans, SystemConfig};
use actors::webhook_outbox::RootSecret;
use anyhow::Context as _;

use crate::settings::{Secret, Settings};

/// Bytes of finished answers kept in this process.
const CACHE_BYTES: u64 = 128 << 20;

/// Returns the configuration of all actors; `port` is the one really bound.
///
/// # Errors
/// When a setting that only its room understands is wrong; the message names
/// the variable.
pub async fn system_config(
    settings: &Settings,
    database: DatabaseConnection,
    port: u16,
) -> anyhow::Result<SystemConfig> {
    let lock_file = settings.database.data_dir.join("jobs.lock");
    Ok(SystemConfig {
        jobs: JobQueue::open(database.clone(), &lock_file).await?,
        database,
        egress: egress(settings, port)?,
        proxies: proxies(settings)?,
        browser: browser(settings),
        ttls: CacheTtls {
            html: settings.cache.ttl.html,
            markdown: settings.cache.ttl.markdown,
            sitemap: settings.cache.ttl.sitemap,
        },
        plans: plans(settings),
        shared_store: shared_store(settings)?,
        cache_bytes: CACHE_BYTES,
        webhook_root: settings.jobs.secret_key.as_ref().map(|key| RootSecret::new(key.expose())),
    })
}

fn shared_store(settings: &Settings) -> anyhow::Result<Option<SharedStoreConfig>> {
    let Some(store) = &settings.cache.store else { return Ok(None) };
    let config = SharedStoreConfig::new(store.url.expose(), store.token.as_ref().map(Secret::expose));
    config.map(Some).context("CACHESTORE_REST_URL")
}

fn egress(settings: &Settings, port: u16) -> anyhow::Result<Egress> {
    let ca_cert = settings.egress.ca_cert.as_ref().map(std::fs::read).transpose();
    let config = EgressConfig {
        allow_cidrs: settings.egress.allow_cidrs.clone(),
        hosts: settings.egress.hosts.parse().context("EGRESS_HOSTS")?,
        ca_cert_pem: ca_cert.context("EGRESS_CA_CERT")?,
        nameservers: Vec::new(),
        own_sockets: vec![SocketAddr::new(settings.http.bind, port)],
        user_agent: user_agent(settings),
    };
    Egress::new(config).context("the way out to the web cannot be set up")
}

/// Names the product and where its operator can be found.
fn user_agent(settings: &Settings) -> String {
    format!("BlazonBot/{} (+{})", env!("CARGO_PKG_VERSION"), settings.http.app_url)
}

fn proxies(settings: &Settings) -> anyhow::Result<ProxyConfig> {
    let proxy = &settings.proxy;
    let upstream = |name: &'static str, url: &Option<Secret>| {
        url.as_ref().map(|url| url.expose().parse()).transpose().context(name)
    };
    Ok(ProxyConfig {
        datacenter: upstream("PROXY_DATACENTER_URL", &proxy.datacenter)?,
        residential: upstream("PROXY_RESIDENTIAL_URL", &proxy.residential)?,
        isp: upstream("PROXY_ISP_URL", &proxy.isp)?,
        enabled: proxy.escalation_enabled,
        skip_direct: proxy.skip_direct,
        max_retries_per_tier: proxy.max_retries_per_tier,
        request_timeout: proxy.request_timeout,
        escalation_status_codes: proxy.escalation_status_codes.clone(),
    })
}

fn browser(settings: &Settings) -> BrowserPoolConfig {
    let browser = &settings.browser;
    BrowserPoolConfig {
        executable: browser.executable.clone(),
        pool_size: browser.pool_size,
        max_pages: browser.max_concurrent_pages,
        page_timeout: browser.page_timeout,
        allow_no_sandbox: browser.allow_no_sandbox,
        memory_limit: browser.memory_limit,
        scratch_dir: settings.database.data_dir.join("browser"),
    }
}

fn plans(settings: &Settings) -> Plans {
    Plans::new(|plan| {
        let limits = match plan {
            Plan::Free => &settings.plans.free,
            Plan::Starter => &settings.plans.starter,
            Plan::Pro => &settings.plans.pro,
            Plan::Enterprise => &settings.plans.enterprise,
        };
        PlanLimits {
            requests_per_minute: limits.per_minute,
            requests_per_day: limits.per_day,
            concurrent_crawls: limits.concurrent_crawls,
            monthly_credits: limits.monthly_credits,
        }
    })
}
