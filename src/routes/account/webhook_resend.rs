use actix_web::HttpRequest;
use actix_web::web::Data;
use actors::flows::{WebhookDeliveryRecord, resend_webhook};
use uuid::Uuid;

use crate::auth::Authorized;
use crate::envelope::{DataAndMeta, Meta};
use crate::error::{ApiError, ApiResult, ErrorBody};
use crate::state::AppState;

/// Sends a webhook again, now, with its attempts counted afresh. Free.
///
/// Its `webhook-id` stays the same. A delivery that is under way is left alone.
/// One whose crawl has expired meanwhile fails with `expired`.
#[utoipa::path(
    post,
    path = "/v1/account/webhook-deliveries/{id}/resend",
    tag = "account",
    params(("id" = Uuid, Path, description = "The delivery's id")),
    responses(
        (status = 200, body = DataAndMeta<WebhookDeliveryRecord>),
        (status = 401, body = ErrorBody),
        (status = 404, body = ErrorBody, description = "The account has no such delivery"),
        (status = 429, body = ErrorBody),
    ),
    security(("api_key" = [])),
)]
pub async fn resend(
    request: Authorized<()>,
    path: HttpRequest,
    state: Data<AppState>,
) -> ApiResult<DataAndMeta<WebhookDeliveryRecord>> {
    let unknown = || ApiError::not_found("there is no such webhook delivery");
    // Not actix's extractor: its refusal could overtake the one of a wrong key.
    let id = Uuid::try_parse(path.match_info().query("id")).map_err(|_| unknown())?;
    let data = resend_webhook(&state.services, &request.caller, id).await?.ok_or_else(unknown)?;
    Ok(DataAndMeta { data, meta: Meta::default() })
}
