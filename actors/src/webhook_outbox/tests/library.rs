//! The signature in the eyes of another language's published library.

use std::io::Write;
use std::process::{Command, Stdio};

use super::*;
use crate::database::testing::{TestDatabase, open_migrated};

/// The folder of the Python package `standardwebhooks`.
const LIBRARY: &str = "BLAZON_TEST_STANDARD_WEBHOOKS";

/// Says `verified`, or why not.
const VERIFY: &str = "
import json, sys
from standardwebhooks import Webhook
given = json.load(sys.stdin)
try:
    Webhook(given['secret']).verify(given['body'], given['headers'])
    print('verified')
except Exception as refusal:
    print(refusal)
";

#[expect(clippy::disallowed_methods, reason = "a program of another language, and where it is")]
fn library_says(secret: &str, request: &Received, body: &str) -> String {
    let folder =
        std::env::var(LIBRARY).expect("run ./scripts/test, which installs the Python package standardwebhooks");
    let given = json!({ "secret": secret, "headers": request.headers, "body": body }).to_string();
    let mut python = Command::new("python3");
    python.args(["-c", VERIFY]).env("PYTHONPATH", folder).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = python.spawn().expect("python3 starts");
    child.stdin.take().expect("it listens").write_all(given.as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

use super::receiver::Received;

#[actix::test]
async fn the_python_library_verifies_what_is_sent_and_nothing_else() {
    let database = TestDatabase::sqlite();
    let db = open_migrated(database.url()).await;
    let receiver = Receiver::answering(200).await;
    let desk = Desk::new(&db, &receiver);
    desk.owe().await;
    let request = receiver.until(1).await.remove(0);
    let body = std::str::from_utf8(&request.body).expect("UTF-8");
    let secret_of =
        async |user| desk.gate.ask(GetSigningSecret { user }).await.expect("answers").expect("a secret").reveal();
    let secret = secret_of(desk.user).await;
    assert_eq!(library_says(&secret, &request, body), "verified");
    assert_eq!(library_says(&secret, &request, &body.replace("Café", "Cafe")), "No matching signature found");
    assert_eq!(library_says(&secret_of(Uuid::nil()).await, &request, body), "No matching signature found");
    let mut late = request.clone();
    late.headers.insert("webhook-timestamp".to_owned(), "1700000000".to_owned());
    assert_eq!(library_says(&secret, &late, body), "Message timestamp too old");
}
