use super::parse;
use super::reader::{Read, Reader};
use super::secret::Secret;
use super::variable::Variable;

const EMAIL_API_KEY: Variable = Variable::optional(
    "EMAIL_API_KEY",
    "mail is off and events are logged",
    "password-of-the-relay",
    "Password of the SMTP relay.",
)
.secret()
.later();
const EMAIL_SMTP_URL: Variable = Variable::optional(
    "EMAIL_SMTP_URL",
    "mail is off and events are logged",
    "smtps://blazon@smtp.example.com:465",
    "SMTP relay, with the user name: `smtps://` for TLS from the start, `smtp://` for STARTTLS.",
)
.secret()
.later();
const EMAIL_FROM: Variable = Variable::optional(
    "EMAIL_FROM",
    "an error once the two above are set",
    "Blazon <no-reply@example.com>",
    "Sender of every mail.",
)
.later();

pub(super) const VARIABLES: &[Variable] = &[EMAIL_API_KEY, EMAIL_SMTP_URL, EMAIL_FROM];

/// How mail is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmailSettings {
    /// `EMAIL_SMTP_URL`: `smtp://` or `smtps://`, with its credentials.
    pub smtp_url: Secret,
    /// `EMAIL_API_KEY`: the relay's password.
    pub password: Secret,
    /// `EMAIL_FROM`: an address, or `Name <address>`.
    pub from: String,
}

impl EmailSettings {
    /// Returns `None` when mail is off.
    pub(super) fn read(reader: &mut Reader<'_>) -> Read<Option<Self>> {
        let password = reader.secret(&EMAIL_API_KEY);
        let smtp_url = reader.optional(&EMAIL_SMTP_URL, parse::address(&["smtp", "smtps"]));
        let on = reader.is_set(&EMAIL_API_KEY) && reader.is_set(&EMAIL_SMTP_URL);
        let from = match on {
            true => reader.needed(&EMAIL_FROM, "sending mail", sender).map(Some),
            false => reader.optional(&EMAIL_FROM, sender),
        };
        let (password, smtp_url, from) = (password?, smtp_url?, from?);
        if password.is_some() != smtp_url.is_some() {
            reader.warn("only one of EMAIL_API_KEY and EMAIL_SMTP_URL is set: mail stays off");
        }
        let relay = smtp_url.zip(password).zip(from);
        Ok(relay.map(|((url, password), from)| Self { smtp_url: Secret::new(url), password, from }))
    }
}

fn sender(text: &str) -> Result<String, String> {
    let address = match text.strip_suffix('>').and_then(|rest| rest.split_once('<')) {
        Some((_, address)) => address,
        None => text,
    };
    let plain = !address.contains(|c: char| c.is_whitespace() || c.is_control() || "<>,".contains(c));
    let whole = address.split_once('@').is_some_and(|(user, host)| !user.is_empty() && !host.is_empty());
    if plain && whole && !text.contains(char::is_control) {
        return Ok(text.to_owned());
    }
    Err("is not a mail address".to_owned())
}
