use actix_web::web::Data;
use actors::flows::{WebhookDeliveriesRecord, webhook_deliveries};
use actors::webhook_outbox::Cursor;
use utoipa::IntoParams;

use crate::auth::Authorized;
use crate::envelope::{DataAndMeta, Meta};
use crate::error::{ApiError, ApiResult, ErrorBody};
use crate::params::{FromParams, Params};
use crate::state::AppState;

/// Characters of a cursor; more than any of ours has.
const MAX_CURSOR_CHARS: usize = 64;

/// Which part of the list.
#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PageOfDeliveries {
    /// Deliveries in the answer.
    #[param(value_type = Option<u64>, default = 20, minimum = 1, maximum = 100)]
    pub limit: u64,
    /// `next_cursor` of the page before.
    #[param(value_type = Option<String>)]
    pub cursor: Option<Cursor>,
}

impl FromParams for PageOfDeliveries {
    fn from_params(params: &Params) -> ApiResult<Self> {
        let limit = params.integer("limit", 20, 1..=100)?;
        let text = params.bounded_text("cursor", MAX_CURSOR_CHARS)?;
        let unknown = || ApiError::invalid("cursor", "is not the next_cursor of an earlier page");
        let cursor = text.map(|text| Cursor::parse(text).ok_or_else(unknown)).transpose()?;
        Ok(Self { limit, cursor })
    }
}

/// Lists the account's webhook deliveries, newest first. Free.
///
/// A delivery that was neither answered with 2xx nor with 410 is made again
/// after 5 s, 5 min, 30 min, 2 h, 5 h and 10 h, each time under the same
/// `webhook-id`. What has ended is listed for 30 days.
#[utoipa::path(
    get,
    path = "/v1/account/webhook-deliveries",
    tag = "account",
    params(PageOfDeliveries),
    responses(
        (status = 200, body = DataAndMeta<WebhookDeliveriesRecord>),
        (status = 400, body = ErrorBody), (status = 401, body = ErrorBody), (status = 429, body = ErrorBody),
    ),
    security(("api_key" = [])),
)]
pub async fn list(
    request: Authorized<PageOfDeliveries>,
    state: Data<AppState>,
) -> ApiResult<DataAndMeta<WebhookDeliveriesRecord>> {
    let PageOfDeliveries { limit, cursor } = request.params;
    let data = webhook_deliveries(&state.services, &request.caller, limit, cursor).await?;
    Ok(DataAndMeta { data, meta: Meta::default() })
}
