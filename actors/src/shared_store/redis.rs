use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use fred::clients::Client;
use fred::error::{Error, ErrorKind};
use fred::interfaces::{ClientLike, KeysInterface, LuaInterface};
use fred::types::config::{Config, ConnectionConfig, Options, ReconnectPolicy, TcpConfig, UnresponsiveConfig};
use fred::types::{Builder, ConnectHandle, Expiration};

use super::backend::{Backend, Kept, StoreError};
use super::{Script, StoreSetupError};

/// Between two attempts to connect.
const RETRY_MS: u32 = 250;
/// How long connecting may take, and each step of the greeting.
const CONNECT_LIMIT: Duration = Duration::from_secs(1);
/// A connection on which an answer is due for longer is made anew: the packets
/// of a machine that is gone are answered by nobody.
const SILENCE_LIMIT: Duration = Duration::from_secs(2);

/// Redis in its own protocol: one connection, on which all questions follow
/// each other without waiting.
pub(super) struct Redis {
    client: Client,
    /// Refuses while there is no connection: a question that came in time would
    /// be answered too late.
    at_once: Options,
    connection: Mutex<Option<ConnectHandle>>,
}

impl Redis {
    pub(super) fn new(url: &str) -> Result<Self, StoreSetupError> {
        let setup = |error: Error| StoreSetupError::Redis(error.details().to_owned());
        let mut config = Config::from_url_centralized(url).map_err(setup)?;
        config.fail_fast = false;
        let connection = ConnectionConfig {
            connection_timeout: CONNECT_LIMIT,
            internal_command_timeout: CONNECT_LIMIT,
            max_command_attempts: 1,
            reconnect_on_auth_error: true,
            tcp: TcpConfig { nodelay: Some(true), ..TcpConfig::default() },
            unresponsive: UnresponsiveConfig { max_timeout: Some(SILENCE_LIMIT), interval: SILENCE_LIMIT / 4 },
            ..ConnectionConfig::default()
        };
        let mut builder = Builder::from_config(config);
        builder.set_connection_config(connection).set_policy(ReconnectPolicy::new_constant(0, RETRY_MS));
        let at_once = Options { fail_fast: true, max_attempts: Some(1), ..Options::default() };
        Ok(Self { client: builder.build().map_err(setup)?, at_once, connection: Mutex::default() })
    }

    /// Begins to connect, or begins again after a fault that the client does
    /// not try to mend.
    fn ensure_connecting(&self) {
        let mut connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        if connection.as_ref().is_none_or(ConnectHandle::is_finished) {
            *connection = Some(self.client.connect());
        }
    }
}

#[async_trait]
impl Backend for Redis {
    async fn connect(&self) -> Result<(), StoreError> {
        self.ensure_connecting();
        self.client.wait_for_connect().await.map_err(failed)
    }

    async fn fetch(&self, key: &str) -> Result<Option<Kept>, StoreError> {
        let pipeline = self.client.with_options(&self.at_once).pipeline();
        let _: () = pipeline.get(key).await.map_err(failed)?;
        let _: () = pipeline.pttl(key).await.map_err(failed)?;
        let (body, ttl_ms): (Option<Bytes>, i64) = pipeline.all().await.map_err(failed)?;
        // It may have expired between the two, or have been put there without a time.
        let left = u64::try_from(ttl_ms).ok().filter(|left| *left > 0);
        Ok(body.zip(left).map(|(body, left)| Kept { body, ttl_remaining: Duration::from_millis(left) }))
    }

    async fn keep(&self, key: &str, body: Bytes, ttl: Duration) -> Result<(), StoreError> {
        let ttl_ms = i64::try_from(ttl.as_millis()).unwrap_or(i64::MAX);
        let client = self.client.with_options(&self.at_once);
        client.set(key, body, Some(Expiration::PX(ttl_ms)), None, false).await.map_err(failed)
    }

    async fn run(&self, script: &Script, keys: &[&str], args: Vec<String>) -> Result<Vec<i64>, StoreError> {
        let client = self.client.with_options(&self.at_once);
        let remembered = client.evalsha(script.sha1.as_str(), keys.to_vec(), args.clone()).await;
        match remembered {
            // A store that was started anew, or told to forget; EVAL teaches it again.
            Err(error) if error.details().starts_with("NOSCRIPT") => {
                client.eval(script.text.as_str(), keys.to_vec(), args).await.map_err(failed)
            }
            answer => answer.map_err(failed),
        }
    }

    async fn close(&self) {
        // A connection that is not there need not be closed.
        let _ = self.client.quit().await;
    }
}

fn failed(error: Error) -> StoreError {
    let details = error.details().to_owned();
    match error.kind() {
        // What `fail_fast` answers with.
        ErrorKind::Canceled => StoreError::Unconnected(details),
        ErrorKind::Timeout | ErrorKind::IO | ErrorKind::Tls => StoreError::Cut(details),
        ErrorKind::Protocol | ErrorKind::Parse => StoreError::Nonsense(details),
        _ => StoreError::Refused(details),
    }
}
