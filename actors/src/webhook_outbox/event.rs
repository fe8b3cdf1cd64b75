//! Events, as those who cause them see the outbox.

use std::fmt;

use async_trait::async_trait;
use sea_orm::{DatabaseTransaction, DbErr};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use url::Url;
use uuid::Uuid;

use super::store;

/// An event that is owed to somebody.
#[derive(Clone)]
pub struct NewDelivery {
    pub user: Uuid,
    pub url: Url,
    /// `crawl.completed` or `crawl.failed`.
    pub event_type: &'static str,
    /// What the event is about: the crawl's id.
    pub subject: Uuid,
}

impl fmt::Debug for NewDelivery {
    /// Leaves out the address, which may hold a token.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("NewDelivery");
        shown.field("event_type", &self.event_type).field("subject", &self.subject).finish_non_exhaustive()
    }
}

/// What messages are made of when they are sent. The result of a crawl can be
/// large, so it is not copied into the outbox.
#[async_trait]
pub trait Subjects: Send + Sync {
    /// The fields of the message about `subject`, the same ones in the same
    /// order each time it is asked; `None` when the subject is gone.
    ///
    /// # Errors
    /// The database's. The message is tried again soon, and the failure is not
    /// held against its receiver.
    async fn body(&self, event_type: &str, subject: Uuid) -> Result<Option<Map<String, Value>>, DbErr>;
}

/// A service in which nothing happens that anybody is told of.
#[derive(Debug, Clone, Copy)]
pub struct NoSubjects;

#[async_trait]
impl Subjects for NoSubjects {
    async fn body(&self, _: &str, _: Uuid) -> Result<Option<Map<String, Value>>, DbErr> {
        Ok(None)
    }
}

/// Enqueues an event in the transaction that makes it true: it is sent if and
/// only if that one is committed. Returns the event's id, which is made of the
/// subject's: of two events about the same subject the first is kept.
///
/// # Errors
/// The database's.
pub async fn enqueue(txn: &DatabaseTransaction, delivery: &NewDelivery) -> Result<Uuid, DbErr> {
    let id = event_id(delivery.subject);
    store::insert(txn, id, delivery).await?;
    Ok(id)
}

/// A UUID of version 8 (RFC 9562): the beginning of a hash, so that whoever
/// enqueues twice, or on two replicas, says the same.
fn event_id(subject: Uuid) -> Uuid {
    let hash = Sha256::new_with_prefix(b"blazon webhook event\0").chain_update(subject.as_bytes()).finalize();
    let mut bytes = [0_u8; 16];
    bytes.copy_from_slice(&hash[..16]);
    uuid::Builder::from_custom_bytes(bytes).into_uuid()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_has_one_id_whoever_enqueues_it() {
        let subject = Uuid::from_u128(7);
        assert_eq!(event_id(subject), event_id(subject));
        assert_ne!(event_id(subject), event_id(Uuid::from_u128(8)));
        assert_ne!(event_id(subject), subject, "the subject's id opens its result; the event's is shown to others");
        assert_eq!(event_id(subject).get_version_num(), 8);
    }
}
