//! The API's description, for programs and for people.

use actix_web::HttpResponse;
use actix_web::http::header::LOCATION;
use utoipa_swagger_ui::SwaggerUi;

use crate::openapi;

/// The OpenAPI document, generated from the handlers.
pub async fn openapi_json() -> HttpResponse {
    HttpResponse::Ok().json(openapi::document())
}

/// Sends `/docs` to the reference's first page.
pub async fn to_docs() -> HttpResponse {
    HttpResponse::TemporaryRedirect().insert_header((LOCATION, "/docs/")).finish()
}

/// The browsable reference, served from the binary: it works without internet.
pub fn browser() -> SwaggerUi {
    SwaggerUi::new("/docs/{_:.*}").config(utoipa_swagger_ui::Config::from("/openapi.json"))
}
