use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use chromiumoxide::cdp::browser_protocol::browser::GetVersionParams;
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::body::{Body, Connected};
use super::devtools::DevTools;
use super::profile::Profile;
use super::wear::Wear;
use crate::egress::Egress;

const START_LIMIT: Duration = Duration::from_secs(20);
const ANSWER_LIMIT: Duration = Duration::from_secs(2);

/// Why a browser could not be started. Shown to operators, and in part to
/// callers: no path, no output of the process.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum LaunchError {
    #[error(
        "Chromium does not run as root with its sandbox; run as another user, or set BROWSER_ALLOW_NO_SANDBOX=true \
         to give the sandbox up"
    )]
    Root,
    #[error(
        "Chromium's sandbox cannot start on this host; allow user namespaces, or set BROWSER_ALLOW_NO_SANDBOX=true \
         to give the sandbox up"
    )]
    NoSandbox,
    #[error("the profile folder cannot be made: {0}")]
    Scratch(std::io::ErrorKind),
    #[error("Chromium cannot be executed: {0}")]
    Execute(std::io::ErrorKind),
    #[error("Chromium ended before it was ready; BROWSER_EXECUTABLE names another one")]
    Ended,
    #[error("Chromium was not ready in {} s", START_LIMIT.as_secs())]
    Slow,
    #[error("Chromium does not answer: {0}")]
    Connection(String),
    #[error("the browser pool is closing")]
    Closing,
}

/// What to start, and where.
pub(super) struct Launch<'a> {
    pub executable: &'a Path,
    /// A folder that does not exist yet; removed with the browser.
    pub profile: PathBuf,
    pub allow_no_sandbox: bool,
    /// Bytes that its processes may hold together.
    pub memory_limit: u64,
    /// Where the DevTools port is kept out of every page's reach.
    pub egress: &'a Egress,
    /// Asks the browser to close.
    pub close: CancellationToken,
    /// Dropped when nothing of the browser is left.
    pub presence: mpsc::Sender<()>,
}

/// A page's stay in a browser, which then is not idle.
#[derive(Debug)]
pub(super) struct Stay(Arc<Chromium>);

impl Stay {
    /// Begins one.
    pub fn begin(browser: Arc<Chromium>) -> Self {
        browser.wear.enter();
        Self(browser)
    }
}

impl std::ops::Deref for Stay {
    type Target = Chromium;

    fn deref(&self) -> &Chromium {
        &self.0
    }
}

impl Drop for Stay {
    fn drop(&mut self) {
        self.0.wear.leave();
    }
}

/// A browser process. Dropping it asks the process to close; the task that
/// owns the process then waits, kills what remains and removes the profile.
#[derive(Debug)]
pub(super) struct Chromium {
    pub devtools: DevTools,
    pid: u32,
    up: watch::Receiver<bool>,
    wear: Arc<Wear>,
    close: CancellationToken,
    _close_on_drop: DropGuard,
}

impl Chromium {
    /// Starts a process and connects to it.
    ///
    /// # Errors
    /// [`LaunchError`]; nothing is left behind then.
    pub async fn launch(launch: Launch<'_>) -> Result<Self, LaunchError> {
        let sandbox = !launch.allow_no_sandbox;
        if sandbox && rustix::process::geteuid().is_root() {
            return Err(LaunchError::Root);
        }
        let profile =
            Profile::make(launch.profile.clone()).await.map_err(|error| LaunchError::Scratch(error.kind()))?;
        let mut body = Body::spawn(launch.executable, profile, sandbox)?;
        let connected = timeout(START_LIMIT, body.connect()).await.unwrap_or(Err(LaunchError::Slow));
        let Connected { devtools, serving, socket } = match connected {
            Ok(connected) => connected,
            Err(error) => {
                body.bury().await;
                return Err(error);
            }
        };
        let reserved = socket.map(|socket| launch.egress.reserve(socket));
        let (alive, up) = watch::channel(true);
        let (pid, wear) = (body.pid(), Arc::new(Wear::new(launch.memory_limit)));
        let keeping = body.keep(devtools.clone(), serving, launch.close.clone(), alive, wear.clone());
        let Launch { presence, close, .. } = launch;
        tokio::spawn(async move {
            keeping.await;
            drop((reserved, presence));
        });
        tracing::info!(pid, "browser started");
        Ok(Self { devtools, pid, up, wear, _close_on_drop: close.clone().drop_guard(), close })
    }

    /// Whether the process lives, is connected and not asked to close.
    pub fn is_up(&self) -> bool {
        *self.up.borrow() && self.devtools.is_connected() && !self.close.is_cancelled()
    }

    /// What its pages have done to it.
    pub fn wear(&self) -> &Wear {
        &self.wear
    }

    /// Whether it answers a question that costs nothing.
    pub async fn answers(&self) -> bool {
        let version = self.devtools.call(None, GetVersionParams::default());
        self.is_up() && timeout(ANSWER_LIMIT, version).await.is_ok_and(|version| version.is_ok())
    }

    /// Ends the process whatever it is doing; used when it no longer answers.
    pub fn close(&self) {
        self.close.cancel();
    }

    /// The process id, which is also its group's.
    pub fn pid(&self) -> u32 {
        self.pid
    }
}
