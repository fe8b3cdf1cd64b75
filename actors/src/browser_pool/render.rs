use std::time::Duration;

use chromiumoxide::cdp::browser_protocol::page::NavigateParams;
use chromiumoxide::cdp::js_protocol::runtime::ExecutionContextId;
use serde::Deserialize;
use serde_json::Value;
use tokio::time::{Instant, sleep, timeout, timeout_at};
use url::Url;

use super::messages::{RenderError, RenderPage, RenderedPage};
use super::navigation::{Document, MAX_DOCUMENT, Navigation};
use super::tab::{Fault, Tab};
use super::{net_error, scripts};
use crate::egress::EgressError;

/// How long the document must not have changed, and how long that is waited for.
const QUIET: Duration = Duration::from_millis(100);
const QUIET_LIMIT: Duration = Duration::from_secs(5);
/// Pause before another look at a page that was in motion.
const AGAIN: Duration = Duration::from_millis(20);

/// How long after a navigation that came to nothing a crash may be reported.
const CRASH_NEWS: Duration = Duration::from_millis(200);

/// Why there is no page: for good, or because something died, which is worth
/// another try.
#[derive(Debug)]
pub(super) enum Failure {
    Final(RenderError),
    /// The page's time is used up, which may be the browser's fault.
    Late(RenderError),
    Gone,
    Crashed,
}

impl<E: Into<RenderError>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::Final(error.into())
    }
}

/// Why a look at the page showed nothing.
enum Blink {
    /// The document was left for another one; look again.
    Moved,
    Failed(Failure),
}

impl From<Failure> for Blink {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl From<Fault> for Blink {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Refused => Self::Moved,
            Fault::Gone => Self::Failed(Failure::Gone),
            Fault::Crashed => Self::Failed(Failure::Crashed),
        }
    }
}

/// When the load event is no longer waited for, and when the answer must be
/// there.
#[derive(Debug, Clone, Copy)]
pub(super) struct Timing {
    load_by: Instant,
    read_by: Instant,
}

impl Timing {
    /// Divides the time until `deadline`: a tenth, at most 2 s, is kept for the
    /// reading, so that a page that never finishes is shown as it stands.
    pub fn until(deadline: Instant, page_timeout: Duration) -> Self {
        let now = Instant::now();
        let reserve = (deadline.saturating_duration_since(now) / 10).min(Duration::from_secs(2));
        Self { load_by: (now + page_timeout).min(deadline - reserve), read_by: deadline - reserve / 4 }
    }

    fn may_wait(&self) -> bool {
        Instant::now() < self.load_by
    }
}

/// Looks up why the proxy refused a host, if it did.
pub(super) type Refusals<'a> = &'a (dyn Fn(&str) -> Option<EgressError> + Send + Sync);

/// One page being rendered in one tab.
pub(super) struct Rendering<'a> {
    pub tab: Tab,
    pub order: &'a RenderPage,
    pub timing: Timing,
    pub refusals: Refusals<'a>,
}

#[derive(Deserialize)]
struct Reading {
    url: String,
    /// Missing when the document is too large.
    html: Option<String>,
}

impl Rendering<'_> {
    /// Loads the page, waits until it is at rest, and reads it.
    pub async fn run(mut self) -> Result<RenderedPage, Failure> {
        let read_by = self.timing.read_by;
        match timeout_at(read_by, self.load()).await {
            Ok(Ok(None)) => {}
            Ok(Ok(Some(empty))) => return Ok(empty),
            Ok(Err(failure)) => return Err(failure),
            Err(_) => return Err(self.too_late()),
        }
        loop {
            match timeout_at(read_by, self.look()).await {
                Ok(Ok(page)) => return Ok(page),
                Ok(Err(Blink::Failed(failure))) => return Err(failure),
                Ok(Err(Blink::Moved)) if Instant::now() + AGAIN < read_by => sleep(AGAIN).await,
                Ok(Err(Blink::Moved)) | Err(_) => return Err(self.too_late()),
            }
        }
    }

    /// Goes to the page. The browser's answer comes when the document has begun
    /// or will not; an answer without content is a page already.
    async fn load(&mut self) -> Result<Option<RenderedPage>, Failure> {
        if let Some(selector) = &self.order.wait_for {
            check_selector(&mut self.tab, selector).await?;
        }
        let outcome = match self.tab.call(NavigateParams::new(self.order.url.as_str())).await {
            Ok(outcome) => outcome,
            Err(Fault::Gone) => return Err(Failure::Gone),
            Err(Fault::Crashed) => return Err(Failure::Crashed),
            Err(Fault::Refused) => {
                return Err(EgressError::BadUrl("a browser does not open this address".into()).into());
            }
        };
        match outcome.error_text.as_deref() {
            None | Some("") => Ok(None),
            Some("net::ERR_ABORTED") => {
                // So ends a navigation whose renderer died, too; that news may
                // come a moment later.
                if let Ok(Err(fault)) = timeout(CRASH_NEWS, self.tab.until(|now| now.last_answered().is_some())).await {
                    return Err(if fault == Fault::Crashed { Failure::Crashed } else { Failure::Gone });
                }
                self.not_shown().map(Some)
            }
            Some(error) => {
                let url = self.tab.navigation().failed().map(|document| document.url.as_str());
                Err(self.unreached(url.unwrap_or(self.order.url.as_str()), error).into())
            }
        }
    }

    /// What it means that the browser stayed where it was.
    fn not_shown(&self) -> Result<RenderedPage, Failure> {
        let document = self.tab.navigation().last_answered();
        match document.and_then(|document| Some((document, document.answer.as_ref()?))) {
            Some((document, answer)) if answer.is_empty() => Ok(self.page(document, None, String::new())),
            Some((_, answer)) if answer.is_html() => {
                Err(RenderError::NotHtml { content_type: "an attachment".to_owned() }.into())
            }
            Some((_, answer)) => Err(RenderError::NotHtml { content_type: answer.content_type().to_owned() }.into()),
            None => Err(self.unreached(self.order.url.as_str(), "net::ERR_ABORTED").into()),
        }
    }

    /// Waits until the document is at rest and reads it.
    async fn look(&mut self) -> Result<RenderedPage, Blink> {
        let Timing { load_by, .. } = self.timing;
        // A page that never loads is shown as it stands.
        if let Ok(waited) = timeout_at(load_by, self.tab.until(Navigation::is_at_rest)).await {
            waited?;
        }
        self.admit()?;
        let admitted = self.tab.navigation().shown().loader.clone();
        let world = self.tab.isolated_world().await?;
        let left = load_by.saturating_duration_since(Instant::now());
        if !left.is_zero() {
            self.evaluate(world, scripts::quiet(QUIET, QUIET_LIMIT.min(left))).await?;
        }
        if let Some(selector) = &self.order.wait_for {
            self.evaluate(world, scripts::wait_for(selector)).await?;
        }
        if self.tab.navigation().coming().is_some() && self.timing.may_wait() {
            return Err(Blink::Moved);
        }
        let page = self.read(world).await?;
        // The world may have been made in a document that came after the one
        // that was admitted; the browser's answer brought that news with it.
        if self.tab.navigation().shown().loader != admitted {
            return Err(Blink::Moved);
        }
        Ok(page)
    }

    /// Refuses a document that is an error, the proxy's own answer, or not HTML.
    fn admit(&self) -> Result<(), Failure> {
        let navigation = self.tab.navigation();
        if let Some(document) = navigation.failed() {
            let error = document.failure.as_deref().unwrap_or_default();
            return Err(self.unreached(&document.url, error).into());
        }
        let shown = navigation.shown();
        let Some(answer) = &shown.answer else { return Ok(()) };
        if matches!(answer.status, 403 | 502 | 504)
            && let Some(refusal) = (self.refusals)(&host(&shown.url))
        {
            return Err(refusal.into());
        }
        if !answer.is_html() {
            return Err(RenderError::NotHtml { content_type: answer.content_type().to_owned() }.into());
        }
        if navigation.is_too_large() {
            return Err(EgressError::TooLarge(host(&shown.url)).into());
        }
        Ok(())
    }

    async fn read(&mut self, world: ExecutionContextId) -> Result<RenderedPage, Blink> {
        if self.order.measure {
            self.evaluate(world, scripts::measure()).await?;
        }
        let value = self.evaluate(world, scripts::read(MAX_DOCUMENT)).await?;
        let reading: Reading = serde_json::from_value(value).map_err(|_| Blink::Moved)?;
        let navigation = self.tab.navigation();
        // A document made by script alone has no answer; the one before has.
        let shown = Some(navigation.shown()).filter(|document| document.answer.is_some());
        let document = shown.or(navigation.last_answered()).ok_or(Blink::Moved)?;
        let too_large = || Failure::from(EgressError::TooLarge(host(&document.url)));
        let html = reading.html.ok_or_else(too_large)?;
        Ok(self.page(document, Some(&reading.url), html))
    }

    async fn evaluate(&mut self, world: ExecutionContextId, script: String) -> Result<Value, Blink> {
        self.tab.evaluate(world, script).await?.ok_or(Blink::Moved)
    }

    /// The page at the address where it stands, or at the one that was asked.
    fn page(&self, document: &Document, address: Option<&str>, html: String) -> RenderedPage {
        let web = |address: &str| Url::parse(address).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
        let final_url = address.and_then(web).or_else(|| web(&document.url)).unwrap_or_else(|| self.order.url.clone());
        let answer = document.answer.clone().unwrap_or_default();
        RenderedPage { final_url, status: answer.status, headers: answer.headers, html }
    }

    /// The failure of a wait that used up the time.
    fn too_late(&self) -> Failure {
        let navigation = self.tab.navigation();
        match &self.order.wait_for {
            Some(selector) if navigation.shown().answer.is_some() => {
                RenderError::SelectorNotFound(selector.clone()).into()
            }
            _ => {
                let waited = navigation.coming().map_or(self.order.url.as_str(), |document| document.url.as_str());
                Failure::Late(EgressError::Timeout(host(waited)).into())
            }
        }
    }

    /// Why a document could not be reached; the proxy knows better than the
    /// browser.
    fn unreached(&self, url: &str, error: &str) -> EgressError {
        let host = host(url);
        (self.refusals)(&host).unwrap_or_else(|| net_error::meaning(error, host))
    }
}

/// Asks the browser itself, on the empty page, whether it knows the selector.
async fn check_selector(tab: &mut Tab, selector: &str) -> Result<(), Failure> {
    let checked = async {
        let world = tab.isolated_world().await?;
        tab.evaluate(world, scripts::check_selector(selector)).await
    };
    match checked.await {
        Ok(Some(_)) => Ok(()),
        Ok(None) => Err(RenderError::BadSelector(selector.to_owned()).into()),
        Err(Fault::Crashed) => Err(Failure::Crashed),
        Err(Fault::Gone | Fault::Refused) => Err(Failure::Gone),
    }
}

/// The host of an address, as errors name it and the proxy keeps it.
fn host(url: &str) -> String {
    let url = Url::parse(url).ok();
    url.as_ref().and_then(Url::host_str).unwrap_or("the site").to_owned()
}
