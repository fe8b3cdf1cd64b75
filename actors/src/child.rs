//! Further processes: this test program again, at a test that is ignored
//! otherwise and takes its orders from a variable.

use std::process::{Child, Command, Stdio};

use serde::Serialize;
use serde::de::DeserializeOwned;

const ORDERS: &str = "BLAZON_CHILD";

/// Starts an ignored test, named by its whole path, with its orders.
#[expect(clippy::disallowed_methods, reason = "a process of our own, to be killed")]
pub(crate) fn start<T: Serialize>(test: &str, orders: &T) -> Child {
    Command::new(std::env::current_exe().expect("this program"))
        .args([test, "--exact", "--ignored", "--nocapture"])
        .env(ORDERS, serde_json::to_string(orders).expect("orders"))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a child starts")
}

/// The orders, in the child; `None` when somebody runs the ignored test itself.
#[expect(clippy::disallowed_methods, reason = "a child is told by its parent")]
pub(crate) fn orders<T: DeserializeOwned>() -> Option<T> {
    Some(serde_json::from_str(&std::env::var(ORDERS).ok()?).expect("orders"))
}

/// Tells the parent something; it stays told when the process dies next.
pub(crate) fn tell(what: &str) {
    use std::io::Write;
    let mut out = std::io::stdout().lock();
    writeln!(out, "\ntold {what}").and_then(|()| out.flush()).expect("the parent reads");
}

/// What the child told until its end, and whether it ended well.
pub(crate) fn told(child: Child) -> (Vec<String>, bool) {
    let output = child.wait_with_output().expect("the child ends");
    let text = String::from_utf8_lossy(&output.stdout);
    let told = text.lines().filter_map(|line| line.strip_prefix("told ")).map(str::to_owned).collect();
    (told, output.status.success())
}

/// The next thing the child tells, while it runs.
///
/// # Panics
/// When it ends without a word.
pub(crate) fn next_told(child: &mut Child) -> String {
    use std::io::Read;
    let out = child.stdout.as_mut().expect("a child that is listened to");
    let mut line = Vec::new();
    loop {
        let mut byte = [0];
        out.read_exact(&mut byte).expect("the child tells something");
        if byte != *b"\n" {
            line.push(byte[0]);
        } else if let Some(told) = String::from_utf8_lossy(&std::mem::take(&mut line)).strip_prefix("told ") {
            return told.to_owned();
        }
    }
}
