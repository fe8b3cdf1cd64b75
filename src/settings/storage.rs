use std::path::{Path, PathBuf};

use url::Url;

use super::reader::{Read, Reader};
use super::secret::Secret;
use super::variable::Variable;
use super::{database, parse};

const STORAGE_PROVIDER: Variable = Variable::defaulting(
    "STORAGE_PROVIDER",
    "object_store",
    "Where stored assets go: `object_store` (the `OBJECT_STORE_*` variables, or files under `DATA_DIR` without them), \
     `s3_compatible` (the `S3COMPAT_*` variables) or `database`.",
)
.later();
const OBJECT_STORE_ACCESS_KEY: Variable = Variable::optional(
    "OBJECT_STORE_ACCESS_KEY",
    "files under `DATA_DIR`",
    "access-key",
    "Access key of the object store; set it together with the secret key and the endpoint.",
)
.secret()
.later();
const OBJECT_STORE_SECRET_KEY: Variable = Variable::optional(
    "OBJECT_STORE_SECRET_KEY",
    "files under `DATA_DIR`",
    "secret-key",
    "Secret key of the object store.",
)
.secret()
.later();
const OBJECT_STORE_ENDPOINT: Variable = Variable::optional(
    "OBJECT_STORE_ENDPOINT",
    "files under `DATA_DIR`",
    "https://objects.example.com",
    "Address of the object store, which speaks the S3 API.",
)
.later();
const OBJECT_STORE_BUCKET: Variable =
    Variable::defaulting("OBJECT_STORE_BUCKET", "blazon-assets", "Bucket of the object store.").later();
const S3COMPAT_ACCESS_KEY_ID: Variable = Variable::optional(
    "S3COMPAT_ACCESS_KEY_ID",
    "an error with `s3_compatible`",
    "access-key",
    "Access key when `STORAGE_PROVIDER` is `s3_compatible`.",
)
.secret()
.later();
const S3COMPAT_SECRET_ACCESS_KEY: Variable = Variable::optional(
    "S3COMPAT_SECRET_ACCESS_KEY",
    "an error with `s3_compatible`",
    "secret-key",
    "Secret key when `STORAGE_PROVIDER` is `s3_compatible`.",
)
.secret()
.later();
const S3COMPAT_BUCKET: Variable = Variable::optional(
    "S3COMPAT_BUCKET",
    "an error with `s3_compatible`",
    "blazon-assets",
    "Bucket when `STORAGE_PROVIDER` is `s3_compatible`.",
)
.later();
const S3COMPAT_REGION: Variable = Variable::optional(
    "S3COMPAT_REGION",
    "an error with `s3_compatible`",
    "eu-central-1",
    "Region when `STORAGE_PROVIDER` is `s3_compatible`.",
)
.later();

pub(super) const VARIABLES: &[Variable] = &[
    STORAGE_PROVIDER,
    OBJECT_STORE_ACCESS_KEY,
    OBJECT_STORE_SECRET_KEY,
    OBJECT_STORE_ENDPOINT,
    OBJECT_STORE_BUCKET,
    S3COMPAT_ACCESS_KEY_ID,
    S3COMPAT_SECRET_ACCESS_KEY,
    S3COMPAT_BUCKET,
    S3COMPAT_REGION,
];

/// Where stored assets go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StorageSettings {
    /// Files in this folder, which need not exist yet.
    Files(PathBuf),
    /// Rows of the main database.
    Database,
    /// A bucket behind the S3 API.
    S3(S3Settings),
}

/// A bucket behind the S3 API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct S3Settings {
    pub access_key: Secret,
    pub secret_key: Secret,
    pub bucket: String,
    /// `None` for the standard address of the region.
    pub endpoint: Option<Url>,
    /// `None` where the endpoint knows of no regions.
    pub region: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Provider {
    ObjectStore,
    Database,
    S3Compatible,
}

const PROVIDERS: &[(&str, Provider)] = &[
    ("object_store", Provider::ObjectStore),
    ("database", Provider::Database),
    ("s3_compatible", Provider::S3Compatible),
];

impl StorageSettings {
    /// Checks the variables of every provider, whichever is chosen.
    pub(super) fn read(reader: &mut Reader<'_>) -> Read<Self> {
        let provider = reader.value(&STORAGE_PROVIDER, parse::one_of(PROVIDERS));
        let data_dir = reader.value(&database::DATA_DIR, |text| Ok(PathBuf::from(text)));
        let object_store = read_object_store(reader, provider == Ok(Provider::ObjectStore));
        let s3_compatible = read_s3_compatible(reader, provider == Ok(Provider::S3Compatible));
        let (data_dir, object_store, s3_compatible) = (data_dir?, object_store?, s3_compatible?);
        let bucket = match provider? {
            Provider::Database => return Ok(Self::Database),
            Provider::ObjectStore => object_store,
            Provider::S3Compatible => s3_compatible,
        };
        Ok(bucket.map_or_else(|| Self::Files(assets_folder(&data_dir)), Self::S3))
    }
}

fn assets_folder(data_dir: &Path) -> PathBuf {
    data_dir.join("assets")
}

/// All three of its variables or none: half a configuration is a mistake.
fn read_object_store(reader: &mut Reader<'_>, chosen: bool) -> Read<Option<S3Settings>> {
    let group = [&OBJECT_STORE_ACCESS_KEY, &OBJECT_STORE_SECRET_KEY, &OBJECT_STORE_ENDPOINT];
    let begun = chosen && group.into_iter().any(|variable| reader.is_set(variable));
    let bucket = reader.value(&OBJECT_STORE_BUCKET, bucket_name);
    let reason = "an object store";
    let access_key = needed_if(reader, begun, &OBJECT_STORE_ACCESS_KEY, reason, parse::token);
    let secret_key = needed_if(reader, begun, &OBJECT_STORE_SECRET_KEY, reason, parse::token);
    let endpoint = needed_if(reader, begun, &OBJECT_STORE_ENDPOINT, reason, parse::base_url);
    let (bucket, access_key, secret_key, endpoint) = (bucket?, access_key?, secret_key?, endpoint?);
    Ok(access_key.zip(secret_key).map(|(access_key, secret_key)| S3Settings {
        access_key: Secret::new(access_key),
        secret_key: Secret::new(secret_key),
        bucket,
        endpoint,
        region: None,
    }))
}

fn read_s3_compatible(reader: &mut Reader<'_>, chosen: bool) -> Read<Option<S3Settings>> {
    let reason = "STORAGE_PROVIDER=s3_compatible";
    let access_key = needed_if(reader, chosen, &S3COMPAT_ACCESS_KEY_ID, reason, parse::token);
    let secret_key = needed_if(reader, chosen, &S3COMPAT_SECRET_ACCESS_KEY, reason, parse::token);
    let bucket = needed_if(reader, chosen, &S3COMPAT_BUCKET, reason, bucket_name);
    let region = needed_if(reader, chosen, &S3COMPAT_REGION, reason, parse::token);
    let (access_key, secret_key, bucket, region) = (access_key?, secret_key?, bucket?, region?);
    Ok(access_key.zip(secret_key).zip(bucket).map(|((access_key, secret_key), bucket)| S3Settings {
        access_key: Secret::new(access_key),
        secret_key: Secret::new(secret_key),
        bucket,
        endpoint: None,
        region,
    }))
}

fn needed_if<T>(
    reader: &mut Reader<'_>,
    needed: bool,
    variable: &Variable,
    reason: &str,
    parse: impl Fn(&str) -> Result<T, String>,
) -> Read<Option<T>> {
    if needed { reader.needed(variable, reason, parse).map(Some) } else { reader.optional(variable, parse) }
}

/// The naming rule of S3, which every compatible store accepts.
fn bucket_name(text: &str) -> Result<String, String> {
    let edges = [text.bytes().next(), text.bytes().next_back()];
    let letter_or_digit = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let valid = (3..=63).contains(&text.len())
        && edges.into_iter().flatten().all(letter_or_digit)
        && text.bytes().all(|byte| letter_or_digit(byte) || b".-".contains(&byte));
    if valid {
        return Ok(text.to_owned());
    }
    Err("is not a bucket name (3 to 63 lower-case letters, digits, dots and hyphens)".to_owned())
}
