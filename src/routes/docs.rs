//! The API's description, collected from the handlers' own annotations, for
//! programs and for people.

use actix_web::HttpResponse;
use actix_web::http::header::LOCATION;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::{Modify, OpenApi};
use utoipa_swagger_ui::SwaggerUi;

use super::{account, health, web};

#[derive(OpenApi)]
#[openapi(
    info(title = "Blazon", description = "Brand intelligence and web extraction"),
    paths(
        web::crawl::start::start,
        web::crawl::list::list,
        web::crawl::show::show,
        web::crawl::cancel::cancel,
        web::crawl::events::events,
        web::scrape_html::scrape,
        web::scrape_images::scrape,
        web::scrape_markdown::scrape,
        web::scrape_sitemap::scrape,
        web::scrape_template::scrape,
        account::show,
        account::webhook_secret::show,
        account::webhook_deliveries::list,
        account::webhook_resend::resend,
        health::healthz,
        health::readyz,
        health::metrics,
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

/// The OpenAPI document, generated from the handlers.
pub async fn openapi_json() -> HttpResponse {
    HttpResponse::Ok().json(Document::openapi())
}

/// Sends `/docs` to the reference's first page.
pub async fn to_docs() -> HttpResponse {
    HttpResponse::TemporaryRedirect().insert_header((LOCATION, "/docs/")).finish()
}

/// The browsable reference, served from the binary: it works without internet.
pub fn browser() -> SwaggerUi {
    SwaggerUi::new("/docs/{_:.*}").config(utoipa_swagger_ui::Config::from("/openapi.json"))
}
