//! The key ring's SQL.

use entities::{api_key, user};
use sea_orm::ActiveValue::Set;
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbErr, EntityTrait, QueryFilter, QueryOrder,
};
use uuid::Uuid;

use super::key::Digest;
use super::{KeyRingError, KeySummary, Plan, Principal, Scope, email};
use crate::database::{moment, now, sql};

/// A stored key and whose it is.
pub(super) struct Found {
    pub principal: Principal,
    pub digest: Vec<u8>,
    pub last_used_at: Option<i64>,
    /// Unix milliseconds, as all moments here.
    pub expires_at: Option<i64>,
    revoked_at: Option<i64>,
}

impl Found {
    /// Whether the key opens anything at `now`.
    pub(super) fn is_valid(&self, now: i64) -> bool {
        self.revoked_at.is_none() && self.expires_at.is_none_or(|end| now < end)
    }
}

/// Looks a key up by its digest.
pub(super) async fn find(db: &DatabaseConnection, digest: &Digest) -> Result<Option<Found>, DbErr> {
    let row = api_key::Entity::find()
        .filter(api_key::Column::Digest.eq(digest.as_slice()))
        .find_also_related(user::Entity)
        .one(db)
        .await?;
    let Some((key, Some(user))) = row else { return Ok(None) };
    let principal = Principal {
        user_id: user.id,
        key_id: key.id,
        plan: plan(&user)?,
        email: user.email,
        scopes: key.scopes.split(' ').filter_map(Scope::parse).collect(),
    };
    let api_key::Model { digest, last_used_at, expires_at, revoked_at, .. } = key;
    Ok(Some(Found { principal, digest, last_used_at, expires_at, revoked_at }))
}

fn plan(user: &user::Model) -> Result<Plan, DbErr> {
    Plan::parse(&user.plan).ok_or_else(|| DbErr::Type(format!("{} is not a plan", user.plan)))
}

/// Stores that a key is in use, unless another replica has done so since
/// `stale`.
pub(super) async fn note_use(db: &DatabaseConnection, key: Uuid, stale: i64) -> Result<(), DbErr> {
    let update = "UPDATE api_keys SET last_used_at = $1 WHERE id = $2 AND (last_used_at IS NULL OR last_used_at <= $3)";
    sql::run(db, update, [now().into(), key.into(), stale.into()]).await?;
    Ok(())
}

/// Inserts a user and returns the id, or `None` when the address is known.
pub(super) async fn insert_user(txn: &DatabaseTransaction, email: &str, plan: Plan) -> Result<Option<Uuid>, DbErr> {
    insert_user_where(txn, email, plan, "1 = 1").await
}

/// As [`insert_user`], only when there is no user at all.
pub(super) async fn insert_first_user(
    txn: &DatabaseTransaction,
    email: &str,
    plan: Plan,
) -> Result<Option<Uuid>, DbErr> {
    insert_user_where(txn, email, plan, "NOT EXISTS (SELECT 1 FROM users)").await
}

async fn insert_user_where(
    txn: &DatabaseTransaction,
    email: &str,
    plan: Plan,
    condition: &str,
) -> Result<Option<Uuid>, DbErr> {
    let id = Uuid::now_v7();
    let insert = format!(
        "INSERT INTO users (id, email, plan, created_at) SELECT $1, $2, $3, $4 WHERE {condition} \
         ON CONFLICT (email) DO NOTHING"
    );
    let values = [id.into(), email.into(), plan.as_str().into(), now().into()];
    Ok((sql::run(txn, &insert, values).await? == 1).then_some(id))
}

/// Returns the user with this address.
pub(super) async fn user_with<C: ConnectionTrait>(on: &C, email: &str) -> Result<Uuid, DbErr> {
    let user = user::Entity::find().filter(user::Column::Email.eq(email)).one(on).await?;
    user.map(|user| user.id).ok_or_else(|| DbErr::RecordNotFound("user".to_owned()))
}

pub(super) async fn set_plan(txn: &DatabaseTransaction, user: Uuid, plan: Plan) -> Result<(), DbErr> {
    sql::run(txn, "UPDATE users SET plan = $1 WHERE id = $2", [plan.as_str().into(), user.into()]).await?;
    Ok(())
}

/// What is stored of a new key.
pub(super) struct NewKey<'a> {
    pub user: Uuid,
    pub name: &'a str,
    pub digest: Digest,
    pub scopes: String,
    pub rotated_from: Option<Uuid>,
}

pub(super) async fn insert_key(txn: &DatabaseTransaction, prefix: &str, new: NewKey<'_>) -> Result<Uuid, DbErr> {
    let id = Uuid::now_v7();
    let row = api_key::ActiveModel {
        id: Set(id),
        user_id: Set(new.user),
        name: Set(new.name.to_owned()),
        digest: Set(new.digest.to_vec()),
        prefix: Set(prefix.to_owned()),
        scopes: Set(new.scopes),
        created_at: Set(now()),
        rotated_from: Set(new.rotated_from),
        ..Default::default()
    };
    api_key::Entity::insert(row).exec_without_returning(txn).await?;
    Ok(id)
}

/// Returns the keys, newest first.
///
/// # Errors
/// [`KeyRingError::BadEmail`], or the database's.
pub(super) async fn list(db: &DatabaseConnection, of: Option<&str>) -> Result<Vec<KeySummary>, KeyRingError> {
    let mut select = api_key::Entity::find().find_also_related(user::Entity);
    if let Some(address) = of {
        select = select.filter(user::Column::Email.eq(email::normalise(address)?));
    }
    let newest_first = select.order_by_desc(api_key::Column::CreatedAt).order_by_desc(api_key::Column::Id);
    let rows = newest_first.all(db).await?;
    let summaries = rows.into_iter().filter_map(|(key, user)| user.map(|user| summary(key, user)));
    Ok(summaries.collect::<Result<_, DbErr>>()?)
}

fn summary(key: api_key::Model, user: user::Model) -> Result<KeySummary, DbErr> {
    Ok(KeySummary {
        key_id: key.id,
        plan: plan(&user)?,
        email: user.email,
        name: key.name,
        prefix: key.prefix,
        created_at: moment(key.created_at)?,
        expires_at: key.expires_at.map(moment).transpose()?,
        revoked_at: key.revoked_at.map(moment).transpose()?,
    })
}

/// Revokes a key, keeping the moment of an earlier revocation, and returns its
/// digest; `None` when there is no such key.
pub(super) async fn revoke(db: &DatabaseConnection, key: Uuid) -> Result<Option<Digest>, DbErr> {
    let update = "UPDATE api_keys SET revoked_at = COALESCE(revoked_at, $1) WHERE id = $2 RETURNING digest";
    let Some(row) = sql::one(db, update, [now().into(), key.into()]).await? else { return Ok(None) };
    let digest: Vec<u8> = row.try_get("", "digest")?;
    digest.try_into().map(Some).map_err(|_| DbErr::Type("a digest is 32 bytes".to_owned()))
}

/// A key that is being replaced.
pub(super) struct Replaced {
    pub user: Uuid,
    pub name: String,
    pub scopes: String,
}

/// Lets a valid key end at `end`, or sooner when it does so already; `None`
/// when there is no such key or it has ended.
pub(super) async fn let_run_out(
    txn: &DatabaseTransaction,
    key: Uuid,
    now: i64,
    end: i64,
) -> Result<Option<Replaced>, DbErr> {
    let update = "UPDATE api_keys \
                  SET expires_at = CASE WHEN expires_at < $1 THEN expires_at ELSE $1 END \
                  WHERE id = $2 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $3) \
                  RETURNING user_id, name, scopes";
    let Some(row) = sql::one(txn, update, [end.into(), key.into(), now.into()]).await? else { return Ok(None) };
    Ok(Some(Replaced {
        user: row.try_get("", "user_id")?,
        name: row.try_get("", "name")?,
        scopes: row.try_get("", "scopes")?,
    }))
}
