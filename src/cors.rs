use actix_cors::Cors;
use actix_web::http::header::{AUTHORIZATION, CONTENT_TYPE, HeaderName};
use url::Url;

/// Allows the dashboard's origin, and no other, to call the API from a browser.
pub fn for_origin(app_url: &Url) -> Cors {
    Cors::default()
        .allowed_origin(&app_url.origin().ascii_serialization())
        .allowed_methods(["GET", "POST", "PATCH", "DELETE"])
        .allowed_headers([AUTHORIZATION, CONTENT_TYPE, HeaderName::from_static("idempotency-key")])
        .expose_any_header()
        .block_on_origin_mismatch(false)
        .max_age(3600)
}
