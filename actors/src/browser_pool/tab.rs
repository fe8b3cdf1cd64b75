use chromiumoxide::Command;
use chromiumoxide::cdp::browser_protocol::page::{CreateIsolatedWorldParams, FrameId, HandleJavaScriptDialogParams};
use chromiumoxide::cdp::browser_protocol::target::SessionId;
use chromiumoxide::cdp::js_protocol::runtime::{EvaluateParams, ExecutionContextId};
use serde_json::Value;

use super::devtools::{CallError, DevTools, DevToolsEvent, Events};
use super::navigation::{self, Navigation};

const DIALOG: &str = "Page.javascriptDialogOpening";
const CRASH: &str = "Inspector.targetCrashed";

/// What a tab listens to.
pub(super) const WATCHED: &[&str] = &[
    navigation::REQUEST,
    navigation::RESPONSE,
    navigation::DATA,
    navigation::FAILURE,
    navigation::LIFECYCLE,
    DIALOG,
    CRASH,
];

/// Why a tab did not do what it was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fault {
    /// The browser died.
    Gone,
    /// The page's renderer died.
    Crashed,
    /// The command makes no sense now; mostly because the document it was
    /// meant for has been left.
    Refused,
}

impl From<CallError> for Fault {
    fn from(error: CallError) -> Self {
        match error {
            CallError::Gone => Self::Gone,
            CallError::Refused(reason) => {
                tracing::debug!(reason, "browser refused a command");
                Self::Refused
            }
        }
    }
}

/// One page: every wait on it takes its events in as well, so that a crash ends
/// the wait and a dialog does not stop the page.
#[derive(Debug)]
pub(super) struct Tab {
    devtools: DevTools,
    session: SessionId,
    frame: FrameId,
    events: Events,
    navigation: Navigation,
}

impl Tab {
    /// Takes over a session whose events are watched as [`WATCHED`] says.
    pub fn new(devtools: DevTools, session: SessionId, frame: FrameId, events: Events) -> Self {
        let navigation = Navigation::new(frame.inner().clone());
        Self { devtools, session, frame, events, navigation }
    }

    /// Where the main frame is, as of the last wait.
    pub fn navigation(&self) -> &Navigation {
        &self.navigation
    }

    /// Sends a command and awaits its result. The events that preceded it have
    /// been taken in when this returns.
    ///
    /// # Errors
    /// [`Fault`].
    pub async fn call<C: Command>(&mut self, command: C) -> Result<C::Response, Fault> {
        let devtools = self.devtools.clone();
        let session = self.session.clone();
        self.during(devtools.call(Some(&session), command)).await
    }

    /// Awaits what was asked of the browser, and takes events in meanwhile.
    ///
    /// # Errors
    /// [`Fault`].
    pub async fn during<T>(&mut self, asked: impl Future<Output = Result<T, CallError>>) -> Result<T, Fault> {
        tokio::pin!(asked);
        loop {
            tokio::select! {
                biased;
                event = self.events.recv() => self.take_in(event)?,
                answer = &mut asked => return Ok(answer?),
            }
        }
    }

    /// Waits until the main frame is where `arrived` wants it.
    ///
    /// # Errors
    /// [`Fault`].
    pub async fn until(&mut self, arrived: impl Fn(&Navigation) -> bool) -> Result<(), Fault> {
        while !arrived(&self.navigation) {
            let event = self.events.recv().await;
            self.take_in(event)?;
        }
        Ok(())
    }

    /// Makes a script world in the document shown, out of reach of the page's
    /// own scripts.
    ///
    /// # Errors
    /// [`Fault`].
    pub async fn isolated_world(&mut self) -> Result<ExecutionContextId, Fault> {
        let mut world = CreateIsolatedWorldParams::new(self.frame.clone());
        world.world_name = Some("blazon".to_owned());
        Ok(self.call(world).await?.execution_context_id)
    }

    /// Evaluates an expression, awaits the promise if it is one, and returns
    /// the value; `None` when it threw.
    ///
    /// # Errors
    /// [`Fault`].
    pub async fn evaluate(&mut self, world: ExecutionContextId, script: String) -> Result<Option<Value>, Fault> {
        let mut evaluate = EvaluateParams::new(script);
        evaluate.context_id = Some(world);
        evaluate.await_promise = Some(true);
        evaluate.return_by_value = Some(true);
        let outcome = self.call(evaluate).await?;
        let value = outcome.result.value.unwrap_or_default();
        Ok(outcome.exception_details.is_none().then_some(value))
    }

    fn take_in(&mut self, event: Option<DevToolsEvent>) -> Result<(), Fault> {
        let event = event.ok_or(Fault::Gone)?;
        match event.method.as_str() {
            CRASH => return Err(Fault::Crashed),
            DIALOG => {
                // Staying on a page that asks to stay would never end; all other
                // questions are answered with no.
                let leave = event.params.get("type").is_some_and(|kind| kind == "beforeunload");
                self.devtools.send(&self.session, HandleJavaScriptDialogParams::new(leave));
            }
            _ => self.navigation.apply(event),
        }
        Ok(())
    }
}
