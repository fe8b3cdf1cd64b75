use crate::browser_pool::GetBrowserHealth;
use crate::cache::{CacheKey, LookUp};
use crate::system::Services;

/// The state of one thing the service stands on.
#[derive(Debug, Clone)]
pub struct Check {
    pub name: &'static str,
    /// What is wrong, in words for the operator; `None` when it works.
    pub problem: Option<String>,
}

/// Asks each thing the service stands on whether it works.
pub async fn readiness(services: &Services) -> Vec<Check> {
    let (database, cache, browser) = futures::join!(database(services), cache(services), browser(services));
    vec![
        Check { name: "database", problem: database },
        Check { name: "cache", problem: cache },
        Check { name: "browser", problem: browser },
    ]
}

async fn database(services: &Services) -> Option<String> {
    crate::database::ping(&services.database).await.err().map(|error| format!("no answer: {error}"))
}

async fn cache(services: &Services) -> Option<String> {
    let probe = LookUp { key: CacheKey::new("readiness", &[]) };
    if let Err(error) = services.cache.ask(probe).await {
        return Some(error.to_string());
    }
    let problem = services.shared.as_ref()?.problem().await?;
    Some(format!("CACHESTORE_REST_URL: {problem}"))
}

async fn browser(services: &Services) -> Option<String> {
    match services.loader.browser.ask(GetBrowserHealth).await {
        Ok(health) => health.problem,
        Err(error) => Some(error.to_string()),
    }
}
