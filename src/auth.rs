//! Who is asking, and may they: the extractor that stands before every `/v1`
//! handler.

use std::future::Future;
use std::pin::Pin;

use actix_web::dev::Payload;
use actix_web::http::header::AUTHORIZATION;
use actix_web::web::Data;
use actix_web::{FromRequest, HttpMessage, HttpRequest};
use actors::flows::{Caller, admit};
use actors::key_ring::Scope;
use actors::rate_limiter::RateDecision;

use crate::error::{ApiError, ApiResult};
use crate::params::{FromParams, Params};
use crate::state::AppState;

/// A request that has passed, in this order: authentication, rate limit, scope,
/// validation. One extractor, because actix polls several at once and a 400
/// could overtake a 401.
pub struct Authorized<P> {
    pub caller: Caller,
    pub params: P,
}

/// Left in the request for the headers of its answer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Admitted(pub RateDecision);

impl<P: FromParams> FromRequest for Authorized<P> {
    type Error = ApiError;
    type Future = Pin<Box<dyn Future<Output = ApiResult<Self>>>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        Box::pin(async move {
            let caller = authenticate(&request).await?;
            let params = P::from_params(&Params::parse(request.query_string()))?;
            Ok(Self { caller, params })
        })
    }
}

/// Finds out who asks and whether they may, before anything of the request
/// itself is read.
///
/// # Errors
/// 401, 403 or 429; 503 when the books cannot be asked.
pub(crate) async fn authenticate(request: &HttpRequest) -> ApiResult<Caller> {
    let state = request.app_data::<Data<AppState>>().ok_or_else(|| ApiError::unavailable("the service is starting"))?;
    let Some(presented) = bearer(request) else {
        return if state.settings.http.auth_bypass { Ok(Caller::Local) } else { Err(ApiError::unauthorized()) };
    };
    let Some((caller, decision)) = admit(&state.services, presented).await? else {
        return Err(ApiError::unauthorized());
    };
    request.extensions_mut().insert(caller.clone());
    request.extensions_mut().insert(Admitted(decision));
    limit(&decision)?;
    open(&caller, request.path())?;
    Ok(caller)
}

/// The key of `Authorization: Bearer KEY`; the scheme in any case, as RFC 9110
/// has it. Two such headers are none.
fn bearer(request: &HttpRequest) -> Option<String> {
    let mut values = request.headers().get_all(AUTHORIZATION);
    let (Some(value), None) = (values.next(), values.next()) else { return None };
    let (scheme, key) = value.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| key.trim().to_owned())
}

fn limit(decision: &RateDecision) -> ApiResult<()> {
    if decision.allowed {
        return Ok(());
    }
    let (name, window) =
        if decision.minute.remaining == 0 { ("minute", decision.minute) } else { ("day", decision.day) };
    Err(ApiError::rate_limited(name, window.reset_s.max(1)))
}

/// Holds a key to its scopes by the path's first part after the version.
fn open(caller: &Caller, path: &str) -> ApiResult<()> {
    let Caller::Keyed(principal) = caller else { return Ok(()) };
    let area = path.trim_start_matches("/v1/").split('/').next().unwrap_or_default();
    let needed = if path.starts_with("/v1/brand/ai/") { Some(Scope::Ai) } else { Scope::parse(area) };
    match needed {
        Some(scope) if !principal.scopes.contains(&scope) => {
            Err(ApiError::forbidden(format!("this key does not have the scope {}", scope.as_str())))
        }
        _ => Ok(()),
    }
}
