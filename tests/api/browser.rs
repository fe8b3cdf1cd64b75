use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

/// `blazon serve` in a process of its own; the first browser starts with it.
struct Server(Child);

impl Server {
    #[expect(clippy::disallowed_methods, reason = "the binary under test is a process")]
    fn start(data: &Path) -> Self {
        let port = std::net::TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a port");
        let mut command = Command::new(env!("CARGO_BIN_EXE_blazon"));
        command.arg("serve").current_dir(data).env("DATA_DIR", data).env("PORT", port.port().to_string());
        command.env("BROWSER_ALLOW_NO_SANDBOX", "true").env("BIND", "127.0.0.1").env("LOG_LEVEL", "error");
        Self(command.stdin(Stdio::null()).stdout(Stdio::null()).spawn().expect("it starts"))
    }

    fn signal(&mut self, signal: Signal) {
        let pid = i32::try_from(self.0.id()).ok().and_then(Pid::from_raw).expect("a pid");
        kill_process(pid, signal).expect("it runs");
        self.0.wait().expect("it ends");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The profile folders of the browsers that run on this data folder.
fn browsers(data: &Path) -> Vec<PathBuf> {
    let flag = format!("--user-data-dir={}/", data.display());
    let entries = std::fs::read_dir("/proc").expect("this is Linux").flatten();
    let lines = entries.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    let folder = |line: Vec<u8>| {
        let line = String::from_utf8_lossy(&line).into_owned();
        let argument = line.split('\0').find(|argument| argument.starts_with(&flag))?;
        Some(PathBuf::from(argument.trim_start_matches("--user-data-dir=")))
    };
    lines.filter_map(folder).collect()
}

fn folders(data: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(data.join("browser")).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

/// Waits until `reached` holds of the browsers that run.
#[expect(clippy::disallowed_methods, reason = "this test has nothing else to do")]
fn wait(data: &Path, reached: impl Fn(&[PathBuf]) -> bool) -> Vec<PathBuf> {
    let begun = Instant::now();
    loop {
        let running = browsers(data);
        if reached(&running) {
            return running;
        }
        assert!(begun.elapsed() < Duration::from_secs(30), "{running:?}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_killed_service_leaves_nothing_after_the_next_start() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let data = folder.path().canonicalize().expect("it is there");
    let mut first = Server::start(&data);
    let left = wait(&data, |running| running.iter().any(|profile| profile.join("DevToolsActivePort").exists()));
    first.signal(Signal::KILL);
    assert_eq!(browsers(&data), left, "nobody was there to end it");
    let mut second = Server::start(&data);
    wait(&data, |running| !running.is_empty() && !running.iter().any(|profile| left.contains(profile)));
    assert!(!folders(&data).iter().any(|profile| left.contains(profile)), "{:?}", folders(&data));
    second.signal(Signal::TERM);
    assert_eq!(browsers(&data), Vec::<PathBuf>::new());
    assert_eq!(folders(&data), Vec::<PathBuf>::new());
}
