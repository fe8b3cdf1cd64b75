use std::time::Duration;

use actix::Message;
use bytes::Bytes;

use super::CacheKey;

/// Request: the answer under this key, if it is still good.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Option<CachedAnswer>")]
pub struct LookUp {
    pub key: CacheKey,
}

/// A finished answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CachedAnswer {
    /// JSON, as it goes into the envelope.
    pub body: Bytes,
    /// What is left of its time to live.
    pub ttl_remaining: Duration,
}

/// Request: keep an answer. A `ttl` of zero keeps nothing.
#[derive(Debug, Clone, Message)]
#[rtype(result = "()")]
pub struct StoreAnswer {
    pub key: CacheKey,
    pub body: Bytes,
    pub ttl: Duration,
}
