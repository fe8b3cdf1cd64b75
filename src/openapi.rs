//! The OpenAPI document, collected from the handlers' own annotations.

use serde::Serialize;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::{Modify, OpenApi, ToSchema};
use uuid::Uuid;

use crate::routes;

/// Envelope B as the document describes it; the server writes it around data
/// that is JSON already.
#[derive(Debug, Serialize, ToSchema)]
pub struct SuccessBody<T> {
    /// Always `true`.
    pub success: bool,
    pub data: T,
    pub credits_used: i64,
    pub request_id: Uuid,
}

#[derive(OpenApi)]
#[openapi(
    info(title = "Blazon", description = "Brand intelligence and web extraction"),
    paths(
        routes::web::scrape_html::scrape,
        routes::web::scrape_markdown::scrape,
        routes::account::show,
        routes::health::healthz,
        routes::health::readyz,
        routes::health::metrics,
    ),
    modifiers(&ApiKey),
)]
struct Document;

struct ApiKey;

impl Modify for ApiKey {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        let scheme = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).description(Some("An API key: `blz_live_…`"));
        let components = document.components.get_or_insert_with(Default::default);
        components.add_security_scheme("api_key", SecurityScheme::Http(scheme.build()));
    }
}

/// Returns the document.
pub fn document() -> utoipa::openapi::OpenApi {
    Document::openapi()
}
