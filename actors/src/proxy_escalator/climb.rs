use std::time::Duration;

use tokio::time::Instant;

use super::{Ladder, Outcome, ProxyConfig, Tier};

/// How a climb ended.
pub(crate) struct Climbed<T> {
    /// What the last attempt brought.
    pub ended: T,
    /// The tier of the last attempt.
    pub tier: Tier,
    /// Whether that tier served the page and the memory does not know it.
    pub is_news: bool,
}

/// Makes the attempts of a ladder that begins at `start` until one stands or
/// the deadline is over. Each is given its tier and how long it may take, if
/// there is a limit besides the deadline. The last one is the answer, be it a
/// page that says no.
pub(crate) async fn climb<T>(
    config: &ProxyConfig,
    start: Option<Tier>,
    (host, deadline): (&str, Instant),
    attempt: impl AsyncFn(Tier, Option<Duration>) -> T,
    judge: impl Fn(&T) -> Outcome<'_>,
) -> Climbed<T> {
    let mut ladder = Ladder::new(config, start);
    let first = ladder.tier();
    loop {
        let tier = ladder.tier();
        let ended = attempt(tier, ladder.limit()).await;
        let outcome = judge(&ended);
        let is_served = ladder.is_served(outcome);
        match ladder.next(outcome) {
            Some(next) if Instant::now() < deadline => {
                tracing::debug!(host, ?tier, ?next, ?outcome, "the page is tried again");
            }
            _ => return Climbed { ended, tier, is_news: is_served && (start.is_some() || tier != first) },
        }
    }
}
