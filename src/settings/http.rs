use std::net::IpAddr;

use url::Url;

use super::parse;
use super::reader::{Read, Reader};
use super::secret::Secret;
use super::variable::Variable;

pub(super) const PORT: Variable = Variable::defaulting(
    "PORT",
    "3001",
    "Port that `blazon serve` listens on. `blazon browser-worker` reads the same variable, with 3002 as its default.",
);
pub(super) const BIND: Variable = Variable::defaulting(
    "BIND",
    "0.0.0.0",
    "IP address to listen on: `0.0.0.0` for every IPv4 interface, `::` for IPv6 as well, `127.0.0.1` for this machine.",
);
const NODE_ENV: Variable = Variable::defaulting(
    "NODE_ENV",
    "development",
    "`development`, `production` or `test`. Production logs JSON and refuses `AUTH_BYPASS`.",
)
.example("production");
const LOG_LEVEL: Variable = Variable::defaulting(
    "LOG_LEVEL",
    "info",
    "Least severe messages that are logged: `debug`, `info`, `warn`, `error`.",
);
const NEXT_PUBLIC_APP_URL: Variable = Variable::defaulting(
    "NEXT_PUBLIC_APP_URL",
    "http://localhost:3000",
    "Address of the dashboard: the one origin that CORS allows, named in mails and in the crawler's user agent.",
)
.example("https://dashboard.example.com");
const NEXT_PUBLIC_API_URL: Variable = Variable::optional(
    "NEXT_PUBLIC_API_URL",
    "the value of `API_URL`",
    "https://api.example.com",
    "Address of the API as browsers reach it.",
);
const API_URL: Variable = Variable::defaulting(
    "API_URL",
    "http://localhost:3001",
    "Address of the API inside the deployment. It does not follow `PORT`: set both together.",
);
const SERVICE_BASE_URL: Variable = Variable::optional(
    "SERVICE_BASE_URL",
    "the value of `API_URL`",
    "https://api.example.com",
    "Address of the API that the command line and the MCP server call.",
);
const AUTH_BYPASS: Variable = Variable::defaulting(
    "AUTH_BYPASS",
    "false",
    "`true` lets every request run as a local user with unlimited credits and no rate limit. Refused in production.",
);

const BLAZON_API_KEY: Variable = Variable::optional(
    "BLAZON_API_KEY",
    "the command line needs `--key`",
    "blz_live_...",
    "API key that `blazon scrape` presents to the server.",
)
.secret();

pub(super) const VARIABLES: &[Variable] = &[
    PORT,
    BIND,
    NODE_ENV,
    LOG_LEVEL,
    NEXT_PUBLIC_APP_URL,
    NEXT_PUBLIC_API_URL,
    API_URL,
    SERVICE_BASE_URL,
    AUTH_BYPASS,
    BLAZON_API_KEY,
];

/// Where the server listens, how it is reached, and what kind of run this is.
///
/// The path of each address ends with a slash, so that `join("v1/…")` extends it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpSettings {
    /// `PORT` of the API server.
    pub port: u16,
    /// `BIND`
    pub bind: IpAddr,
    /// `NODE_ENV`
    pub node_env: NodeEnv,
    /// `LOG_LEVEL`
    pub log_level: LogLevel,
    /// `NEXT_PUBLIC_APP_URL`
    pub app_url: Url,
    /// `NEXT_PUBLIC_API_URL`
    pub public_api_url: Url,
    /// `API_URL`
    pub api_url: Url,
    /// `SERVICE_BASE_URL`
    pub service_base_url: Url,
    /// `AUTH_BYPASS`; never true in production.
    pub auth_bypass: bool,
    /// `BLAZON_API_KEY`
    pub api_key: Option<Secret>,
}

/// What kind of run this is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeEnv {
    Development,
    Production,
    Test,
}

/// The least severe messages that are logged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogLevel {
    Debug,
    Info,
    Warn,
    Error,
}

impl LogLevel {
    /// Returns the name that log filters know.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Debug => "debug",
            Self::Info => "info",
            Self::Warn => "warn",
            Self::Error => "error",
        }
    }
}

const NODE_ENVS: &[(&str, NodeEnv)] =
    &[("development", NodeEnv::Development), ("production", NodeEnv::Production), ("test", NodeEnv::Test)];
const LOG_LEVELS: &[(&str, LogLevel)] =
    &[("debug", LogLevel::Debug), ("info", LogLevel::Info), ("warn", LogLevel::Warn), ("error", LogLevel::Error)];

impl HttpSettings {
    pub(super) fn read(reader: &mut Reader<'_>) -> Read<Self> {
        let port = reader.value(&PORT, parse::port);
        let bind = reader.value(&BIND, parse::ip_address);
        let node_env = reader.value(&NODE_ENV, parse::one_of(NODE_ENVS));
        let log_level = reader.value(&LOG_LEVEL, parse::one_of(LOG_LEVELS));
        let app_url = reader.value(&NEXT_PUBLIC_APP_URL, parse::base_url);
        let api_url = reader.value(&API_URL, parse::base_url);
        let public_api_url = reader.optional(&NEXT_PUBLIC_API_URL, parse::base_url);
        let service_base_url = reader.optional(&SERVICE_BASE_URL, parse::base_url);
        let auth_bypass = read_bypass(reader, node_env);
        let api_key = reader.secret(&BLAZON_API_KEY);
        let api_url = api_url?;
        Ok(Self {
            port: port?,
            bind: bind?,
            node_env: node_env?,
            log_level: log_level?,
            app_url: app_url?,
            public_api_url: public_api_url?.unwrap_or_else(|| api_url.clone()),
            service_base_url: service_base_url?.unwrap_or_else(|| api_url.clone()),
            api_url,
            auth_bypass: auth_bypass?,
            api_key: api_key?,
        })
    }
}

fn read_bypass(reader: &mut Reader<'_>, node_env: Read<NodeEnv>) -> Read<bool> {
    let bypass = reader.value(&AUTH_BYPASS, parse::flag)?;
    if bypass && node_env == Ok(NodeEnv::Production) {
        return Err(reader.refuse(&AUTH_BYPASS, "it is on while NODE_ENV is production"));
    }
    if bypass {
        reader.warn("AUTH_BYPASS is on: whoever reaches the API uses it without a key, credits or limits");
    }
    Ok(bypass)
}
