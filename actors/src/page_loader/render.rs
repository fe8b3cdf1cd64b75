use std::time::Duration;

use tokio::time::Instant;

use super::load::PageOrder;
use super::{PageLoader, WorkError};
use crate::browser_pool::{RenderError, RenderPage, RenderedPage};
use crate::proxy_escalator::{ChooseTier, Outcome, Tier, TierWorked, climb};

/// Renders a page through the cheapest tier that is not refused. Where there is
/// one tier only, nobody is asked about it.
///
/// # Errors
/// [`WorkError`] of the last attempt.
pub(super) async fn render(
    loader: &PageLoader,
    order: &PageOrder,
    deadline: Instant,
) -> Result<RenderedPage, WorkError> {
    let attempt = async |tier, limit| through(loader, order, tier, deadline, limit).await;
    if let [only] = loader.proxies.tiers()[..] {
        return attempt(only, None).await;
    }
    let host = order.url.host_str().unwrap_or_default().to_owned();
    let start = loader.escalator.ask_until(deadline, ChooseTier { host: host.clone() }).await?;
    let climbed = climb(&loader.proxies, start, (&host, deadline), attempt, judge).await;
    if climbed.is_news
        && let Err(error) = loader.escalator.ask_until(deadline, TierWorked { host, tier: climbed.tier }).await
    {
        tracing::debug!(%error, "a tier that worked is not remembered");
    }
    climbed.ended
}

async fn through(
    loader: &PageLoader,
    order: &PageOrder,
    tier: Tier,
    deadline: Instant,
    limit: Option<Duration>,
) -> Result<RenderedPage, WorkError> {
    let request = RenderPage {
        url: order.url.clone(),
        wait_for: order.wait_for.clone(),
        measure: order.measure,
        upstream: loader.proxies.upstream_for(tier).cloned(),
        deadline,
        limit,
    };
    Ok(loader.browser.ask_until(deadline + loader.reply_grace, request).await??)
}

/// A selector that matches nothing counts as a time-out: pages that ask whether
/// the reader is human have none of the elements of the page behind them.
fn judge(ended: &Result<RenderedPage, WorkError>) -> Outcome<'_> {
    match ended {
        Ok(page) => Outcome::answered(page.status, &page.final_url),
        Err(WorkError::Render(RenderError::Egress(error))) => Outcome::Failed(error),
        Err(WorkError::Render(RenderError::SelectorNotFound(_))) => Outcome::Late,
        Err(_) => Outcome::Unrelated,
    }
}
