//! The configuration: read once at start, checked as a whole, then plain data.
//!
//! [`source`] is the only place that reads the environment. Each concern has a
//! file with its variables, its struct and the rules between its variables.

mod browser;
mod cache;
mod database;
mod egress;
mod email;
mod error;
mod http;
mod jobs;
mod llm;
mod parse;
mod payment;
mod plans;
mod proxy;
mod reader;
mod reference;
mod secret;
mod source;
mod storage;
mod variable;

#[cfg(test)]
mod tests;

pub use browser::{BrowserSettings, WorkerSettings};
pub use cache::{CacheSettings, CacheStoreSettings, CacheTtls};
pub use database::DatabaseSettings;
pub use egress::EgressSettings;
pub use email::EmailSettings;
pub use error::{Problem, SettingsError};
pub use http::{HttpSettings, LogLevel, NodeEnv};
pub use jobs::JobsSettings;
pub use llm::{LlmModels, LlmProvider, LlmSettings};
pub use payment::PaymentSettings;
pub use plans::{PlanLimits, PlansSettings};
pub use proxy::ProxySettings;
pub use reference::{GROUPS, Group, env_example, reference_markdown, variables};
pub use secret::Secret;
pub use source::Source;
pub use storage::{S3Settings, StorageSettings};
pub use variable::{Unset, Used, Variable};

use reader::{Read, Reader};

/// Everything that can be configured, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    pub http: HttpSettings,
    pub database: DatabaseSettings,
    pub egress: EgressSettings,
    pub proxy: ProxySettings,
    pub browser: BrowserSettings,
    pub cache: CacheSettings,
    pub plans: PlansSettings,
    pub llm: LlmSettings,
    pub storage: StorageSettings,
    /// `None` when mail is off.
    pub email: Option<EmailSettings>,
    pub payment: PaymentSettings,
    pub jobs: JobsSettings,
    /// What is valid but likely not meant, one sentence each, to be logged.
    pub warnings: Vec<String>,
}

impl Settings {
    /// Reads the process environment and the file `.env` in the working
    /// directory.
    ///
    /// # Errors
    /// When any value is not valid; the error names all of them.
    pub fn load() -> Result<Self, SettingsError> {
        Self::from_source(&Source::from_environment()?)
    }

    /// Reads `source`; files that it names are opened to see that they can be.
    ///
    /// # Errors
    /// When any value is not valid; the error names all of them.
    pub fn from_source(source: &Source) -> Result<Self, SettingsError> {
        let mut reader = Reader::new(source);
        let settings = Self::read(&mut reader);
        let (warnings, problems) = reader.finish();
        match settings {
            Ok(settings) if problems.is_empty() => Ok(Self { warnings, ..settings }),
            _ => Err(SettingsError { problems }),
        }
    }

    /// Every concern is read before the first refusal is acted on.
    fn read(reader: &mut Reader<'_>) -> Read<Self> {
        let http = HttpSettings::read(reader);
        let database = DatabaseSettings::read(reader);
        let egress = EgressSettings::read(reader);
        let proxy = ProxySettings::read(reader);
        let browser = BrowserSettings::read(reader);
        let cache = CacheSettings::read(reader);
        let plans = PlansSettings::read(reader);
        let llm = LlmSettings::read(reader);
        let storage = StorageSettings::read(reader);
        let email = EmailSettings::read(reader);
        let payment = PaymentSettings::read(reader);
        let jobs = JobsSettings::read(reader, database.as_ref().ok().map(|database| &database.url));
        Ok(Self {
            http: http?,
            database: database?,
            egress: egress?,
            proxy: proxy?,
            browser: browser?,
            cache: cache?,
            plans: plans?,
            llm: llm?,
            storage: storage?,
            email: email?,
            payment: payment?,
            jobs: jobs?,
            warnings: Vec::new(),
        })
    }
}
