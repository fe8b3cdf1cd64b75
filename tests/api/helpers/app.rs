use std::collections::BTreeMap;
use std::sync::Arc;
use std::thread::JoinHandle;

use actix_web::rt::System;
use actors::credit_ledger::{Balance, GetBalance};
use actors::egress::operator_client;
use actors::key_ring::{CreateKey, CreatedKey, Plan};
use actors::system::Services;
use blazon::settings::{Settings, Source};
use blazon::startup::{Application, Ended};
use serde_json::Value;
use tempfile::TempDir;
use tokio::sync::oneshot;

use super::{Canary, TestSite};

/// The application of production on a free port, with a folder of its own, a
/// site it may read (`site.test`) and a canary it may not.
///
/// It runs in a thread and a system of its own, and is ended in order when this
/// is dropped: a test leaves no browser behind.
pub struct TestApp {
    pub canary: Canary,
    pub site: TestSite,
    pub services: Services,
    pub admin: Option<CreatedKey>,
    pub port: u16,
    stop: Option<oneshot::Sender<Stop>>,
    running: Option<JoinHandle<anyhow::Result<Ended>>>,
    _folder: Arc<TempDir>,
}

/// How the application is asked to end.
#[derive(Debug, Clone, Copy)]
enum Stop {
    /// As by SIGTERM: what is in flight is finished.
    Gracefully,
    AtOnce,
}

/// An answer, read to its end.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub headers: BTreeMap<String, String>,
    pub text: String,
}

impl Reply {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("not JSON: {}", self.text))
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }

    /// The error's code and `details.reason`.
    pub fn code(&self) -> String {
        self.json()["error"]["code"].as_str().unwrap_or_default().to_owned()
    }

    pub fn detail(&self, name: &str) -> String {
        let detail = self.json()["error"]["details"][name].clone();
        detail.as_str().map_or_else(|| detail.to_string(), str::to_owned)
    }
}

impl TestApp {
    pub async fn start() -> Self {
        Self::start_with(&[]).await
    }

    /// Starts with these variables besides those of every test.
    pub async fn start_with(variables: &[(&str, &str)]) -> Self {
        Self::start_in(Arc::new(tempfile::tempdir().expect("a temporary folder")), variables).await
    }

    /// Starts on a folder that may hold the data of an earlier life.
    pub async fn start_in(folder: Arc<TempDir>, variables: &[(&str, &str)]) -> Self {
        let canary = Canary::start().await;
        let site = TestSite::start(canary.address());
        let mut map: BTreeMap<String, String> = [
            ("BIND", "127.0.0.1".to_owned()),
            ("NODE_ENV", "test".to_owned()),
            ("LOG_LEVEL", "warn".to_owned()),
            ("DATA_DIR", folder.path().display().to_string()),
            ("EGRESS_HOSTS", format!("site.test={},{}", site.address(), more_hosts(variables))),
            ("EGRESS_ALLOW_CIDRS", "127.0.0.1/32".to_owned()),
            ("BROWSER_ALLOW_NO_SANDBOX", "true".to_owned()),
            ("BROWSER_POOL_SIZE", "1".to_owned()),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into();
        let variables = variables.iter().filter(|(name, _)| *name != MORE_HOSTS);
        map.extend(variables.map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        let mut settings = Settings::from_source(&Source::from_iter(map)).expect("good settings");
        settings.http.port = 0;
        blazon::telemetry::init_logs(&settings);
        let (started, starting) = oneshot::channel();
        let (stop, stopped) = oneshot::channel();
        let running = std::thread::spawn(move || System::new().block_on(live(settings, started, stopped)));
        let Started { port, services, admin } = starting.await.expect("the application starts");
        Self { canary, site, services, admin, port, stop: Some(stop), running: Some(running), _folder: folder }
    }

    /// `POST` with a JSON body.
    pub async fn post(&self, path: &str, key: &str, headers: &[(&str, &str)], body: &Value) -> Reply {
        let mut request = operator_client("test").expect("a client").post(self.url(path)).bearer_auth(key).json(body);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        read(request.send().await.expect("the application answers")).await
    }

    /// A new user's key.
    pub async fn key(&self, plan: Plan, credits: i64) -> CreatedKey {
        let email = format!("{}@example.test", uuid::Uuid::now_v7());
        let request = CreateKey { email, plan: Some(plan), credits: Some(credits), name: "test".into() };
        self.services.keys.ask(request).await.expect("asked").expect("created")
    }

    pub async fn balance(&self, user: &CreatedKey) -> Balance {
        self.services.ledger.ask(GetBalance { user: user.user_id }).await.expect("asked").expect("answered")
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    pub async fn get(&self, path: &str, key: &str) -> Reply {
        self.send(reqwest::Method::GET, path, &[("authorization", &format!("Bearer {key}"))]).await
    }

    /// `GET /v1/web/scrape/{kind}` of a path of the site, with more parameters.
    pub async fn scrape(&self, kind: &str, path: &str, more: &str, key: &CreatedKey) -> Reply {
        self.get(&format!("/v1/web/scrape/{kind}?url=http://site.test{path}{more}"), &key.key).await
    }

    pub async fn send(&self, method: reqwest::Method, path: &str, headers: &[(&str, &str)]) -> Reply {
        let mut request = operator_client("test").expect("a client").request(method, self.url(path));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        read(request.send().await.expect("the application answers")).await
    }

    /// Asks the application to end, as SIGTERM does, and waits until it has.
    pub async fn stop(&mut self) -> Ended {
        let running = self.ask_to_end(Stop::Gracefully).expect("stopped once");
        let ended = actix_web::rt::task::spawn_blocking(move || running.join()).await.expect("waited for");
        ended.expect("no panic").expect("an orderly end")
    }

    fn ask_to_end(&mut self, how: Stop) -> Option<JoinHandle<anyhow::Result<Ended>>> {
        // It may have ended already.
        self.stop.take().map(|stop| stop.send(how));
        self.running.take()
    }
}

impl Drop for TestApp {
    fn drop(&mut self) {
        if let Some(running) = self.ask_to_end(Stop::AtOnce) {
            let ended = running.join();
            assert!(
                std::thread::panicking() || ended.is_ok_and(|ended| ended.is_ok()),
                "the application ends in order"
            );
        }
    }
}

/// More entries for `EGRESS_HOSTS` than `site.test`.
pub const MORE_HOSTS: &str = "MORE_HOSTS";

fn more_hosts<'a>(variables: &[(&str, &'a str)]) -> &'a str {
    variables.iter().find(|(name, _)| *name == MORE_HOSTS).map_or("", |(_, hosts)| hosts)
}

async fn read(response: reqwest::Response) -> Reply {
    let status = response.status().as_u16();
    let text = |value: &reqwest::header::HeaderValue| value.to_str().unwrap_or_default().to_owned();
    let headers = response.headers().iter().map(|(name, value)| (name.to_string(), text(value))).collect();
    Reply { status, headers, text: response.text().await.expect("a whole body") }
}

/// What a test needs of an application that runs in another thread.
struct Started {
    port: u16,
    services: Services,
    admin: Option<CreatedKey>,
}

async fn live(
    settings: Settings,
    started: oneshot::Sender<Started>,
    stopped: oneshot::Receiver<Stop>,
) -> anyhow::Result<Ended> {
    let mut application = Application::build(settings).await?;
    let (port, services, handle) = (application.port(), application.services(), application.handle());
    // A test that has ended meanwhile wants nothing any more.
    let _ = started.send(Started { port, services, admin: application.take_first_key() });
    actix_web::rt::spawn(async move {
        let how = stopped.await.unwrap_or(Stop::AtOnce);
        handle.stop(matches!(how, Stop::Gracefully)).await;
    });
    application.run_until_stopped().await
}
