//! What the settings mean for the actors.

use std::net::SocketAddr;
use std::time::Duration;

use actors::browser_pool::BrowserPoolConfig;
use actors::database::Database;
use actors::egress::{Egress, EgressConfig};
use actors::key_ring::Plan;
use actors::proxy_escalator::ProxyConfig;
use actors::system::{CacheTtls, PlanLimits, Plans, SystemConfig};
use anyhow::Context as _;

use crate::settings::Settings;

/// Bytes of finished answers kept in this process.
const CACHE_BYTES: u64 = 128 << 20;

/// Returns the configuration of all actors; `port` is the one really bound.
///
/// # Errors
/// When a setting that only its room understands is wrong; the message names
/// the variable.
pub fn system_config(settings: &Settings, database: Database, port: u16) -> anyhow::Result<SystemConfig> {
    Ok(SystemConfig {
        database,
        egress: egress(settings, port)?,
        proxies: proxies(settings)?,
        browser: browser(settings),
        ttls: CacheTtls { html: settings.cache.ttls.html, markdown: settings.cache.ttls.markdown },
        plans: plans(settings),
        cache_bytes: CACHE_BYTES,
    })
}
