use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::{Mutex as AsyncMutex, OnceCell, mpsc};
use tokio_util::sync::CancellationToken;

use super::chromium::{Chromium, Launch, LaunchError};
use super::config::BrowserPoolConfig;
use super::discover;
use super::leftovers::{self, PREFIX};
use crate::egress::Egress;
use crate::supervise::RestartPolicy;

/// After so many faults (deaths and failed starts) within the window the slot
/// says no at once for a while.
const MAX_FAULTS: usize = 5;
const FAULT_WINDOW: Duration = Duration::from_secs(30);
const GIVEN_UP: Duration = Duration::from_secs(5);

/// The place of one browser process: empty at first, filled when a page needs
/// it, filled again when the process died or is worn.
pub(super) struct Slot {
    launcher: Arc<Launcher>,
    browser: Mutex<Option<Arc<Chromium>>>,
    pages: AtomicUsize,
    restarts: AsyncMutex<Restarts>,
}

impl Slot {
    pub fn new(launcher: Arc<Launcher>) -> Self {
        let base = Duration::from_millis(100);
        let policy = RestartPolicy::new(base, Duration::from_secs(5), FAULT_WINDOW, MAX_FAULTS);
        let restarts = AsyncMutex::new(Restarts { policy, not_before: None, broken_until: None, problem: None });
        Self { launcher, browser: Mutex::default(), pages: AtomicUsize::new(0), restarts }
    }

    /// The browser in it, when that lives and may serve on.
    pub fn ready(&self) -> Option<Arc<Chromium>> {
        let browser = self.browser.lock().unwrap_or_else(PoisonError::into_inner);
        browser.as_ref().filter(|browser| browser.is_up() && !browser.wear().is_enough()).cloned()
    }

    /// Pages open in it now, those in a browser that is being replaced
    /// included.
    pub fn pages(&self) -> usize {
        self.pages.load(Ordering::Relaxed)
    }

    /// Returns the browser, after starting one if need be. Whoever asks while
    /// one starts waits for the same one.
    ///
    /// # Errors
    /// Why there is none, in words for the operator.
    pub async fn browser(&self) -> Result<Arc<Chromium>, String> {
        if let Some(browser) = self.ready() {
            return Ok(browser);
        }
        let mut restarts = self.restarts.lock().await;
        if let Some(browser) = self.ready() {
            return Ok(browser);
        }
        // A browser that has rendered pages died of one of them or was killed:
        // the next one need not wait. One that never did will not do better.
        if let Some(previous) = self.put(None)
            && !previous.is_up()
            && !previous.wear().has_rendered()
        {
            restarts.note(None);
        }
        restarts.pause().await?;
        match self.launcher.launch().await {
            Ok(browser) => {
                let browser = Arc::new(browser);
                self.put(Some(browser.clone()));
                restarts.problem = None;
                Ok(browser)
            }
            Err(problem) => {
                tracing::error!(problem, "browser did not start");
                restarts.note(Some(problem.clone()));
                Err(problem)
            }
        }
    }

    fn put(&self, browser: Option<Arc<Chromium>>) -> Option<Arc<Chromium>> {
        let mut place = self.browser.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut place, browser)
    }
}

/// A page's place in a slot; counted while it is held.
pub(super) struct Seat(Arc<Slot>);

impl Seat {
    pub fn take(slot: &Arc<Slot>) -> Self {
        slot.pages.fetch_add(1, Ordering::Relaxed);
        Self(slot.clone())
    }

    pub fn slot(&self) -> &Arc<Slot> {
        &self.0
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.0.pages.fetch_sub(1, Ordering::Relaxed);
    }
}

/// When the next start may be tried.
struct Restarts {
    policy: RestartPolicy,
    not_before: Option<Instant>,
    broken_until: Option<Instant>,
    problem: Option<String>,
}

impl Restarts {
    fn note(&mut self, problem: Option<String>) {
        let now = Instant::now();
        self.problem = problem.or(self.problem.take());
        match self.policy.next_delay(now) {
            Some(delay) => self.not_before = Some(now + delay),
            None => self.broken_until = Some(now + GIVEN_UP),
        }
    }

    /// Waits for the moment of the next start.
    ///
    /// # Errors
    /// The last problem, while starts are given up.
    async fn pause(&self) -> Result<(), String> {
        if self.broken_until.is_some_and(|until| Instant::now() < until) {
            return Err(self.problem.clone().unwrap_or_else(|| "Chromium keeps dying".to_owned()));
        }
        if let Some(start) = self.not_before {
            tokio::time::sleep_until(start.into()).await;
        }
        Ok(())
    }
}

/// Starts the pool's browsers, each with a profile folder of its own.
pub(super) struct Launcher {
    executable: Result<PathBuf, String>,
    scratch_dir: PathBuf,
    allow_no_sandbox: bool,
    egress: Egress,
    /// A copy goes with every browser, so that the end of all can be awaited.
    presence: Mutex<Option<mpsc::Sender<()>>>,
    closing: CancellationToken,
    memory_limit: u64,
    /// Set once the scratch folder holds nothing of an earlier life.
    swept: OnceCell<()>,
    /// A browser did start: when one does not, that is worth another try.
    proven: AtomicBool,
}

impl Launcher {
    pub fn new(config: &BrowserPoolConfig, egress: Egress, presence: mpsc::Sender<()>) -> Self {
        if config.allow_no_sandbox {
            tracing::warn!(
                "BROWSER_ALLOW_NO_SANDBOX is set: a page that breaks out of Chromium has this user's rights; \
                 run browsers with their sandbox, as a user other than root"
            );
        }
        Self {
            executable: discover::executable(config.executable.as_deref()),
            // Chromium is told where its folder is, and `/proc` shows it to us.
            scratch_dir: std::path::absolute(&config.scratch_dir).unwrap_or_else(|_| config.scratch_dir.clone()),
            allow_no_sandbox: config.allow_no_sandbox,
            egress,
            presence: Mutex::new(Some(presence)),
            closing: CancellationToken::new(),
            memory_limit: config.memory_limit,
            swept: OnceCell::new(),
            proven: AtomicBool::new(false),
        }
    }

    /// Why no browser will ever start, if that is known.
    pub fn refusal(&self) -> Option<&str> {
        self.executable.as_ref().err().map(String::as_str)
    }

    /// Starts no more browsers, and closes those there are.
    pub fn retire(&self) {
        self.closing.cancel();
        self.presence.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    /// Ends and removes what an earlier life left over, once.
    pub async fn sweep(&self) {
        self.swept.get_or_init(|| leftovers::sweep(self.scratch_dir.clone())).await;
    }

    async fn launch(&self) -> Result<Chromium, String> {
        self.sweep().await;
        let executable = self.executable.as_deref().map_err(Clone::clone)?;
        let mut outcome = self.try_launch(executable).await;
        if self.proven.load(Ordering::Relaxed)
            && matches!(outcome, Err(LaunchError::Ended | LaunchError::Connection(_)))
        {
            outcome = self.try_launch(executable).await;
        }
        self.proven.fetch_or(outcome.is_ok(), Ordering::Relaxed);
        outcome.map_err(|error| error.to_string())
    }

    async fn try_launch(&self, executable: &Path) -> Result<Chromium, LaunchError> {
        let presence = self.presence.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let launch = Launch {
            executable,
            profile: self.scratch_dir.join(format!("{PREFIX}{}", uuid::Uuid::new_v4().simple())),
            allow_no_sandbox: self.allow_no_sandbox,
            memory_limit: self.memory_limit,
            egress: &self.egress,
            close: self.closing.child_token(),
            presence: presence.ok_or(LaunchError::Closing)?,
        };
        Chromium::launch(launch).await
    }
}
