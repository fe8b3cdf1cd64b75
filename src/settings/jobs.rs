use url::Url;

use super::reader::{Read, Reader};
use super::secret::Secret;
use super::variable::Variable;

const JOBS_API_URL: Variable = Variable::optional(
    "JOBS_API_URL",
    "the main database",
    "postgres://blazon:password@localhost:5432/blazon",
    "Accepted for compatibility: the job queue lives in the main database. Any other value is a warning at start.",
)
.secret();
const JOBS_SECRET_KEY: Variable = Variable::optional(
    "JOBS_SECRET_KEY",
    "made at first start, kept in the database",
    "a-long-random-text",
    "Root secret that the signing secret of each account's webhooks is derived from.",
)
.secret();

/// Fewer characters can be guessed by whoever knows one signing secret.
const FEW_CHARACTERS: usize = 16;

pub(super) const VARIABLES: &[Variable] = &[JOBS_API_URL, JOBS_SECRET_KEY];

/// What is left to choose of the job queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobsSettings {
    /// `JOBS_SECRET_KEY`
    pub secret_key: Option<Secret>,
}

impl JobsSettings {
    /// `database_url` is the main database, when it could be read.
    pub(super) fn read(reader: &mut Reader<'_>, database_url: Option<&Secret>) -> Read<Self> {
        let api_url = reader.optional(&JOBS_API_URL, address);
        let secret_key = reader.secret(&JOBS_SECRET_KEY);
        let (api_url, secret_key) = (api_url?, secret_key?);
        if api_url.is_some() && api_url.as_ref() != database_url {
            reader
                .warn("JOBS_API_URL differs from the main database and is ignored: jobs are kept in the main database");
        }
        if secret_key.as_ref().is_some_and(|key| key.expose().chars().count() < FEW_CHARACTERS) {
            reader
                .warn("JOBS_SECRET_KEY is short: whoever receives webhooks could guess it; use 16 characters or more");
        }
        Ok(Self { secret_key })
    }
}

fn address(text: &str) -> Result<Secret, String> {
    Url::parse(text).map_err(|error| format!("is not an address ({error})"))?;
    Ok(Secret::new(text))
}
