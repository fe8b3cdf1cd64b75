use std::net::{SocketAddr, TcpListener};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;
use tokio::time::{Instant, sleep};

use super::resp::Connection;

/// How long a server may take to answer first, on a machine that is busy.
const START_LIMIT: Duration = Duration::from_secs(20);

/// A Redis server of the test's own, which keeps nothing on disk. It ends with
/// this value, or with the test.
pub struct RedisServer {
    address: SocketAddr,
    process: Option<Child>,
    folder: TempDir,
}

impl RedisServer {
    /// Starts a server on a free port and waits until it answers.
    ///
    /// # Panics
    /// When there is no `redis-server`, or it does not answer.
    pub async fn start() -> Self {
        let port = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = port.local_addr().expect("bound");
        drop(port);
        let mut server = Self { address, process: None, folder: tempfile::tempdir().expect("a folder") };
        server.restart().await;
        server
    }

    /// `redis://…`
    pub fn url(&self) -> String {
        format!("redis://{}", self.address)
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Kills it: what it held is lost.
    ///
    /// # Panics
    /// When it was not running.
    pub fn kill(&mut self) {
        let mut process = self.process.take().expect("it runs");
        process.kill().expect("killed");
        process.wait().expect("gone");
    }

    /// Starts it again, empty, on the same port.
    ///
    /// # Panics
    /// As [`RedisServer::start`].
    pub async fn restart(&mut self) {
        self.process = Some(spawn(self.address, &self.folder));
        let deadline = Instant::now() + START_LIMIT;
        while self.command(&["PING"]).await.is_err() {
            assert!(Instant::now() < deadline, "redis-server did not answer");
            sleep(Duration::from_millis(20)).await;
        }
    }

    /// Stops it where it stands: it accepts connections and answers nothing.
    pub fn freeze(&self) {
        self.signal(Signal::STOP);
    }

    /// Lets it go on.
    pub fn thaw(&self) {
        self.signal(Signal::CONT);
    }

    fn signal(&self, signal: Signal) {
        let process = self.process.as_ref().expect("it runs");
        let pid = i32::try_from(process.id()).ok().and_then(Pid::from_raw).expect("a process id");
        kill_process(pid, signal).expect("signalled");
    }

    /// Puts one command to it, on a connection of its own; the answer as text.
    ///
    /// # Errors
    /// When it does not answer, or answers with an error.
    pub async fn command(&self, command: &[&str]) -> Result<String, String> {
        let mut connection = Connection::open(self.address).await.map_err(|error| error.to_string())?;
        let command: Vec<_> = command.iter().map(|word| word.as_bytes().to_vec()).collect();
        let answer = connection.ask(&[command]).await.map_err(|error| error.to_string())?;
        answer.into_iter().next().map_or_else(|| Err("no answer".to_owned()), |answer| answer.into_text())
    }
}

impl Drop for RedisServer {
    fn drop(&mut self) {
        if let Some(mut process) = self.process.take() {
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "a server of the test's own, which may be killed")]
fn spawn(address: SocketAddr, folder: &TempDir) -> Child {
    let port = address.port().to_string();
    // It ends with the test, even when the test is killed.
    Command::new("setpriv")
        .args(["--pdeathsig", "KILL", "redis-server", "--port", &port, "--bind", "127.0.0.1"])
        .args(["--save", "", "--appendonly", "no", "--dir"])
        .arg(folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .expect("run ./scripts/test, which installs redis-server")
}
