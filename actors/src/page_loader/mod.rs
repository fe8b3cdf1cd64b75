//! Loading one page, by a plain fetch or in the browser, whoever needs it: a
//! request or a crawl. No state of its own, only gates.

mod cpu;
mod error;
mod load;
mod media;
mod render;
mod sitemap;

use std::sync::Arc;
use std::time::Duration;

pub use cpu::CpuPool;
pub use error::WorkError;
pub use load::{LoadedPage, PageOrder, load_page};
pub use sitemap::{FoundSitemap, SitemapLimits, find_sitemap, find_sitemap_of_domain};

use crate::browser_pool::BrowserPoolActor;
use crate::proxy_escalator::{ProxyConfig, ProxyEscalatorActor};
use crate::supervise::Gate;

/// What loading a page asks. Cheap to clone.
#[derive(Clone)]
pub struct PageLoader {
    pub(crate) browser: Gate<BrowserPoolActor>,
    pub(crate) escalator: Gate<ProxyEscalatorActor>,
    pub(crate) cpu: CpuPool,
    pub(crate) proxies: Arc<ProxyConfig>,
    /// How long after its deadline an actor's own report of the time-out is
    /// still waited for: it says more than the gate's.
    pub(crate) reply_grace: Duration,
}
