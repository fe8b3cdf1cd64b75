use std::time::Duration;

use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use reqwest::header::{AUTHORIZATION, HeaderValue};
use reqwest::{Client, RequestBuilder};
use serde::Deserialize;
use serde_json::{Value, json};

use super::backend::{Backend, Kept, StoreError};
use super::{Script, StoreSetupError};
use crate::egress::operator_client;

/// Redis over HTTP: a command is `POST /` with a JSON array, several are
/// `POST /pipeline` with an array of them; each answer is `{"result":…}` or
/// `{"error":…}`.
pub(super) struct Rest {
    client: Client,
    url: String,
    authorization: HeaderValue,
}

/// What every command is answered with.
#[derive(Debug, Deserialize)]
struct Answer {
    #[serde(default)]
    result: Value,
    error: Option<String>,
}

impl Rest {
    pub(super) fn new(url: &str, token: &str) -> Result<Self, StoreSetupError> {
        let mut authorization = HeaderValue::try_from(format!("Bearer {token}")).map_err(|_| StoreSetupError::Token)?;
        authorization.set_sensitive(true);
        let client = operator_client(concat!("Blazon/", env!("CARGO_PKG_VERSION")))?;
        Ok(Self { client, url: url.trim_end_matches('/').to_owned(), authorization })
    }

    fn post(&self, path: &str, body: &Value) -> RequestBuilder {
        let request = self.client.post(format!("{}{path}", self.url));
        request.header(AUTHORIZATION, self.authorization.clone()).json(body)
    }

    async fn command(&self, command: &Value) -> Result<Value, StoreError> {
        let answer: Answer = read(self.post("/", command)).await?;
        answer.into_result()
    }
}

impl Answer {
    fn into_result(self) -> Result<Value, StoreError> {
        self.error.map_or(Ok(self.result), |error| Err(StoreError::Refused(error)))
    }
}

async fn read<T: for<'a> Deserialize<'a>>(request: RequestBuilder) -> Result<T, StoreError> {
    // An error may name the URL, and with it what its owner put there.
    let unreachable = |error: reqwest::Error| {
        let unsent = error.is_connect();
        let error = error.without_url().to_string();
        if unsent { StoreError::Unconnected(error) } else { StoreError::Cut(error) }
    };
    let response = request.send().await.map_err(unreachable)?;
    let status = response.status();
    let body = response.bytes().await.map_err(unreachable)?;
    serde_json::from_slice(&body).map_err(|_| match serde_json::from_slice::<Answer>(&body) {
        Ok(Answer { error: Some(error), .. }) => StoreError::Refused(error),
        _ => StoreError::Nonsense(format!("status {status}")),
    })
}

#[async_trait]
impl Backend for Rest {
    async fn connect(&self) -> Result<(), StoreError> {
        // HTTP connects with the first request.
        Ok(())
    }

    async fn fetch(&self, key: &str) -> Result<Option<Kept>, StoreError> {
        let commands = json!([["GET", key], ["PTTL", key]]);
        // Text would be damaged where it is not UTF-8.
        let request = self.post("/pipeline", &commands).header("Upstash-Encoding", "base64");
        let [body, ttl] = read::<[Answer; 2]>(request).await?;
        let (body, ttl) = (body.into_result()?, ttl.into_result()?);
        let Value::String(body) = body else { return Ok(None) };
        let body = STANDARD.decode(body).map_err(|error| StoreError::Nonsense(error.to_string()))?;
        // It may have expired between the two, or have been put there without a time.
        let left = ttl.as_i64().and_then(|left| u64::try_from(left).ok()).filter(|left| *left > 0);
        Ok(left.map(|left| Kept { body: body.into(), ttl_remaining: Duration::from_millis(left) }))
    }

    async fn keep(&self, key: &str, body: Bytes, ttl: Duration) -> Result<(), StoreError> {
        // The protocol carries values as JSON text; ours are JSON.
        let Ok(text) = std::str::from_utf8(&body) else { return Ok(()) };
        let ttl_ms = u64::try_from(ttl.as_millis()).unwrap_or(u64::MAX);
        self.command(&json!(["SET", key, text, "PX", ttl_ms])).await.map(drop)
    }

    async fn run(&self, script: &Script, keys: &[&str], args: Vec<String>) -> Result<Vec<i64>, StoreError> {
        let mut command = vec![json!("EVAL"), json!(script.text), json!(keys.len())];
        command.extend(keys.iter().map(|key| json!(key)));
        command.extend(args.into_iter().map(Value::String));
        let numbers = self.command(&Value::Array(command)).await?;
        serde_json::from_value(numbers).map_err(|error| StoreError::Nonsense(error.to_string()))
    }

    async fn close(&self) {}
}
