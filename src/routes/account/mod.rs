pub mod webhook_deliveries;
pub mod webhook_resend;
pub mod webhook_secret;

use actix_web::web::Data;
use actors::flows::{AccountRecord, account};

use crate::auth::Authorized;
use crate::envelope::{DataAndMeta, Meta};
use crate::error::{ApiResult, ErrorBody};
use crate::state::AppState;

/// Shows the caller's account: plan, credits, limits, what was used today. Free.
#[utoipa::path(
    get,
    path = "/v1/account",
    tag = "account",
    responses(
        (status = 200, body = DataAndMeta<AccountRecord>),
        (status = 401, body = ErrorBody), (status = 429, body = ErrorBody),
    ),
    security(("api_key" = [])),
)]
pub async fn show(request: Authorized<()>, state: Data<AppState>) -> ApiResult<DataAndMeta<AccountRecord>> {
    let data = account(&state.services, &request.caller).await?;
    Ok(DataAndMeta { data, meta: Meta::default() })
}
