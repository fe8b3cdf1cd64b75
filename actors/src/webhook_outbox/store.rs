//! The outbox's SQL. Who may begin an attempt is decided by one conditional
//! `UPDATE`, so that of any number of replicas one does.

use std::time::Duration;

use entities::webhook_delivery::{self, Column, Entity};
use sea_orm::{
    ColumnTrait, Condition, DatabaseConnection, DatabaseTransaction, DbErr, EntityTrait, QueryFilter, QueryOrder,
    QueryResult, QuerySelect,
};
use uuid::Uuid;

use super::event::NewDelivery;
use super::schedule::MOST_ATTEMPTS;
use super::{Cursor, Delivery, DeliveryPage, DeliveryState};
use crate::database::{moment, now, sql};

/// How long a claim is good for: longer than building a message and sending it
/// may take together.
pub(super) const LEASE: Duration = Duration::from_secs(60);

/// Attempts under way for one account: whoever has many slow receivers keeps
/// nobody else waiting.
const MOST_AT_ONCE_OF_USER: i64 = 2;

/// How long what is finished stays in the list.
const KEPT: Duration = Duration::from_secs(30 * 86_400);

/// A delivery that this process may attempt until the lease ends.
#[derive(Clone)]
pub(super) struct Claimed {
    pub id: Uuid,
    pub user: Uuid,
    pub event_type: String,
    pub subject: Uuid,
    pub url: String,
    pub created_at: i64,
    /// This attempt's number, from 1.
    pub attempts: i32,
    epoch: i64,
}

/// What is written after an attempt.
pub(super) struct Record {
    pub state: DeliveryState,
    /// When the next attempt is due, of a pending one.
    pub due_at: i64,
    pub status_code: Option<u16>,
    pub failure: Option<&'static str>,
    pub excerpt: Option<String>,
    pub delivered_at: Option<i64>,
}

pub(super) async fn insert(txn: &DatabaseTransaction, id: Uuid, new: &NewDelivery) -> Result<(), DbErr> {
    let insert = "INSERT INTO webhook_deliveries (id, user_id, event_type, subject, url, state, due_at, created_at) \
                  VALUES ($1, $2, $3, $4, $5, 'pending', $6, $6) ON CONFLICT (id) DO NOTHING";
    let (event_type, url, now) = (new.event_type.into(), new.url.as_str().into(), now().into());
    sql::run(txn, insert, [id.into(), new.user.into(), event_type, new.subject.into(), url, now]).await?;
    Ok(())
}

/// What may be attempted.
const DUE: &str = "state = 'pending' AND due_at <= $1 AND attempts < $2";

/// Claims up to `limit` of what is due. Each attempt counts from now on,
/// whatever becomes of this process.
///
/// # Errors
/// The database's, when nothing was claimed before.
pub(super) async fn claim_due(db: &DatabaseConnection, now: i64, limit: usize) -> Result<Vec<Claimed>, DbErr> {
    let mut taken = Vec::new();
    for id in due(db, now, limit).await? {
        match claim(db, now, id).await {
            Ok(claimed) => taken.extend(claimed),
            Err(error) if taken.is_empty() => return Err(error),
            Err(_) => break,
        }
    }
    Ok(taken)
}

/// Up to `limit` of what is due, the longest overdue first, but only so many of
/// each account. This looks at all of it, and so locks nothing.
async fn due(db: &DatabaseConnection, now: i64, limit: usize) -> Result<Vec<Uuid>, DbErr> {
    let select = format!(
        "SELECT id FROM \
           (SELECT id, due_at, ROW_NUMBER() OVER (PARTITION BY user_id ORDER BY due_at, id) \
             + (SELECT COUNT(*) FROM webhook_deliveries busy \
                WHERE busy.user_id = mine.user_id AND busy.leased_until > 0 AND busy.leased_until > $1) AS place \
            FROM webhook_deliveries mine WHERE {DUE}) ranked \
         WHERE place <= $3 ORDER BY due_at, id LIMIT $4"
    );
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let values = [now.into(), MOST_ATTEMPTS.into(), MOST_AT_ONCE_OF_USER.into(), limit.into()];
    sql::all(db, &select, values).await?.iter().map(|row| row.try_get("", "id")).collect()
}

/// Claims a delivery, unless another has done so meanwhile. One at a time:
/// PostgreSQL could find two replicas that lock several in a deadlock.
async fn claim(db: &DatabaseConnection, now: i64, id: Uuid) -> Result<Option<Claimed>, DbErr> {
    let update = format!(
        "UPDATE webhook_deliveries \
         SET attempts = attempts + 1, epoch = epoch + 1, attempted_at = $1, due_at = $3, leased_until = $3 \
         WHERE id = $4 AND {DUE} \
         RETURNING id, user_id, event_type, subject, url, created_at, attempts, epoch"
    );
    let values = [now.into(), MOST_ATTEMPTS.into(), (now + millis(LEASE)).into(), id.into()];
    sql::one(db, &update, values).await?.as_ref().map(claimed).transpose()
}

fn claimed(row: &QueryResult) -> Result<Claimed, DbErr> {
    Ok(Claimed {
        id: row.try_get("", "id")?,
        user: row.try_get("", "user_id")?,
        event_type: row.try_get("", "event_type")?,
        subject: row.try_get("", "subject")?,
        url: row.try_get("", "url")?,
        created_at: row.try_get("", "created_at")?,
        attempts: row.try_get("", "attempts")?,
        epoch: row.try_get("", "epoch")?,
    })
}

/// Writes what came of an attempt and ends its lease; `false` when the claim
/// was no longer this one.
pub(super) async fn record(db: &DatabaseConnection, of: &Claimed, record: &Record) -> Result<bool, DbErr> {
    let update = "UPDATE webhook_deliveries SET state = $1, due_at = $2, leased_until = 0, status_code = $3, \
                  failure = $4, excerpt = $5, delivered_at = COALESCE($6, delivered_at) \
                  WHERE id = $7 AND epoch = $8 AND state = 'pending'";
    let values = [
        record.state.as_str().into(),
        record.due_at.into(),
        record.status_code.map(i32::from).into(),
        record.failure.map(str::to_owned).into(),
        record.excerpt.clone().into(),
        record.delivered_at.into(),
        of.id.into(),
        of.epoch.into(),
    ];
    Ok(sql::run(db, update, values).await? == 1)
}

/// Gives a claim back as if it had not been made, to be taken again at
/// `due_at`: nothing was sent.
pub(super) async fn hand_back(db: &DatabaseConnection, of: &Claimed, due_at: i64) -> Result<(), DbErr> {
    let update = "UPDATE webhook_deliveries SET attempts = attempts - 1, due_at = $1, leased_until = 0 \
                  WHERE id = $2 AND epoch = $3 AND state = 'pending'";
    sql::run(db, update, [due_at.into(), of.id.into(), of.epoch.into()]).await?;
    Ok(())
}

/// Ends what has had all its attempts, the last of them in a process that died
/// of it or during it; returns how many.
pub(super) async fn bury(db: &DatabaseConnection, now: i64, failure: &'static str) -> Result<u64, DbErr> {
    let update = "UPDATE webhook_deliveries SET state = 'failed', failure = $1, leased_until = 0 \
                  WHERE state = 'pending' AND attempts >= $2 AND due_at <= $3";
    sql::run(db, update, [failure.into(), MOST_ATTEMPTS.into(), now.into()]).await
}

/// Forgets what was finished long ago; returns how many.
pub(super) async fn purge(db: &DatabaseConnection, now: i64) -> Result<u64, DbErr> {
    let delete = "DELETE FROM webhook_deliveries WHERE state <> 'pending' AND COALESCE(attempted_at, created_at) < $1";
    sql::run(db, delete, [(now - millis(KEPT)).into()]).await
}

pub(super) async fn list(
    db: &DatabaseConnection,
    user: Uuid,
    limit: u64,
    after: Option<Cursor>,
) -> Result<DeliveryPage, DbErr> {
    let mut select = Entity::find().filter(Column::UserId.eq(user));
    if let Some(Cursor { created_at, id }) = after {
        let same_moment = Condition::all().add(Column::CreatedAt.eq(created_at)).add(Column::Id.lt(id));
        select = select.filter(Condition::any().add(Column::CreatedAt.lt(created_at)).add(same_moment));
    }
    let newest_first = select.order_by_desc(Column::CreatedAt).order_by_desc(Column::Id);
    let mut rows = newest_first.limit(limit.saturating_add(1)).all(db).await?;
    let more = rows.len() as u64 > limit;
    rows.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    let next = rows.last().filter(|_| more).map(|row| Cursor { created_at: row.created_at, id: row.id });
    Ok(DeliveryPage { deliveries: rows.into_iter().map(delivery).collect::<Result<_, _>>()?, next })
}

/// Makes a delivery due now, unless an attempt is under way, and returns it.
pub(super) async fn resend(db: &DatabaseConnection, user: Uuid, id: Uuid, now: i64) -> Result<Option<Delivery>, DbErr> {
    let update = "UPDATE webhook_deliveries \
                  SET state = 'pending', attempts = 0, epoch = epoch + 1, due_at = $1, leased_until = 0 \
                  WHERE id = $2 AND user_id = $3 AND leased_until <= $1";
    sql::run(db, update, [now.into(), id.into(), user.into()]).await?;
    let row = Entity::find_by_id(id).filter(Column::UserId.eq(user)).one(db).await?;
    row.map(delivery).transpose()
}

fn delivery(row: webhook_delivery::Model) -> Result<Delivery, DbErr> {
    let state = DeliveryState::parse(&row.state).ok_or_else(|| DbErr::Type(format!("{} is not a state", row.state)))?;
    let waits = state == DeliveryState::Pending && row.leased_until == 0;
    Ok(Delivery {
        id: row.id,
        event_type: row.event_type,
        subject: row.subject,
        url: row.url,
        state,
        attempts: u32::try_from(row.attempts).unwrap_or_default(),
        status_code: row.status_code.and_then(|code| u16::try_from(code).ok()),
        failure: row.failure,
        excerpt: row.excerpt,
        created_at: moment(row.created_at)?,
        attempted_at: row.attempted_at.map(moment).transpose()?,
        next_attempt_at: waits.then(|| moment(row.due_at)).transpose()?,
        delivered_at: row.delivered_at.map(moment).transpose()?,
    })
}

pub(super) fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}
