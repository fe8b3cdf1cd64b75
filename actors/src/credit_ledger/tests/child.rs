//! Further processes: this test program again, at a test that is ignored
//! otherwise and takes its orders from a variable.

use std::process::{Child, Command, Stdio};

use serde::Serialize;
use serde::de::DeserializeOwned;

const ORDERS: &str = "BLAZON_CHILD";

/// Starts the ignored test `role` of this room with its orders.
#[expect(clippy::disallowed_methods, reason = "a process of our own, to be killed")]
pub(super) fn start<T: Serialize>(role: &str, orders: &T) -> Child {
    let test = format!("credit_ledger::tests::{role}");
    Command::new(std::env::current_exe().expect("this program"))
        .args([&test, "--exact", "--ignored", "--nocapture"])
        .env(ORDERS, serde_json::to_string(orders).expect("orders"))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a child starts")
}

/// The orders, in the child; `None` when somebody runs the ignored test itself.
#[expect(clippy::disallowed_methods, reason = "a child is told by its parent")]
pub(super) fn orders<T: DeserializeOwned>() -> Option<T> {
    Some(serde_json::from_str(&std::env::var(ORDERS).ok()?).expect("orders"))
}

/// Tells the parent something; it stays told when the process dies next.
pub(super) fn tell(what: &str) {
    use std::io::Write;
    let mut out = std::io::stdout().lock();
    writeln!(out, "\ntold {what}").and_then(|()| out.flush()).expect("the parent reads");
}

/// What the child told until its end, and whether it ended well.
pub(super) fn told(child: Child) -> (Vec<String>, bool) {
    let output = child.wait_with_output().expect("the child ends");
    let text = String::from_utf8_lossy(&output.stdout);
    let told = text.lines().filter_map(|line| line.strip_prefix("told ")).map(str::to_owned).collect();
    (told, output.status.success())
}
