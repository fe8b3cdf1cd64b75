//! Real proxies for tests: tinyproxy and microsocks, each a process on an
//! address of its own within 127.0.0.0/8, from which it also leaves. So a site
//! on loopback sees through which of them it is asked.

#![expect(clippy::expect_used, reason = "a test whose proxy cannot be had is to fail with the reason")]

use std::fs::{self, File};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use tempfile::TempDir;

/// Who may use the proxies.
pub const USER: &str = "user";
/// tinyproxy's configuration has no quotes, so its password is a plain word.
const HTTP_PASSWORD: &str = "s3cretOfHttp";
/// Has to be encoded in a URL.
const SOCKS_PASSWORD: &str = "s3:cr/et of socks";

const START_LIMIT: Duration = Duration::from_secs(10);

/// A running proxy; it ends with the value.
pub struct Proxy {
    scheme: &'static str,
    pub password: &'static str,
    address: SocketAddr,
    process: Child,
    folder: TempDir,
}

impl Proxy {
    /// Starts tinyproxy, an HTTP proxy that asks for credentials.
    ///
    /// # Panics
    /// When it is not installed or does not start.
    pub fn tinyproxy() -> Self {
        Self::start(("http", HTTP_PASSWORD), "tinyproxy", |address, folder| {
            let config = folder.path().join("tinyproxy.conf");
            let (ip, port) = (address.ip(), address.port());
            let text = format!(
                "Listen {ip}\nPort {port}\nBind {ip}\nTimeout 60\nMaxClients 50\nLogLevel Connect\n\
                 BasicAuth {USER} {HTTP_PASSWORD}\n"
            );
            fs::write(&config, text).expect("the configuration is written");
            vec!["-d".to_owned(), "-c".to_owned(), config.display().to_string()]
        })
    }

    /// Starts microsocks, a SOCKS5 proxy that asks for credentials.
    ///
    /// # Panics
    /// When it is not installed or does not start.
    pub fn microsocks() -> Self {
        Self::start(("socks5h", SOCKS_PASSWORD), "microsocks", |address, _| {
            let (ip, port) = (address.ip().to_string(), address.port().to_string());
            ["-i", &ip, "-p", &port, "-b", &ip, "-u", USER, "-P", SOCKS_PASSWORD].map(str::to_owned).to_vec()
        })
    }

    fn start(
        (scheme, password): (&'static str, &'static str),
        program: &str,
        arguments: impl FnOnce(SocketAddr, &TempDir) -> Vec<String>,
    ) -> Self {
        let (address, folder) = (free_address(), tempfile::tempdir().expect("a temporary folder"));
        let log = File::create(folder.path().join("log")).expect("a log file");
        #[expect(clippy::disallowed_methods, reason = "a proxy for tests is a process")]
        let mut command = Command::new(program);
        command
            .args(arguments(address, &folder))
            .stdin(Stdio::null())
            .stderr(log.try_clone().expect("a second handle"));
        let process = command.stdout(log).spawn();
        let process =
            process.unwrap_or_else(|error| panic!("{program}: {error}; run ./scripts/test, which installs it"));
        let mut proxy = Self { scheme, password, address, process, folder };
        proxy.wait(program);
        proxy
    }

    #[expect(clippy::disallowed_methods, reason = "a test waits for a process, before anything else runs")]
    fn wait(&mut self, program: &str) {
        let deadline = Instant::now() + START_LIMIT;
        while std::net::TcpStream::connect(self.address).is_err() {
            let ended = self.process.try_wait().expect("its state can be asked");
            assert!(ended.is_none() && Instant::now() < deadline, "{program} does not start: {}", self.log());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Where it listens and from where it leaves.
    pub fn ip(&self) -> IpAddr {
        self.address.ip()
    }

    /// Its URL with good credentials; `socks5h` for a SOCKS proxy.
    pub fn url(&self) -> String {
        let password = utf8_percent_encode(self.password, NON_ALPHANUMERIC);
        self.url_as(self.scheme, &format!("{USER}:{password}@"))
    }

    /// Its URL with another scheme, and `login` before the host.
    pub fn url_as(&self, scheme: &str, login: &str) -> String {
        format!("{scheme}://{login}{}", self.address)
    }

    /// What it has written so far.
    pub fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        // It may have ended by itself; then there is nothing left to end.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A port on an address that other test processes are unlikely to use too, so
/// that nobody takes it between here and the start.
fn free_address() -> SocketAddr {
    static NEXT: AtomicU8 = AtomicU8::new(1);
    let [.., high, low] = std::process::id().to_be_bytes();
    let ip = Ipv4Addr::new(127, 100 + high % 100, low, NEXT.fetch_add(1, Ordering::Relaxed));
    let listener = TcpListener::bind((ip, 0)).expect("a free port");
    listener.local_addr().expect("it is bound")
}
