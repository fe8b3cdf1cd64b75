use actix::Message;
use time::OffsetDateTime;
use tokio::time::Instant;
use uuid::Uuid;

use super::SigningSecret;

/// Request: what the events of a user are signed with.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<SigningSecret, OutboxError>")]
pub struct GetSigningSecret {
    pub user: Uuid,
}

/// Request: a page of a user's deliveries, newest first.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<DeliveryPage, OutboxError>")]
pub struct ListDeliveries {
    pub user: Uuid,
    pub limit: u64,
    /// Where an earlier page ended.
    pub after: Option<Cursor>,
}

/// A place in the list of deliveries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor {
    pub(super) created_at: i64,
    pub(super) id: Uuid,
}

impl Cursor {
    /// The cursor as clients hold it: letters, digits and a hyphen.
    pub fn to_text(self) -> String {
        format!("{:x}-{}", self.created_at, self.id.simple())
    }

    /// Reads what [`Cursor::to_text`] wrote.
    pub fn parse(text: &str) -> Option<Self> {
        let (created_at, id) = text.split_once('-')?;
        Some(Self { created_at: i64::from_str_radix(created_at, 16).ok()?, id: Uuid::try_parse(id).ok()? })
    }
}

/// Some deliveries, and where the next ones begin.
#[derive(Debug, Clone)]
pub struct DeliveryPage {
    pub deliveries: Vec<Delivery>,
    /// `None` at the end.
    pub next: Option<Cursor>,
}

/// A delivery as its owner sees it.
#[derive(Clone, PartialEq, Eq)]
pub struct Delivery {
    /// The event's id, sent as `webhook-id`.
    pub id: Uuid,
    pub event_type: String,
    pub subject: Uuid,
    pub url: String,
    pub state: DeliveryState,
    /// Attempts begun since it was enqueued or last resent.
    pub attempts: u32,
    /// Of the last answer.
    pub status_code: Option<u16>,
    /// Why the last attempt failed, in a word.
    pub failure: Option<String>,
    /// The beginning of the last answer's body.
    pub excerpt: Option<String>,
    pub created_at: OffsetDateTime,
    pub attempted_at: Option<OffsetDateTime>,
    /// `None` when it is under way or there will be none.
    pub next_attempt_at: Option<OffsetDateTime>,
    /// When it was last accepted.
    pub delivered_at: Option<OffsetDateTime>,
}

impl std::fmt::Debug for Delivery {
    /// Leaves out the address, which may hold a token, and the excerpt.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = f.debug_struct("Delivery");
        shown.field("id", &self.id).field("state", &self.state).field("attempts", &self.attempts);
        shown.field("status_code", &self.status_code).field("failure", &self.failure).finish_non_exhaustive()
    }
}

/// How far a delivery is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliveryState {
    /// Under way, or waiting for its next attempt.
    Pending,
    /// A receiver answered 2xx.
    Delivered,
    /// There will be no attempt unless the owner asks for one.
    Failed,
}

impl DeliveryState {
    /// The name in the API and the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Delivered => "delivered",
            Self::Failed => "failed",
        }
    }

    pub(super) fn parse(name: &str) -> Option<Self> {
        [Self::Pending, Self::Delivered, Self::Failed].into_iter().find(|state| state.as_str() == name)
    }
}

/// Request: send a user's delivery now, with the attempts counted afresh. One
/// that is under way is left alone. `None` when the user has no such delivery.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<Option<Delivery>, OutboxError>")]
pub struct ResendDelivery {
    pub user: Uuid,
    pub id: Uuid,
}

/// Request: begin no more attempts, and answer when those under way are
/// recorded or at `until`, with how many are not.
#[derive(Debug, Clone, Message)]
#[rtype(result = "usize")]
pub struct FinishAttempts {
    pub until: Instant,
}

/// Why the outbox refused.
#[derive(Debug, thiserror::Error)]
pub enum OutboxError {
    #[error("the outbox's database failed")]
    Store(#[from] sea_orm::DbErr),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_read_as_it_was_written_and_nothing_else_is() {
        let cursor = Cursor { created_at: 1_795_000_000_123, id: Uuid::from_u128(42) };
        assert_eq!(Cursor::parse(&cursor.to_text()), Some(cursor));
        for bad in ["", "-", "zz-00000000000000000000000000000000", "12", "1-2", "ffffffffffffffffffff-2a"] {
            assert_eq!(Cursor::parse(bad), None, "{bad}");
        }
    }
}
