use std::collections::BTreeMap;
use std::sync::Arc;

use actix_web::dev::ServerHandle;
use actix_web::rt::task::JoinHandle;
use actors::credit_ledger::{Balance, GetBalance};
use actors::egress::operator_client;
use actors::key_ring::{CreateKey, CreatedKey, Plan};
use actors::system::Services;
use blazon::settings::{Settings, Source};
use blazon::startup::{Application, Ended};
use serde_json::Value;
use tempfile::TempDir;

use super::{Canary, TestSite};

/// The application of production on a free port, with a folder of its own, a
/// site it may read (`site.test`) and a canary it may not.
pub struct TestApp {
    pub canary: Canary,
    pub site: TestSite,
    pub services: Services,
    pub admin: Option<CreatedKey>,
    pub port: u16,
    handle: ServerHandle,
    running: Option<JoinHandle<anyhow::Result<Ended>>>,
    _folder: Arc<TempDir>,
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
            ("EGRESS_HOSTS", format!("site.test={}", site.address())),
            ("EGRESS_ALLOW_CIDRS", "127.0.0.1/32".to_owned()),
            ("BROWSER_ALLOW_NO_SANDBOX", "true".to_owned()),
            ("BROWSER_POOL_SIZE", "1".to_owned()),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into();
        map.extend(variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        let mut settings = Settings::from_source(&Source::from_iter(map)).expect("good settings");
        settings.http.port = 0;
        blazon::telemetry::init_logs(&settings);
        let mut application = Application::build(settings).await.expect("the application starts");
        Self {
            canary,
            site,
            services: application.services(),
            admin: application.take_first_key(),
            port: application.port(),
            handle: application.handle(),
            running: Some(actix_web::rt::spawn(application.run_until_stopped())),
            _folder: folder,
        }
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
        let response = request.send().await.expect("the application answers");
        let status = response.status().as_u16();
        let text = |value: &reqwest::header::HeaderValue| value.to_str().unwrap_or_default().to_owned();
        let headers = response.headers().iter().map(|(name, value)| (name.to_string(), text(value))).collect();
        Reply { status, headers, text: response.text().await.expect("a whole body") }
    }

    /// Asks the server to end, as SIGTERM does, and waits until it has.
    pub async fn stop(&mut self) -> Ended {
        self.handle.stop(true).await;
        let running = self.running.take().expect("stopped once");
        running.await.expect("no panic").expect("an orderly end")
    }
}
