use url::Url;

use super::parse;
use super::reader::{Read, Reader};
use super::secret::Secret;
use super::variable::Variable;

const COMPAT_LLM_API_KEY: Variable = Variable::optional(
    "COMPAT_LLM_API_KEY",
    "AI endpoints answer 503, unless the second provider is set",
    "key-of-the-provider",
    "Key of the chat-format language model; any text for a local server that asks for none.",
)
.secret()
.later();
const COMPAT_LLM_BASE_URL: Variable = Variable::optional(
    "COMPAT_LLM_BASE_URL",
    "the provider's standard address",
    "http://localhost:8000/v1",
    "Address of any server that speaks the chat format.",
)
.later();
const ALT_LLM_API_KEY: Variable = Variable::optional(
    "ALT_LLM_API_KEY",
    "no fallback",
    "key-of-the-second-provider",
    "Key of the second language model, of the messages format, asked when the first one fails.",
)
.secret()
.later();
const ALT_LLM_BASE_URL: Variable = Variable::optional(
    "ALT_LLM_BASE_URL",
    "the provider's standard address",
    "http://localhost:8001",
    "Address of any server that speaks the messages format.",
)
.later();
const LLM_DEFAULT_MODEL: Variable =
    Variable::optional("LLM_DEFAULT_MODEL", "a preset model", "local-model", "Model for every task.").later();
const LLM_EXTRACTION_MODEL: Variable = Variable::optional(
    "LLM_EXTRACTION_MODEL",
    "the value of `LLM_DEFAULT_MODEL`",
    "local-model-large",
    "Model that extracts products.",
)
.later();
const LLM_CLASSIFICATION_MODEL: Variable = Variable::optional(
    "LLM_CLASSIFICATION_MODEL",
    "the value of `LLM_DEFAULT_MODEL`",
    "local-model-small",
    "Model that decides among industries.",
)
.later();
const LLM_QUERY_MODEL: Variable = Variable::optional(
    "LLM_QUERY_MODEL",
    "the value of `LLM_DEFAULT_MODEL`",
    "local-model",
    "Model that answers questions about a site.",
)
.later();

pub(super) const VARIABLES: &[Variable] = &[
    COMPAT_LLM_API_KEY,
    COMPAT_LLM_BASE_URL,
    ALT_LLM_API_KEY,
    ALT_LLM_BASE_URL,
    LLM_DEFAULT_MODEL,
    LLM_EXTRACTION_MODEL,
    LLM_CLASSIFICATION_MODEL,
    LLM_QUERY_MODEL,
];

/// Which language models may be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LlmSettings {
    /// `COMPAT_LLM_API_KEY` and `COMPAT_LLM_BASE_URL`: asked first.
    pub compat: Option<LlmProvider>,
    /// `ALT_LLM_API_KEY` and `ALT_LLM_BASE_URL`: asked when the first one fails.
    pub alt: Option<LlmProvider>,
    pub models: LlmModels,
}

/// One language-model provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LlmProvider {
    pub api_key: Secret,
    /// `None` for the provider's standard address; its path ends with a slash.
    pub base_url: Option<Url>,
}

/// The model of each task, the default already filled in; `None` for the preset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LlmModels {
    /// `LLM_EXTRACTION_MODEL`
    pub extraction: Option<String>,
    /// `LLM_CLASSIFICATION_MODEL`
    pub classification: Option<String>,
    /// `LLM_QUERY_MODEL`
    pub query: Option<String>,
}

impl LlmSettings {
    pub(super) fn read(reader: &mut Reader<'_>) -> Read<Self> {
        let compat = read_provider(reader, &COMPAT_LLM_API_KEY, &COMPAT_LLM_BASE_URL);
        let alt = read_provider(reader, &ALT_LLM_API_KEY, &ALT_LLM_BASE_URL);
        let models = read_models(reader);
        Ok(Self { compat: compat?, alt: alt?, models: models? })
    }
}

fn read_provider(reader: &mut Reader<'_>, key: &Variable, address: &Variable) -> Read<Option<LlmProvider>> {
    let api_key = reader.secret(key);
    let base_url = reader.optional(address, parse::base_url);
    let (api_key, base_url) = (api_key?, base_url?);
    if api_key.is_none() && base_url.is_some() {
        reader.warn(format!("{} has no effect without {}", address.name, key.name));
    }
    Ok(api_key.map(|api_key| LlmProvider { api_key, base_url }))
}

fn read_models(reader: &mut Reader<'_>) -> Read<LlmModels> {
    let default = reader.optional(&LLM_DEFAULT_MODEL, parse::token);
    let extraction = reader.optional(&LLM_EXTRACTION_MODEL, parse::token);
    let classification = reader.optional(&LLM_CLASSIFICATION_MODEL, parse::token);
    let query = reader.optional(&LLM_QUERY_MODEL, parse::token);
    let default = default?;
    Ok(LlmModels {
        extraction: extraction?.or_else(|| default.clone()),
        classification: classification?.or_else(|| default.clone()),
        query: query?.or(default),
    })
}
