//! The one error of the HTTP edge, and how every failure below becomes it.

use std::fmt;

use actix_web::http::StatusCode;
use actix_web::http::header::{ALLOW, HeaderValue, RETRY_AFTER};
use actix_web::{HttpResponse, ResponseError};
use actors::browser_pool::RenderError;
use actors::crawl_job::CrawlError;
use actors::credit_ledger::LedgerError;
use actors::egress::EgressError;
use actors::flows::{FlowError, WorkError};
use actors::supervise::AskError;
use serde::Serialize;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::request_id;

/// What handlers return.
pub type ApiResult<T> = Result<T, ApiError>;

/// The stable `code` of an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ErrorCode {
    InputValidationError,
    Unauthorized,
    UsageExceeded,
    Forbidden,
    NotFound,
    RateLimited,
    InternalError,
    WebsiteAccessError,
    ServiceUnavailable,
}

/// An answer that is an error: status, code, a message for people, details for
/// programs.
#[derive(Debug)]
pub struct ApiError {
    status: StatusCode,
    code: ErrorCode,
    message: String,
    details: Option<Value>,
    retry_after_s: Option<u32>,
    allow: Option<&'static str>,
}

/// The one body of every error.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct ErrorBody {
    /// Always `false`.
    pub success: bool,
    pub error: ErrorDetail,
    pub request_id: Uuid,
}

/// What went wrong.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct ErrorDetail {
    pub code: ErrorCode,
    /// For people; not stable.
    pub message: String,
    /// `{field, reason, allowed}` for validation, `{needed, available}` for
    /// credits, `{reason}` for a website that could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub details: Option<Value>,
}

impl ApiError {
    fn new(status: StatusCode, code: ErrorCode, message: impl Into<String>) -> Self {
        Self { status, code, message: message.into(), details: None, retry_after_s: None, allow: None }
    }

    fn with_details(mut self, details: Value) -> Self {
        self.details = Some(details);
        self
    }

    /// 400: a parameter is missing or wrong.
    pub fn invalid(field: &str, reason: impl fmt::Display) -> Self {
        Self::new(StatusCode::BAD_REQUEST, ErrorCode::InputValidationError, format!("{field}: {reason}"))
            .with_details(json!({ "field": field, "reason": reason.to_string() }))
    }

    /// 400: a parameter is not one of a closed list or range.
    pub fn not_allowed(field: &str, reason: impl fmt::Display, allowed: Value) -> Self {
        Self::new(StatusCode::BAD_REQUEST, ErrorCode::InputValidationError, format!("{field}: {reason}"))
            .with_details(json!({ "field": field, "reason": reason.to_string(), "allowed": allowed }))
    }

    /// 401: no key, or not a valid one. Does not say which.
    pub fn unauthorized() -> Self {
        let message = "a valid API key is needed: Authorization: Bearer blz_live_…";
        Self::new(StatusCode::UNAUTHORIZED, ErrorCode::Unauthorized, message)
    }

    /// 403: the key is valid and does not open this.
    pub fn forbidden(message: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, ErrorCode::Forbidden, message)
    }

    /// 404: there is no such thing.
    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, ErrorCode::NotFound, message)
    }

    /// 405: the path exists, the method does not.
    pub fn method_not_allowed(allow: &'static str) -> Self {
        let message = format!("this path answers {allow} only");
        let mut error = Self::new(StatusCode::METHOD_NOT_ALLOWED, ErrorCode::InputValidationError, message);
        error.allow = Some(allow);
        error
    }

    /// 429: a rate limit is reached; `retry_after_s` in seconds.
    pub fn rate_limited(limit: &str, retry_after_s: u32) -> Self {
        let message = format!("the limit of requests per {limit} is reached, try again in {retry_after_s} s");
        let mut error = Self::new(StatusCode::TOO_MANY_REQUESTS, ErrorCode::RateLimited, message);
        error.retry_after_s = Some(retry_after_s);
        error.with_details(json!({ "limit": limit }))
    }

    /// 503: not now. The client may try again after a second.
    pub fn unavailable(message: impl Into<String>) -> Self {
        let mut error = Self::new(StatusCode::SERVICE_UNAVAILABLE, ErrorCode::ServiceUnavailable, message);
        error.retry_after_s = Some(1);
        error
    }

    /// 500: a fault of ours. The cause is logged here, once, and not shown.
    pub fn internal(cause: &dyn std::error::Error) -> Self {
        tracing::error!(cause = %chain(cause), "internal error");
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, ErrorCode::InternalError, "something went wrong on our side")
    }

    /// 400: the address a parameter leads to may not be reached.
    pub fn refused_address(field: &str, error: &EgressError) -> Self {
        let mut refused = Self::invalid(field, error);
        refused.details = Some(json!({ "field": field, "reason": error.reason() }));
        refused
    }

    fn website(message: String, reason: &str) -> Self {
        Self::new(StatusCode::BAD_GATEWAY, ErrorCode::WebsiteAccessError, message)
            .with_details(json!({ "reason": reason }))
    }
}

fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}

impl fmt::Display for ApiError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl ResponseError for ApiError {
    fn status_code(&self) -> StatusCode {
        self.status
    }

    fn error_response(&self) -> HttpResponse {
        let detail = ErrorDetail { code: self.code, message: self.message.clone(), details: self.details.clone() };
        let body = ErrorBody { success: false, error: detail, request_id: request_id::current() };
        let mut response = HttpResponse::build(self.status).json(body);
        if let Some(seconds) = self.retry_after_s {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        if let Some(methods) = self.allow {
            response.headers_mut().insert(ALLOW, HeaderValue::from_static(methods));
        }
        response
    }
}

impl From<FlowError> for ApiError {
    fn from(error: FlowError) -> Self {
        match error {
            FlowError::Work(error) => error.into(),
            FlowError::Ledger(error) => error.into(),
            FlowError::Ask(error) => error.into(),
            FlowError::KeyRing(error) => Self::internal(&error),
            FlowError::Outbox(error) => Self::internal(&error),
            FlowError::Crawl(error) => error.into(),
        }
    }
}

impl From<CrawlError> for ApiError {
    fn from(error: CrawlError) -> Self {
        match error {
            CrawlError::TooManyWaiting(_) => {
                let mut refused = Self::new(StatusCode::TOO_MANY_REQUESTS, ErrorCode::RateLimited, error.to_string());
                refused.retry_after_s = Some(60);
                refused.with_details(json!({ "limit": "concurrent_crawls" }))
            }
            CrawlError::KeyReused => Self::invalid("Idempotency-Key", error),
            CrawlError::Ledger(error) => error.into(),
            error => Self::internal(&error),
        }
    }
}

impl From<WorkError> for ApiError {
    fn from(error: WorkError) -> Self {
        let message = error.to_string();
        match error {
            WorkError::Egress(error) => error.into(),
            WorkError::Render(error) => error.into(),
            WorkError::Late => Self::website(message, "timeout"),
            WorkError::ContentType(_) => Self::website(message, "content_type"),
            WorkError::Ask(error) => error.into(),
            WorkError::Internal(_) => Self::internal(&error),
        }
    }
}

impl From<EgressError> for ApiError {
    fn from(error: EgressError) -> Self {
        match &error {
            EgressError::BadUrl(reason) => Self::invalid("url", reason),
            EgressError::PrivateAddress(_) => Self::refused_address("url", &error),
            _ => Self::website(error.to_string(), error.reason()),
        }
    }
}

impl From<RenderError> for ApiError {
    fn from(error: RenderError) -> Self {
        let message = error.to_string();
        match error {
            RenderError::Egress(error) => error.into(),
            RenderError::BadSelector(_) => Self::invalid("wait_for", message),
            RenderError::SelectorNotFound(_) => Self::website(message, "timeout"),
            RenderError::NotHtml { .. } => Self::website(message, "content_type"),
            RenderError::Unavailable(_) | RenderError::Crashed => Self::unavailable(message),
        }
    }
}

impl From<LedgerError> for ApiError {
    fn from(error: LedgerError) -> Self {
        match error {
            LedgerError::Insufficient { needed, available } => {
                Self::new(StatusCode::PAYMENT_REQUIRED, ErrorCode::UsageExceeded, error.to_string())
                    .with_details(json!({ "needed": needed, "available": available }))
            }
            error => Self::internal(&error),
        }
    }
}

impl From<AskError> for ApiError {
    fn from(error: AskError) -> Self {
        tracing::warn!(%error, "a question was not answered");
        Self::unavailable(error.to_string())
    }
}
