//! One file per endpoint; each handler turns parameters into an order, hands it
//! to one flow, and wraps the reply.

pub mod account;
pub mod docs;
pub mod health;
pub mod web;

use std::future::Future;

use actix_web::web::ServiceConfig;
use actix_web::{FromRequest, web as http};
use actix_web::{Handler, Resource, Responder};

use crate::error::{ApiError, ApiResult};

/// Registers every route.
pub fn configure(config: &mut ServiceConfig) {
    config
        .service(get("/healthz", health::healthz))
        .service(get("/readyz", health::readyz))
        .service(get("/metrics", health::metrics))
        .service(get("/openapi.json", docs::openapi_json))
        .service(get("/docs", docs::to_docs))
        .service(docs::browser())
        .service(get("/v1/account", account::show))
        .service(
            resource("/v1/web/crawl", "GET, POST")
                .route(http::get().to(web::crawl::list::list))
                .route(http::post().to(web::crawl::start::start)),
        )
        .service(
            resource("/v1/web/crawl/{job_id}", "GET, DELETE")
                .route(http::get().to(web::crawl::show::show))
                .route(http::delete().to(web::crawl::cancel::cancel)),
        )
        .service(get("/v1/web/crawl/{job_id}/events", web::crawl::events::events))
        .service(get("/v1/account/webhook-deliveries", account::webhook_deliveries::list))
        .service(post("/v1/account/webhook-deliveries/{id}/resend", account::webhook_resend::resend))
        .service(get("/v1/account/webhook-secret", account::webhook_secret::show))
        .service(get("/v1/web/scrape/html", web::scrape_html::scrape))
        .service(get("/v1/web/scrape/images", web::scrape_images::scrape))
        .service(get("/v1/web/scrape/markdown", web::scrape_markdown::scrape))
        .service(get("/v1/web/scrape/sitemap", web::scrape_sitemap::scrape))
        .service(get("/v1/web/scrape/template", web::scrape_template::scrape))
        .default_service(http::to(unknown_route));
}

/// A path that answers GET, and 405 in our own shape to everything else.
fn get<F, Args>(path: &'static str, handler: F) -> Resource
where
    F: Handler<Args>,
    Args: FromRequest + 'static,
    F::Output: Responder + 'static,
{
    resource(path, "GET").route(http::get().to(handler))
}

/// A path that answers POST, and 405 in our own shape to everything else.
fn post<F, Args>(path: &'static str, handler: F) -> Resource
where
    F: Handler<Args>,
    Args: FromRequest + 'static,
    F::Output: Responder + 'static,
{
    resource(path, "POST").route(http::post().to(handler))
}

/// A path that answers 405 in our own shape to other methods than `allowed`.
fn resource(path: &'static str, allowed: &'static str) -> Resource {
    let refuse = move || async move { ApiResult::<String>::Err(ApiError::method_not_allowed(allowed)) };
    http::resource(path).default_service(http::to(refuse))
}

async fn unknown_route() -> ApiResult<String> {
    Err(ApiError::not_found("there is no such path; see /docs"))
}

/// Runs a flow as a task of its own, so that a client that hangs up cannot cut
/// it between taking a hold and settling it.
///
/// # Errors
/// Those of the flow; a panic in it is a 500.
async fn to_the_end<T, E, F>(flow: F) -> ApiResult<T>
where
    F: Future<Output = Result<T, E>> + 'static,
    T: 'static,
    E: 'static,
    ApiError: From<E>,
{
    let id = crate::request_id::current();
    match actix_web::rt::spawn(crate::request_id::within(id, flow)).await {
        Ok(outcome) => Ok(outcome?),
        Err(failure) => Err(ApiError::internal(&failure)),
    }
}
