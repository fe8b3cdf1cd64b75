use std::net::SocketAddr;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use chromiumoxide::cdp::browser_protocol::browser::CloseParams;
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStderr, Command};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::chromium::LaunchError;
use super::devtools::DevTools;
use super::profile::Profile;
use super::wear::Wear;
use super::{flags, vitals};

/// How long a browser may take to end by itself.
const CLOSE_LIMIT: Duration = Duration::from_secs(3);

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
pub(super) struct Connected {
    pub devtools: DevTools,
    pub serving: JoinHandle<()>,
    pub socket: Option<SocketAddr>,
}

/// The process with all that dies with it. The order of the fields is the
/// order of the drop: the group goes before its folder.
#[derive(Debug)]
pub(super) struct Body {
    child: Child,
    group: Group,
    output: Option<Lines<BufReader<ChildStderr>>>,
    profile: Profile,
}

impl Body {
    /// Starts the process.
    ///
    /// # Errors
    /// [`LaunchError::Execute`], or [`LaunchError::Ended`] when it is gone already.
    pub fn spawn(executable: &Path, profile: Profile, sandbox: bool) -> Result<Self, LaunchError> {
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

    /// The process id, which is also its group's.
    pub fn pid(&self) -> u32 {
        self.group.0
    }

    /// Connects to its DevTools.
    ///
    /// # Errors
    /// [`LaunchError`]; the process is then still to be buried.
    pub async fn connect(&mut self) -> Result<Connected, LaunchError> {
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

    /// Owns the process until it has ended: by itself, because it was asked, or
    /// because it fell silent.
    pub async fn keep(
        mut self,
        devtools: DevTools,
        mut connection: JoinHandle<()>,
        close: CancellationToken,
        up: watch::Sender<bool>,
        wear: Arc<Wear>,
    ) {
        let drain = tokio::spawn(drain(self.output.take()));
        let pid = self.group.0;
        tokio::select! {
            status = self.child.wait() => {
                tracing::warn!(pid, status = status.ok().map(|status| status.to_string()), "browser died");
            }
            _ = &mut connection => tracing::warn!(pid, "browser left its connection"),
            () = vitals::silence(&devtools) => tracing::warn!(pid, "browser is silent, ending it"),
            never = vitals::watch_memory(pid, wear) => match never {},
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
    pub async fn bury(&mut self) {
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
