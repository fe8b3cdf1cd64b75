//! Starts the actors in the order of their dependence, and drains them in
//! reverse.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use actix::Arbiter;
use sea_orm::DatabaseConnection;
use serde::Serialize;
use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::browser_pool::{BrowserPoolActor, BrowserPoolConfig, Drain};
use crate::cache::{AnswerStore, CacheActor, MemoryStore, SingleFlight};
use crate::crawl_job::{CrawlJobsActor, CrawlSubjects, HandBack};
use crate::credit_ledger::CreditLedgerActor;
use crate::egress::Egress;
use crate::flows::Finished;
use crate::job_queue::JobQueue;
use crate::key_ring::{KeyRingActor, Plan};
use crate::page_loader::{CpuPool, PageLoader, WorkError};
use crate::proxy_escalator::{ProxyConfig, ProxyEscalatorActor};
use crate::rate_limiter::{Counts, RateLimiterActor, RateLimits, SettleCounts};
use crate::shared_store::{SharedStore, SharedStoreConfig};
use crate::supervise::{Escalation, Gate, Keeper, KeeperHandle, RestartPolicy, Room};
use crate::webhook_outbox::{FinishAttempts, OutboxConfig, RootSecret, WebhookOutboxActor};

/// What the actors need to know.
pub struct SystemConfig {
    pub database: DatabaseConnection,
    pub jobs: JobQueue,
    pub egress: Egress,
    pub proxies: ProxyConfig,
    pub browser: BrowserPoolConfig,
    pub ttls: CacheTtls,
    pub plans: Plans,
    /// Where answers and request counts are when several replicas share them;
    /// without it, answers are in this process and counts in the database.
    pub shared_store: Option<SharedStoreConfig>,
    /// Bytes that the in-process cache may hold.
    pub cache_bytes: u64,
    /// What webhooks are signed with; without it, a secret in the database.
    pub webhook_root: Option<RootSecret>,
}

/// How long finished answers are kept; zero keeps none.
#[derive(Debug, Clone, Copy)]
pub struct CacheTtls {
    pub html: Duration,
    pub markdown: Duration,
    pub sitemap: Duration,
}

/// The limits of each plan.
#[derive(Debug, Clone)]
pub struct Plans(BTreeMap<Plan, PlanLimits>);

/// What a plan allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct PlanLimits {
    pub requests_per_minute: u32,
    pub requests_per_day: u32,
    pub concurrent_crawls: u32,
    /// Credits granted for each paid month.
    pub monthly_credits: i64,
}

impl Plans {
    /// Returns the table made by `limits_of`.
    pub fn new(limits_of: impl Fn(Plan) -> PlanLimits) -> Self {
        Self(Plan::ALL.into_iter().map(|plan| (plan, limits_of(plan))).collect())
    }

    /// The limits of a plan.
    pub fn of(&self, plan: Plan) -> PlanLimits {
        // `new` fills in every plan.
        self.0[&plan]
    }

    /// The part of the limits that the rate limiter needs.
    pub fn limits(&self, plan: Plan) -> RateLimits {
        let limits = self.of(plan);
        RateLimits { per_minute: limits.requests_per_minute, per_day: limits.requests_per_day }
    }
}

/// The gates to all actors, and what flows share besides. Cheap to clone.
#[derive(Clone)]
pub struct Services {
    pub cache: Gate<CacheActor>,
    pub crawls: Gate<CrawlJobsActor>,
    pub keys: Gate<KeyRingActor>,
    pub ledger: Gate<CreditLedgerActor>,
    pub rates: Gate<RateLimiterActor>,
    pub webhooks: Gate<WebhookOutboxActor>,
    pub(crate) database: DatabaseConnection,
    pub(crate) egress: Egress,
    pub(crate) flights: SingleFlight<Finished, WorkError>,
    pub(crate) loader: PageLoader,
    pub(crate) plans: Arc<Plans>,
    pub(crate) shared: Option<SharedStore>,
    pub(crate) ttls: CacheTtls,
}

/// The running actors.
pub struct ActorSystem {
    services: Services,
    keepers: Vec<(&'static str, KeeperHandle)>,
    escalated: mpsc::UnboundedReceiver<Escalation>,
}

impl ActorSystem {
    /// Starts everything. Needs a running actix system.
    #[expect(clippy::too_many_lines, reason = "a list of the actors, in the order of their start")]
    pub fn start(config: SystemConfig) -> Self {
        let (escalations, escalated) = mpsc::unbounded_channel();
        // Money and bookkeeping answer in microseconds and must not wait behind
        // page bodies; so they have a thread of their own.
        let (books, fetching, browsing) = (Arbiter::new().handle(), Arbiter::new().handle(), Arbiter::new().handle());
        let room = |name, arbiter: &actix::ArbiterHandle, slots, seconds| Room {
            name,
            arbiter: arbiter.clone(),
            slots,
            patience: Duration::from_secs(seconds),
            policy: RestartPolicy::default(),
        };
        let SystemConfig { database, jobs, egress, proxies, browser, ttls, plans, shared_store, cache_bytes, .. } =
            config;
        let subjects = Arc::new(CrawlSubjects::new(database.clone()));
        let outbox = OutboxConfig::new(database.clone(), egress.clone(), subjects, config.webhook_root);
        let mut keepers = Vec::new();
        macro_rules! keep {
            ($name:literal, $arbiter:expr, $slots:expr, $seconds:expr, $factory:expr) => {{
                let (gate, keeper) =
                    Keeper::start(room($name, $arbiter, $slots, $seconds), escalations.clone(), $factory);
                keepers.push(($name, keeper));
                gate
            }};
        }

        let db = database.clone();
        let ledger = keep!("credit ledger", &books, 4096, 10, move |line| CreditLedgerActor::new(db.clone(), line));
        let db = database.clone();
        let keys = keep!("key ring", &books, 4096, 10, move |line| KeyRingActor::new(db.clone(), line));
        // What comes from the shared store is as large as pages are.
        let storing = if shared_store.is_some() { Arbiter::new().handle() } else { books.clone() };
        let shared = shared_store.map(|config| SharedStore::start(config, &storing));
        let counts = shared.clone().map_or_else(|| Counts::Database(database.clone()), Counts::Shared);
        let rates = keep!("rate limiter", &books, 4096, 5, move |line| RateLimiterActor::new(counts.clone(), line));
        let store = answer_store(shared.clone(), cache_bytes);
        let cache = keep!("cache", &storing, 4096, 5, move |line| CacheActor::new(store.clone(), line));
        let guard = egress.clone();
        let (out, proxies) = (egress.clone(), Arc::new(proxies));
        let tiers = proxies.clone();
        let escalator = keep!("proxy escalator", &fetching, 512, 60, move |line| {
            ProxyEscalatorActor::new(out.clone(), tiers.clone(), line)
        });
        // Running plus waiting: three deep per page slot, then 503.
        let slots = browser.max_pages * 3;
        let browser = keep!("browser pool", &browsing, slots, 60, move |line| {
            BrowserPoolActor::new(egress.clone(), &browser, line)
        });

        let loader =
            PageLoader { browser, escalator, cpu: CpuPool::default(), proxies, reply_grace: Duration::from_secs(1) };
        let crawling = Arbiter::new().handle();
        let (db, queue, pages) = (database.clone(), jobs, loader.clone());
        let crawls = keep!("crawl jobs", &crawling, 1024, 10, move |line| {
            CrawlJobsActor::new(db.clone(), queue.clone(), pages.clone(), line)
        });
        let posting = Arbiter::new().handle();
        let webhooks = keep!("webhooks", &posting, 1024, 10, move |line| WebhookOutboxActor::new(outbox.clone(), line));

        let services = Services {
            cache,
            crawls,
            keys,
            ledger,
            rates,
            webhooks,
            database,
            egress: guard,
            flights: SingleFlight::default(),
            loader,
            plans: Arc::new(plans),
            shared,
            ttls,
        };
        Self { services, keepers, escalated }
    }

    /// The gates.
    pub fn services(&self) -> Services {
        self.services.clone()
    }

    /// Waits until an actor has died too often to be kept.
    pub async fn escalation(&mut self) -> Escalation {
        match self.escalated.recv().await {
            Some(escalation) => escalation,
            // All keepers are gone: the process is ending anyway.
            None => std::future::pending().await,
        }
    }

    /// Ends the actors in reverse order of their start: browsers are closed and
    /// their folders removed, which may take `patience`, then the books.
    pub async fn drain(self, patience: Duration) {
        let now = Instant::now();
        if let Err(error) = self.services.crawls.ask(HandBack).await {
            tracing::warn!(%error, "crawls were not handed back, their leases will end");
        }
        let closing = self.services.loader.browser.ask_until(now + patience, Drain { pages_until: now });
        let finishing = finish_attempts(&self.services.webhooks, now + patience);
        let (closed, ()) = futures::join!(closing, finishing);
        if let Err(error) = closed {
            tracing::warn!(%error, "browsers were not closed in order");
        }
        if let Err(error) = self.services.rates.ask(SettleCounts).await {
            tracing::warn!(%error, "request counts were not settled");
        }
        if let Some(store) = &self.services.shared {
            store.leave().await;
        }
        for (name, keeper) in self.keepers.into_iter().rev() {
            keeper.retire().await;
            tracing::debug!(actor = name, "actor retired");
        }
        if let Err(error) = self.services.database.close().await {
            tracing::warn!(%error, "the database was not closed in order");
        }
    }
}

fn answer_store(shared: Option<SharedStore>, cache_bytes: u64) -> Arc<dyn AnswerStore> {
    match shared {
        Some(store) => Arc::new(store),
        None => Arc::new(MemoryStore::new(cache_bytes)),
    }
}

/// Lets attempts at webhooks end and be written down: one that is not is made
/// again.
async fn finish_attempts(webhooks: &Gate<WebhookOutboxActor>, until: Instant) {
    match webhooks.ask_until(until + Duration::from_secs(1), FinishAttempts { until }).await {
        Ok(0) => {}
        Ok(unfinished) => tracing::warn!(unfinished, "attempts at webhooks were cut off"),
        Err(error) => tracing::warn!(%error, "attempts at webhooks were not finished in order"),
    }
}

/// Starts the key ring alone, in the current arbiter: what a command line needs
/// that only looks after keys.
pub fn key_ring(database: DatabaseConnection) -> Gate<KeyRingActor> {
    let (escalations, _) = mpsc::unbounded_channel();
    let room = Room {
        name: "key ring",
        arbiter: Arbiter::current(),
        slots: 1,
        patience: Duration::from_secs(30),
        policy: RestartPolicy::default(),
    };
    Keeper::start(room, escalations, move |line| KeyRingActor::new(database.clone(), line)).0
}
