use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::{Mutex, OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::time::{Instant, timeout, timeout_at};

use super::chromium::Chromium;
use super::config::BrowserPoolConfig;
use super::context::Context;
use super::messages::{BrowserHealth, RenderError, RenderPage, RenderedPage};
use super::render::{Failure, Rendering, Timing};
use super::slot::{Launcher, Seat, Slot};
use super::tab::Fault;
use crate::egress::{Egress, EgressError};

/// How long the question about the pool's health may start a browser.
const HEALTH_LIMIT: Duration = Duration::from_secs(5);
/// How long an empty page may take to open. A renderer that dies before it is
/// watched leaves the browser itself waiting, and another try helps.
const OPEN_LIMIT: Duration = Duration::from_secs(5);
/// How long closing may take once no page is open.
const CLOSE_LIMIT: Duration = Duration::from_secs(12);

/// The browsers and the places for pages in them.
pub(super) struct Pool {
    egress: Egress,
    page_timeout: Duration,
    max_pages: usize,
    places: Arc<Semaphore>,
    waiting: AtomicUsize,
    launcher: Arc<Launcher>,
    slots: Vec<Arc<Slot>>,
    /// Ends when nothing is left of any browser.
    absence: Mutex<mpsc::Receiver<()>>,
}

/// A page's permit and its seat; given back when the page's context is gone.
struct Place {
    seat: Seat,
    _permit: OwnedSemaphorePermit,
}

impl Pool {
    pub fn new(egress: Egress, config: &BrowserPoolConfig) -> Self {
        let (presence, absence) = mpsc::channel(1);
        let launcher = Arc::new(Launcher::new(config, egress.clone(), presence));
        let max_pages = config.max_pages.max(1);
        Self {
            egress,
            page_timeout: config.page_timeout,
            max_pages,
            places: Arc::new(Semaphore::new(max_pages)),
            waiting: AtomicUsize::new(0),
            slots: (0..config.pool_size.max(1)).map(|_| Arc::new(Slot::new(launcher.clone()))).collect(),
            launcher,
            absence: Mutex::new(absence),
        }
    }

    /// Renders a page; what dies on the way is tried once more, within the
    /// deadline.
    pub async fn render(&self, order: RenderPage) -> Result<RenderedPage, RenderError> {
        if !matches!(order.url.scheme(), "http" | "https") {
            return Err(EgressError::BadUrl("only http and https addresses can be rendered".to_owned()).into());
        }
        let first = match self.attempt(&order).await {
            Ok(page) => return Ok(page),
            Err(Failure::Final(error) | Failure::Late(error)) => return Err(error),
            Err(died) => died,
        };
        tracing::warn!(?first, host = order.url.host_str(), "page died, trying once more");
        match self.attempt(&order).await {
            Ok(page) => Ok(page),
            Err(Failure::Final(error) | Failure::Late(error)) => Err(error),
            Err(Failure::Crashed) => Err(RenderError::Crashed),
            Err(Failure::Gone) => Err(RenderError::Unavailable("the browser failed twice".to_owned())),
        }
    }

    async fn attempt(&self, order: &RenderPage) -> Result<RenderedPage, Failure> {
        let place = self.place(order.deadline).await?;
        let started = timeout_at(order.deadline, started(place.seat.slot())).await;
        let late = || RenderError::Unavailable("the browser does not start in time".to_owned());
        let browser = started.map_err(|_| late())?.map_err(RenderError::Unavailable)?;
        let outcome = self.render_with(&browser, place, order).await;
        match &outcome {
            Ok(_) | Err(Failure::Final(_)) => browser.wear().note_in_time(),
            Err(Failure::Late(_)) => browser.wear().note_late(),
            Err(Failure::Gone | Failure::Crashed) => {}
        }
        outcome
    }

    async fn render_with(
        &self,
        browser: &Arc<Chromium>,
        place: Place,
        order: &RenderPage,
    ) -> Result<RenderedPage, Failure> {
        let opening = Context::open(browser.clone(), self.egress.clone(), order.upstream.clone());
        let opened = timeout_at(order.deadline, opening).await;
        let context = opened.map_err(|_| silent(browser))?.map_err(lost)?;
        let outcome = self.render_in(&context, order, browser).await;
        // The answer need not wait for this, the place must.
        tokio::spawn(async move {
            context.close().await;
            drop(place);
        });
        outcome
    }

    async fn render_in(
        &self,
        context: &Context,
        order: &RenderPage,
        browser: &Chromium,
    ) -> Result<RenderedPage, Failure> {
        let until = order.deadline.min(Instant::now() + OPEN_LIMIT);
        let tab = match timeout_at(until, context.open_tab()).await {
            Ok(tab) => tab.map_err(lost)?,
            Err(_) if until < order.deadline => return Err(Failure::Gone),
            Err(_) => return Err(silent(browser)),
        };
        let timing = Timing::until(order.due(), self.page_timeout);
        let refusals = |host: &str| context.proxy().refusal(host);
        Rendering { tab, order, timing, refusals: &refusals }.run().await
    }

    /// Waits for a place until the deadline, unless too many wait already.
    async fn place(&self, deadline: Instant) -> Result<Place, RenderError> {
        let permit = match self.places.clone().try_acquire_owned() {
            Ok(permit) => permit,
            Err(_) => {
                let _turn = Turn::take(&self.waiting, 2 * self.max_pages).ok_or_else(busy)?;
                let waited = timeout_at(deadline, self.places.clone().acquire_owned()).await;
                waited.map_err(|_| busy())?.map_err(|_| closing())?
            }
        };
        if self.places.is_closed() {
            return Err(closing());
        }
        let loads: Vec<_> =
            self.slots.iter().map(|slot| Load { ready: slot.ready().is_some(), pages: slot.pages() }).collect();
        let slot = &self.slots[choose(&loads, self.max_pages.div_ceil(self.slots.len()))];
        Ok(Place { seat: Seat::take(slot), _permit: permit })
    }

    /// Starts the first browser before anybody asks for it.
    pub async fn warm_up(&self) {
        self.launcher.sweep().await;
        if self.launcher.refusal().is_none() {
            // The failure is logged, and told to whoever asks for a page.
            let _ = self.slots[0].browser().await;
        }
    }

    /// Asks every browser for a sign of life; when there is none, whether one
    /// starts. One that lives and is silent is ended.
    pub async fn health(&self) -> BrowserHealth {
        let browsers =
            futures::future::join_all(self.slots.iter().filter_map(|slot| slot.ready()).map(answering)).await;
        let mut browsers = browsers.into_iter().filter(|answers| *answers).count();
        let mut problem = None;
        if self.places.is_closed() {
            problem = Some("the browser pool is closing".to_owned());
        } else if browsers == 0 {
            match timeout(HEALTH_LIMIT, started(&self.slots[0])).await {
                Ok(Ok(_)) => browsers = 1,
                Ok(Err(reason)) => problem = Some(reason),
                Err(_) => problem = Some("the browser does not start in time".to_owned()),
            }
        }
        BrowserHealth { problem, browsers, pages: self.slots.iter().map(|slot| slot.pages()).sum() }
    }

    /// Takes no more pages, lets those that are open finish until `pages_until`,
    /// closes all browsers and returns when nothing is left of them.
    pub async fn drain(&self, pages_until: Instant) {
        let all = u32::try_from(self.max_pages).unwrap_or(u32::MAX);
        let places = self.places.clone();
        // Whoever waits for a place stands before us in the line.
        let finished = timeout_at(pages_until, places.acquire_many(all)).await;
        self.places.close();
        drop(finished);
        self.launcher.retire();
        if timeout(CLOSE_LIMIT, async { self.absence.lock().await.recv().await }).await.is_err() {
            tracing::error!("browsers are still there after the drain");
        }
    }
}

/// The slot's browser. A start goes on when whoever wanted it gives up: on a
/// slow machine the next one finds it done.
async fn started(slot: &Arc<Slot>) -> Result<Arc<Chromium>, String> {
    if let Some(browser) = slot.ready() {
        return Ok(browser);
    }
    let slot = slot.clone();
    let starting = tokio::spawn(async move { slot.browser().await });
    starting.await.unwrap_or_else(|error| Err(error.to_string()))
}

async fn answering(browser: Arc<Chromium>) -> bool {
    let answers = browser.answers().await;
    if !answers && browser.is_up() {
        tracing::warn!(pid = browser.pid(), "browser is silent, ending it");
        browser.close();
    }
    answers
}

/// One in the line for a place.
struct Turn<'a>(&'a AtomicUsize);

impl<'a> Turn<'a> {
    fn take(waiting: &'a AtomicUsize, limit: usize) -> Option<Self> {
        let turn = Self(waiting);
        (waiting.fetch_add(1, Ordering::Relaxed) < limit).then_some(turn)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// How full a slot is.
#[derive(Debug, Clone, Copy)]
struct Load {
    ready: bool,
    pages: usize,
}

/// Returns the index of the slot for one more page: the emptiest running
/// browser with fewer than `share` pages, then one that is not running, then
/// the emptiest. More processes cost memory and win no time; they are for
/// isolation under load.
fn choose(loads: &[Load], share: usize) -> usize {
    let emptiest = |wanted: &dyn Fn(&Load) -> bool| {
        let slots = loads.iter().enumerate().filter(|(_, load)| wanted(load));
        slots.min_by_key(|(_, load)| load.pages).map(|(index, _)| index)
    };
    emptiest(&|load| load.ready && load.pages < share)
        .or_else(|| emptiest(&|load| !load.ready && load.pages < share))
        .or_else(|| emptiest(&|_| true))
        .unwrap_or(0)
}

/// A fault while a context was opened: whatever it was, a fresh one may do.
fn lost(fault: Fault) -> Failure {
    match fault {
        Fault::Crashed => Failure::Crashed,
        Fault::Gone | Fault::Refused => Failure::Gone,
    }
}

/// The deadline passed while a browser opened an empty page: it is stuck.
fn silent(browser: &Chromium) -> Failure {
    tracing::warn!(pid = browser.pid(), "browser opens no page in time");
    Failure::Late(RenderError::Unavailable("the browser does not answer".to_owned()))
}

fn busy() -> RenderError {
    RenderError::Unavailable("busy".to_owned())
}

fn closing() -> RenderError {
    RenderError::Unavailable("the browser pool is closing".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loads(slots: &[(bool, usize)]) -> Vec<Load> {
        slots.iter().map(|(ready, pages)| Load { ready: *ready, pages: *pages }).collect()
    }

    #[test]
    fn a_running_browser_is_filled_before_another_is_started() {
        assert_eq!(choose(&loads(&[(true, 2), (false, 0)]), 4), 0);
        assert_eq!(choose(&loads(&[(true, 4), (false, 0)]), 4), 1);
    }

    #[test]
    fn the_emptiest_of_the_running_ones_is_taken() {
        assert_eq!(choose(&loads(&[(true, 3), (true, 1), (false, 0)]), 4), 1);
        assert_eq!(choose(&loads(&[(true, 5), (true, 4)]), 4), 1);
    }

    #[test]
    fn the_first_is_started_when_none_runs() {
        assert_eq!(choose(&loads(&[(false, 0), (false, 0)]), 4), 0);
    }
}
