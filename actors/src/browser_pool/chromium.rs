use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use chromiumoxide::cdp::browser_protocol::browser::{CloseParams, GetVersionParams};
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStderr, Command};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::devtools::DevTools;
use super::flags;
use super::profile::Profile;
use crate::egress::Egress;

const START_LIMIT: Duration = Duration::from_secs(20);
/// How long a browser may take to end by itself.
const CLOSE_LIMIT: Duration = Duration::from_secs(3);
const ANSWER_LIMIT: Duration = Duration::from_secs(2);

/// Memory and broken state pile up in a browser; it is replaced after so many
/// pages or so long, whichever is first.
const PAGES_PER_LIFE: usize = 200;
const LIFE: Duration = Duration::from_secs(30 * 60);

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
}

/// What to start, and where.
pub(super) struct Launch<'a> {
    pub executable: &'a Path,
    /// A folder that does not exist yet; removed with the browser.
    pub profile: PathBuf,
    pub allow_no_sandbox: bool,
    /// Where the DevTools port is kept out of every page's reach.
    pub egress: &'a Egress,
    /// Asks the browser to close.
    pub close: CancellationToken,
    /// Dropped when nothing of the browser is left.
    pub presence: mpsc::Sender<()>,
}

/// A browser process. Dropping it asks the process to close; the task that
/// owns the process then waits, kills what remains and removes the profile.
#[derive(Debug)]
pub(super) struct Chromium {
    pub devtools: DevTools,
    pid: u32,
    up: watch::Receiver<bool>,
    started: Instant,
    served: AtomicUsize,
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
        let pid = body.group.0;
        let keeping = body.keep(devtools.clone(), serving, launch.close.clone(), alive);
        let Launch { presence, close, .. } = launch;
        tokio::spawn(async move {
            keeping.await;
            drop((reserved, presence));
        });
        tracing::info!(pid, "browser started");
        Ok(Self {
            devtools,
            pid,
            up,
            started: Instant::now(),
            served: AtomicUsize::new(0),
            _close_on_drop: close.clone().drop_guard(),
            close,
        })
    }

    /// Whether the process lives, is connected and not asked to close.
    pub fn is_up(&self) -> bool {
        *self.up.borrow() && self.devtools.is_connected() && !self.close.is_cancelled()
    }

    /// Whether it has served enough and should be replaced.
    pub fn is_worn(&self) -> bool {
        self.served.load(Ordering::Relaxed) >= PAGES_PER_LIFE || self.started.elapsed() >= LIFE
    }

    /// Counts a page towards the wear.
    pub fn note_page(&self) {
        self.served.fetch_add(1, Ordering::Relaxed);
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

/// The process group that a browser and its children form; killed on drop.
#[derive(Debug)]
struct Group(u32);

impl Group {
    fn kill(&self) {
        let pid = i32::try_from(self.0).ok().and_then(rustix::process::Pid::from_raw);
        if let Some(group) = pid {
            // An error means that nobody is left in it.
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A DevTools connection, the task that serves it, and the browser's end of it.
struct Connected {
    devtools: DevTools,
    serving: JoinHandle<()>,
    socket: Option<SocketAddr>,
}

/// The process with all that dies with it. The order of the fields is the
/// order of the drop: the group goes before its folder.
#[derive(Debug)]
struct Body {
    child: Child,
    group: Group,
    output: Option<Lines<BufReader<ChildStderr>>>,
    profile: Profile,
}

impl Body {
    fn spawn(executable: &Path, profile: Profile, sandbox: bool) -> Result<Self, LaunchError> {
        #[expect(clippy::disallowed_methods, reason = "the one place that starts a process")]
        let mut command = Command::new(executable);
        // Our environment holds secrets that a broken renderer must not find.
        command.env_clear().env("HOME", profile.path()).env("PATH", "/usr/bin:/bin").env("LANG", "C.UTF-8");
        command.args(flags::arguments(profile.path(), sandbox)).process_group(0).kill_on_drop(true);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| LaunchError::Execute(error.kind()))?;
        let group = Group(child.id().ok_or(LaunchError::Ended)?);
        let output = child.stderr.take().map(|stderr| BufReader::new(stderr).lines());
        Ok(Self { child, group, output, profile })
    }

    async fn connect(&mut self) -> Result<Connected, LaunchError> {
        let address = self.address().await?;
        let (devtools, connection) = DevTools::connect(&address).await.map_err(LaunchError::Connection)?;
        let authority = address.strip_prefix("ws://").and_then(|rest| rest.split('/').next());
        let socket = authority.and_then(|authority| authority.parse().ok());
        Ok(Connected { devtools, serving: tokio::spawn(connection), socket })
    }

    /// Reads the address of the DevTools socket from the process's output.
    async fn address(&mut self) -> Result<String, LaunchError> {
        let mut error = LaunchError::Ended;
        let Some(output) = self.output.as_mut() else { return Err(error) };
        while let Ok(Some(line)) = output.next_line().await {
            if let Some(address) = line.strip_prefix("DevTools listening on ") {
                return Ok(address.trim().to_owned());
            }
            if line.contains("No usable sandbox") {
                error = LaunchError::NoSandbox;
            }
            tracing::debug!(line, "browser wrote while starting");
        }
        Err(error)
    }

    /// Owns the process until it has ended, by itself or because it was asked.
    async fn keep(
        mut self,
        devtools: DevTools,
        mut connection: JoinHandle<()>,
        close: CancellationToken,
        up: watch::Sender<bool>,
    ) {
        let drain = tokio::spawn(drain(self.output.take()));
        let pid = self.group.0;
        tokio::select! {
            status = self.child.wait() => {
                tracing::warn!(pid, status = status.ok().map(|status| status.to_string()), "browser died");
            }
            _ = &mut connection => tracing::warn!(pid, "browser left its connection"),
            () = close.cancelled() => {
                // Its answer says little: the exit is what counts.
                let closing = devtools.call(None, CloseParams::default());
                let _ = timeout(CLOSE_LIMIT, async { (closing.await.is_ok(), self.child.wait().await) }).await;
                tracing::info!(pid, "browser closed");
            }
        }
        up.send_replace(false);
        self.bury().await;
        connection.abort();
        drain.abort();
    }

    /// Kills what is left, collects it and removes the folder.
    async fn bury(&mut self) {
        self.group.kill();
        let _ = timeout(CLOSE_LIMIT, self.child.wait()).await;
        self.group.kill();
        self.profile.remove().await;
    }
}

/// Reads on and forgets: undrained, the pipe would fill up and stop the browser.
async fn drain(output: Option<Lines<BufReader<ChildStderr>>>) {
    let Some(mut output) = output else { return };
    while let Ok(Some(_)) = output.next_line().await {}
}
