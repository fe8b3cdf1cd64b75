//! `/v1/web/crawl`: a site, page by page, as a job.

pub mod cancel;
pub mod events;
pub mod list;
pub mod show;
pub mod start;

use actix_web::web::Path;
use uuid::Uuid;

use crate::error::{ApiError, ApiResult};

/// Reads the job's id out of the path. What is no UUID is no crawl either.
fn job_id(path: &Path<String>) -> ApiResult<Uuid> {
    Uuid::try_parse(path).map_err(|_| no_such_crawl())
}

fn no_such_crawl() -> ApiError {
    ApiError::not_found("there is no such crawl, or its 24 hours are over")
}
