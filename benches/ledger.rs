//! What group commit gains: holds per second through the ledger's actor against
//! one transaction per hold, on the same database in the same run.
//!
//! `cargo bench --bench ledger`; seconds per round as an argument. SQLite with
//! its file in the temporary folder (synchronous FULL), and PostgreSQL as its
//! packages start it (fsync on): a private server, or the one that
//! `BLAZON_BENCH_POSTGRES_URL` names, in which a new database is made.

use std::io::Write;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use actix::{Arbiter, System};
use actors::credit_ledger::testing::{hold_alone, new_user};
use actors::credit_ledger::{CreditLedgerActor, Hold, HoldCredits, verify};
use actors::database::{Database, DatabaseConnection};
use actors::supervise::{Gate, Keeper, RestartPolicy, Room};
use futures::future::try_join_all;
use uuid::Uuid;

const ASKERS: usize = 64;
const ROUNDS: usize = 3;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn main() -> Result<()> {
    let seconds = std::env::args().skip(1).find_map(|argument| argument.parse().ok()).unwrap_or(3);
    System::new().block_on(compare(Duration::from_secs(seconds)))
}

async fn compare(round: Duration) -> Result<()> {
    let folder = tempfile::tempdir()?;
    on_database("SQLite", &format!("sqlite://{}", folder.path().join("ledger.db").display()), round).await?;
    let (_server, url) = postgres(folder.path()).await?;
    on_database("PostgreSQL", &url, round).await
}

async fn on_database(name: &str, url: &str, round: Duration) -> Result<()> {
    let db = Database::open(url).await?;
    migration::migrate(&db).await?;
    let ledger = ledger(&db);
    for accounts in [1, ASKERS] {
        let users = try_join_all((0..accounts).map(|_| new_user(&db, 1_000_000_000))).await?;
        let mut ratios = Vec::new();
        for _ in 0..ROUNDS {
            let together = rate(ASKERS, &users, round, async |asked| Ok(ledger.ask(asked).await??)).await?;
            let crowd = rate(ASKERS, &users, round, async |asked| Ok(hold_alone(&db, &asked).await?)).await?;
            let line = rate(1, &users, round, async |asked| Ok(hold_alone(&db, &asked).await?)).await?;
            report(&format!("{name}, {accounts} accounts: through the actor"), together, "holds/s");
            report("  one transaction each, 64 askers", crowd, "holds/s");
            report("  one transaction each, one after another", line, "holds/s");
            ratios.push(together / crowd.max(line));
        }
        ratios.sort_by(f64::total_cmp);
        report(&format!("{name}, {accounts} accounts: gain over the better, median"), ratios[ROUNDS / 2], "x");
        let lone = rate(1, &users, round, async |asked| Ok(ledger.ask(asked).await??)).await?;
        report(&format!("{name}: a lone asker waits"), 1e6 / lone, "us");
    }
    let violations = verify(&db).await?;
    if violations.is_empty() { Ok(()) } else { Err(format!("{violations:?}").into()) }
}

fn ledger(db: &DatabaseConnection) -> Gate<CreditLedgerActor> {
    let (escalations, _) = tokio::sync::mpsc::unbounded_channel();
    let room = Room {
        name: "credit ledger",
        arbiter: Arbiter::new().handle(),
        slots: 4096,
        patience: Duration::from_secs(10),
        policy: RestartPolicy::default(),
    };
    let db = db.clone();
    Keeper::start(room, escalations, move |line| CreditLedgerActor::new(db.clone(), line)).0
}

/// Holds per second of `askers`, each of whom asks again when it is answered.
async fn rate(
    askers: usize,
    users: &[Uuid],
    round: Duration,
    hold: impl AsyncFn(HoldCredits) -> Result<Hold>,
) -> Result<f64> {
    let begun = Instant::now();
    let asker = async |number: usize| {
        let (user, mut held) = (users[number % users.len()], 0_u64);
        while begun.elapsed() < round {
            let (reference, ttl) = (Uuid::now_v7(), Duration::from_secs(3600));
            hold(HoldCredits { user, amount: 1, purpose: "web.scrape.html", reference, ttl }).await?;
            held += 1;
        }
        Result::Ok(held)
    };
    let held: u64 = try_join_all((0..askers).map(asker)).await?.into_iter().sum();
    Ok(held as f64 / begun.elapsed().as_secs_f64())
}

fn report(what: &str, figure: f64, unit: &str) {
    let _ = writeln!(std::io::stdout(), "{what:<55} {figure:>10.1} {unit}");
}

struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A new database on a server of its own, unless one is named.
async fn postgres(folder: &Path) -> Result<(Option<Server>, String)> {
    #[expect(clippy::disallowed_methods, reason = "a benchmark is told of its server by who runs it")]
    if let Ok(server) = std::env::var("BLAZON_BENCH_POSTGRES_URL") {
        return Ok((None, new_database(&server).await?));
    }
    let (server, url) = start_postgres(folder)?;
    let patience = Instant::now() + Duration::from_secs(30);
    loop {
        match new_database(&url).await {
            Ok(database) => return Ok((Some(server), database)),
            Err(error) if Instant::now() > patience => return Err(error),
            Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
        }
    }
}

async fn new_database(server: &str) -> Result<String> {
    let name = format!("blazon_bench_{}", Uuid::now_v7().simple());
    let db = Database::open(server).await?;
    actors::database::testing::create_database(&db, &name).await?;
    let mut url = url::Url::parse(server)?;
    url.set_path(&name);
    Ok(url.into())
}

/// Starts PostgreSQL with its own settings on a free port.
fn start_postgres(folder: &Path) -> Result<(Server, String)> {
    let (bin, data) = (postgres_programs()?, folder.join("postgres"));
    std::fs::create_dir(&data)?;
    for open in [folder, &data] {
        // The server runs as another user when this one is root, which it refuses.
        let _ = command("chown", &["postgres:", &open.display().to_string()])?.wait();
    }
    let (data, port) = (data.display().to_string(), TcpListener::bind("127.0.0.1:0")?.local_addr()?.port());
    let initdb = bin.join("initdb").display().to_string();
    let made = unprivileged(&[&initdb, "-D", &data, "-U", "postgres", "-A", "trust", "-E", "UTF8"])?.wait()?;
    if !made.success() {
        return Err("initdb failed".into());
    }
    let (server, port) = (bin.join("postgres").display().to_string(), port.to_string());
    let server = unprivileged(&[&server, "-D", &data, "-p", &port, "-h", "127.0.0.1", "-k", &data])?;
    Ok((Server(server), format!("postgres://postgres@127.0.0.1:{port}/postgres")))
}

fn postgres_programs() -> Result<PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql")?.filter_map(|entry| Some(entry.ok()?.path().join("bin")));
    versions.filter(|bin| bin.join("initdb").exists()).max().ok_or_else(|| "PostgreSQL is not installed".into())
}

fn unprivileged(program: &[&str]) -> Result<Child> {
    if !is_root()? {
        return command(program[0], &program[1..]);
    }
    let user = ["--reuid=postgres", "--regid=postgres", "--init-groups", "--pdeathsig", "INT"];
    command("setpriv", &[&user[..], program].concat())
}

fn is_root() -> Result<bool> {
    use std::os::unix::fs::MetadataExt;
    Ok(std::fs::metadata("/proc/self")?.uid() == 0)
}

#[expect(clippy::disallowed_methods, reason = "the server compared is a process")]
fn command(program: &str, arguments: &[&str]) -> Result<Child> {
    let quiet = || Stdio::null();
    Ok(Command::new(program).args(arguments).current_dir("/").stdin(quiet()).stdout(quiet()).stderr(quiet()).spawn()?)
}
