use std::fmt::Write;
use std::path::{Path, PathBuf};

use url::Url;

use super::reader::{Read, Reader};
use super::secret::Secret;
use super::variable::Variable;

const DATABASE_URL: Variable = Variable::optional(
    "DATABASE_URL",
    "`blazon.db` in `DATA_DIR`",
    "postgres://blazon:password@localhost:5432/blazon",
    "The main database: `sqlite://…` or `postgres://…`.",
)
.secret();
const NEXT_PUBLIC_DATABASE_URL: Variable = Variable::optional(
    "NEXT_PUBLIC_DATABASE_URL",
    "the value of `DATABASE_URL`",
    "sqlite://./data/blazon.db",
    "Another name of `DATABASE_URL`, which wins when both are set.",
)
.secret();
pub(super) const DATA_DIR: Variable = Variable::defaulting(
    "DATA_DIR",
    "./data",
    "Folder of the SQLite file and, without an object store, of stored assets.",
)
.example("/var/lib/blazon");
const DATABASE_SERVICE_ROLE_KEY: Variable = Variable::optional(
    "DATABASE_SERVICE_ROLE_KEY",
    "the admin API answers 401",
    "a-long-random-text",
    "Bearer token of the admin API under `/v1/admin`.",
)
.secret()
.later();
const NEXT_PUBLIC_DATABASE_ANON_KEY: Variable = Variable::optional(
    "NEXT_PUBLIC_DATABASE_ANON_KEY",
    "sign-up is closed",
    "another-random-text",
    "Public token that a sign-up page sends to `POST /v1/account/sign-up`.",
)
.secret()
.later();

pub(super) const VARIABLES: &[Variable] =
    &[DATABASE_URL, NEXT_PUBLIC_DATABASE_URL, DATA_DIR, DATABASE_SERVICE_ROLE_KEY, NEXT_PUBLIC_DATABASE_ANON_KEY];

/// Where state is kept, and the two tokens that the database's name stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatabaseSettings {
    /// `DATABASE_URL`, resolved; an address that `url::Url` accepts.
    pub url: Secret,
    /// `DATA_DIR`; need not exist yet.
    pub data_dir: PathBuf,
    /// `DATABASE_SERVICE_ROLE_KEY`
    pub service_role_key: Option<Secret>,
    /// `NEXT_PUBLIC_DATABASE_ANON_KEY`
    pub anon_key: Option<Secret>,
}

impl DatabaseSettings {
    pub(super) fn read(reader: &mut Reader<'_>) -> Read<Self> {
        let own = reader.optional(&DATABASE_URL, database_url);
        let alias = reader.optional(&NEXT_PUBLIC_DATABASE_URL, database_url);
        let data_dir = reader.value(&DATA_DIR, |text| Ok(PathBuf::from(text)));
        let service_role_key = reader.secret(&DATABASE_SERVICE_ROLE_KEY);
        let anon_key = reader.secret(&NEXT_PUBLIC_DATABASE_ANON_KEY);
        let (own, alias, data_dir) = (own?, alias?, data_dir?);
        if own.is_some() && alias.is_some() && own != alias {
            reader.warn("NEXT_PUBLIC_DATABASE_URL differs from DATABASE_URL and is ignored");
        }
        Ok(Self {
            url: Secret::new(own.or(alias).unwrap_or_else(|| sqlite_url(&data_dir))),
            data_dir,
            service_role_key: service_role_key?,
            anon_key: anon_key?,
        })
    }
}

fn database_url(text: &str) -> Result<String, String> {
    let url = Url::parse(text).map_err(|error| format!("is not an address ({error})"))?;
    let written_out = text.split_once("://").is_some_and(|(_, rest)| !rest.is_empty());
    if written_out && matches!(url.scheme(), "sqlite" | "postgres" | "postgresql") {
        return Ok(text.to_owned());
    }
    Err("is not a database address (sqlite://… or postgres://…)".to_owned())
}

/// Percent-encodes what a database address would read as something else than
/// part of the file's name; the driver decodes it.
fn sqlite_url(data_dir: &Path) -> String {
    let file = data_dir.join("blazon.db");
    let mut url = "sqlite://".to_owned();
    for byte in file.to_string_lossy().bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            url.push(char::from(byte));
        } else {
            // Writing to a String cannot fail.
            let _ = write!(url, "%{byte:02X}");
        }
    }
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_with_a_blank_or_a_question_mark_still_gives_an_address() {
        let url = sqlite_url(Path::new("./my data?"));
        assert_eq!(url, "sqlite://./my%20data%3F/blazon.db");
        assert!(database_url(&url).is_ok());
    }

    #[test]
    fn database_addresses_are_sqlite_or_postgres() {
        for good in
            ["sqlite://./a.db", "sqlite:///var/a.db?mode=rwc", "postgres://u:p@h/d", "postgresql:///d?host=/run"]
        {
            assert_eq!(database_url(good).as_deref(), Ok(good));
        }
        for bad in ["https://project.example.com", "sqlite://", "sqlite::memory:", "mysql://h/d", "./data"] {
            assert!(database_url(bad).is_err(), "{bad}");
        }
    }
}
