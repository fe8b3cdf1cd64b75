use super::parse;
use super::reader::{Read, Reader};
use super::secret::Secret;
use super::variable::Variable;

const PAYMENT_SECRET_KEY: Variable = Variable::optional(
    "PAYMENT_SECRET_KEY",
    "no billing",
    "secret-key-of-the-provider",
    "Server-side key of the payment provider.",
)
.secret()
.later();
const PAYMENT_WEBHOOK_SECRET: Variable = Variable::optional(
    "PAYMENT_WEBHOOK_SECRET",
    "`POST /api/webhooks/payment` answers 404",
    "signing-secret-of-the-webhook",
    "Secret that the payment provider signs its events with.",
)
.secret()
.later();
const NEXT_PUBLIC_PAYMENT_PUBLISHABLE_KEY: Variable = Variable::optional(
    "NEXT_PUBLIC_PAYMENT_PUBLISHABLE_KEY",
    "no check-out page",
    "public-key-of-the-provider",
    "Public key of the payment provider, for the check-out page.",
)
.later();

pub(super) const VARIABLES: &[Variable] =
    &[PAYMENT_SECRET_KEY, PAYMENT_WEBHOOK_SECRET, NEXT_PUBLIC_PAYMENT_PUBLISHABLE_KEY];

/// The payment provider's credentials.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaymentSettings {
    /// `PAYMENT_SECRET_KEY`
    pub secret_key: Option<Secret>,
    /// `PAYMENT_WEBHOOK_SECRET`
    pub webhook_secret: Option<Secret>,
    /// `NEXT_PUBLIC_PAYMENT_PUBLISHABLE_KEY`
    pub publishable_key: Option<String>,
}

impl PaymentSettings {
    pub(super) fn read(reader: &mut Reader<'_>) -> Read<Self> {
        let secret_key = reader.secret(&PAYMENT_SECRET_KEY);
        let webhook_secret = reader.secret(&PAYMENT_WEBHOOK_SECRET);
        let publishable_key = reader.optional(&NEXT_PUBLIC_PAYMENT_PUBLISHABLE_KEY, parse::token);
        Ok(Self { secret_key: secret_key?, webhook_secret: webhook_secret?, publishable_key: publishable_key? })
    }
}
