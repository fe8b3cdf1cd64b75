use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{AUTHORIZATION, CONTENT_TYPE};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::Mutex;

use super::resp::{Answer, Connection};

/// The Redis-over-REST protocol in front of a real Redis: `POST /`,
/// `POST /pipeline` and `POST /multi-exec`, a bearer token, base64 on request.
pub struct RestFront {
    address: SocketAddr,
}

/// The one token that is accepted.
const TOKEN: &str = "token-of-the-test";

impl RestFront {
    /// Starts the front of the Redis at `redis`, in the current runtime.
    ///
    /// # Panics
    /// When there is no free port.
    pub async fn start(redis: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("bound");
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                // Each connection of a client has one of its own behind it.
                let behind = Arc::new(Behind { redis, connection: Mutex::default() });
                let serve = service_fn(move |request| {
                    let behind = behind.clone();
                    async move { Ok::<_, Infallible>(answer(&behind, request).await) }
                });
                let _ = stream.set_nodelay(true);
                tokio::spawn(hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), serve));
            }
        });
        Self { address }
    }

    /// `http://…`
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What to present.
    pub fn token(&self) -> &'static str {
        TOKEN
    }
}

struct Behind {
    redis: SocketAddr,
    connection: Mutex<Option<Connection>>,
}

impl Behind {
    async fn ask(&self, commands: &[Vec<Vec<u8>>]) -> std::io::Result<Vec<Answer>> {
        let mut connection = self.connection.lock().await;
        // Taken out, so that one on which an answer was given up is not used again.
        let mut open = match connection.take() {
            Some(open) => open,
            None => Connection::open(self.redis).await?,
        };
        let answers = open.ask(commands).await?;
        *connection = Some(open);
        Ok(answers)
    }
}

async fn answer(behind: &Behind, request: Request<Incoming>) -> Response<Full<Bytes>> {
    let header = |name: &str| request.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if request.method() != Method::POST {
        return reply(StatusCode::METHOD_NOT_ALLOWED, &json!({ "error": "Method Not Allowed" }));
    }
    if header(AUTHORIZATION.as_str()) != format!("Bearer {TOKEN}") {
        return reply(StatusCode::UNAUTHORIZED, &json!({ "error": "Unauthorized" }));
    }
    let base64 = header("upstash-encoding").eq_ignore_ascii_case("base64");
    let path = request.uri().path().to_owned();
    let body = request.into_body().collect().await.map(|body| body.to_bytes()).unwrap_or_default();
    let parsed: Option<Value> = serde_json::from_slice(&body).ok();
    let outcome = match path.as_str() {
        "/" => single(behind, parsed.as_ref(), base64).await,
        "/pipeline" => several(behind, parsed.as_ref(), base64, false).await,
        "/multi-exec" => several(behind, parsed.as_ref(), base64, true).await,
        _ => Ok(bad("ERR unknown path")),
    };
    let (status, body) =
        outcome.unwrap_or_else(|error| (StatusCode::INTERNAL_SERVER_ERROR, json!({ "error": format!("ERR {error}") })));
    reply(status, &body)
}

type Outcome = std::io::Result<(StatusCode, Value)>;

async fn single(behind: &Behind, body: Option<&Value>, base64: bool) -> Outcome {
    let Some(command) = body.and_then(words) else { return Ok(bad("ERR failed to parse command")) };
    let answer = behind.ask(&[command]).await?.remove(0);
    let status = if matches!(answer, Answer::Error(_)) { StatusCode::BAD_REQUEST } else { StatusCode::OK };
    Ok((status, item(answer, base64)))
}

async fn several(behind: &Behind, body: Option<&Value>, base64: bool, atomic: bool) -> Outcome {
    let commands: Option<Vec<_>> =
        body.and_then(Value::as_array).map(|list| list.iter().map(words).collect()).unwrap_or_default();
    let Some(commands) = commands.filter(|commands| !commands.is_empty()) else {
        return Ok(bad("ERR failed to parse pipeline request"));
    };
    if !atomic {
        let answers = behind.ask(&commands).await?;
        return Ok((StatusCode::OK, answers.into_iter().map(|answer| item(answer, base64)).collect()));
    }
    let wrapped: Vec<_> = std::iter::once(vec![b"MULTI".to_vec()])
        .chain(commands)
        .chain(std::iter::once(vec![b"EXEC".to_vec()]))
        .collect();
    let mut answers = behind.ask(&wrapped).await?;
    let refused = answers.iter().find(|answer| matches!(answer, Answer::Error(_))).cloned();
    match (answers.pop(), refused) {
        (Some(Answer::List(items)), _) => {
            Ok((StatusCode::OK, items.into_iter().map(|answer| item(answer, base64)).collect()))
        }
        (_, refused) => Ok((StatusCode::BAD_REQUEST, item(refused.unwrap_or(Answer::Bytes(None)), base64))),
    }
}

/// A command's words: strings as they are, numbers and booleans as JSON has them.
fn words(command: &Value) -> Option<Vec<Vec<u8>>> {
    let words = command.as_array().filter(|words| !words.is_empty())?;
    words
        .iter()
        .map(|word| match word {
            Value::String(text) => Some(text.clone().into_bytes()),
            Value::Number(_) | Value::Bool(_) => Some(word.to_string().into_bytes()),
            _ => None,
        })
        .collect()
}

fn item(answer: Answer, base64: bool) -> Value {
    match answer {
        Answer::Error(error) => json!({ "error": error }),
        answer => json!({ "result": result(answer, base64) }),
    }
}

fn result(answer: Answer, base64: bool) -> Value {
    match answer {
        Answer::Number(number) => json!(number),
        Answer::Bytes(None) => Value::Null,
        Answer::Bytes(Some(bytes)) if base64 => json!(STANDARD.encode(bytes)),
        Answer::Bytes(Some(bytes)) => json!(String::from_utf8_lossy(&bytes)),
        Answer::Status(text) if base64 && text != "OK" => json!(STANDARD.encode(text)),
        Answer::Status(text) | Answer::Error(text) => json!(text),
        Answer::List(items) => items.into_iter().map(|answer| result(answer, base64)).collect(),
    }
}

fn bad(error: &str) -> (StatusCode, Value) {
    (StatusCode::BAD_REQUEST, json!({ "error": error }))
}

fn reply(status: StatusCode, body: &Value) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(body.to_string())));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, hyper::header::HeaderValue::from_static("application/json"));
    response
}
