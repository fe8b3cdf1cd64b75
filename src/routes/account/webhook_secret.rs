use actix_web::Responder;
use actix_web::http::header::CACHE_CONTROL;
use actix_web::web::Data;
use actors::flows::{WebhookSecretRecord, webhook_secret};

use crate::auth::Authorized;
use crate::envelope::{DataAndMeta, Meta};
use crate::error::{ApiResult, ErrorBody};
use crate::state::AppState;

/// Shows what the account's webhooks are signed with. Free.
///
/// Webhooks follow Standard Webhooks: the header `webhook-signature` is `v1,` and
/// the Base64 of the HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}`.
/// The libraries at standardwebhooks.com take this secret as it is. It stays the
/// same until the operator changes `JOBS_SECRET_KEY`.
#[utoipa::path(
    get,
    path = "/v1/account/webhook-secret",
    tag = "account",
    responses(
        (status = 200, body = DataAndMeta<WebhookSecretRecord>),
        (status = 401, body = ErrorBody), (status = 429, body = ErrorBody),
    ),
    security(("api_key" = [])),
)]
pub async fn show(request: Authorized<()>, state: Data<AppState>) -> ApiResult<impl Responder> {
    let data = webhook_secret(&state.services, &request.caller).await?;
    let answer = DataAndMeta { data, meta: Meta::default() };
    Ok(answer.customize().insert_header((CACHE_CONTROL, "no-store")))
}
