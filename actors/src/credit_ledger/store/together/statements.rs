//! One statement for all rows of a kind.

use std::collections::{BTreeMap, HashMap};

use sea_orm::{ConnectionTrait, DatabaseTransaction, DbBackend, DbErr, QueryResult};
use serde::Serialize;
use uuid::Uuid;

use crate::credit_ledger::Balance;
use crate::database::rows::Column::{Integer, Text, Uuid as Id};
use crate::database::rows::{parameter, table};
use crate::database::sql;

/// A hold or a charge to be stored, unless its reference is taken.
#[derive(Serialize)]
pub(super) struct HoldRow<'a> {
    #[serde(with = "uuid::serde::simple")]
    pub id: Uuid,
    #[serde(with = "uuid::serde::simple")]
    pub user_id: Uuid,
    #[serde(with = "uuid::serde::simple")]
    pub reference: Uuid,
    pub purpose: &'a str,
    pub amount: i64,
    pub captured: i64,
    pub state: &'static str,
    pub expires_at: i64,
    pub created_at: i64,
}

/// Inserts the holds in the order of their references, and returns the account
/// of each that was inserted, by the hold's id.
pub(super) async fn insert_holds(
    txn: &DatabaseTransaction,
    rows: &[HoldRow<'_>],
) -> Result<HashMap<Uuid, Uuid>, DbErr> {
    let columns = [
        Id("id"),
        Id("user_id"),
        Id("reference"),
        Text("purpose"),
        Integer("amount"),
        Integer("captured"),
        Text("state"),
        Integer("expires_at"),
        Integer("created_at"),
    ];
    let insert = format!(
        "INSERT INTO credit_holds \
         (id, account_id, reference, purpose, amount, captured, state, expires_at, created_at) \
         SELECT v.id, a.id, v.reference, v.purpose, v.amount, v.captured, v.state, v.expires_at, v.created_at \
         FROM {} JOIN credit_accounts a ON a.user_id = v.user_id WHERE TRUE ORDER BY v.reference \
         ON CONFLICT (reference) DO NOTHING RETURNING id, account_id",
        table(txn, &columns)
    );
    let inserted = sql::all(txn, &insert, parameter(rows)?).await?;
    inserted.iter().map(|row| Ok((row.try_get("", "id")?, row.try_get("", "account_id")?))).collect()
}

#[derive(Serialize)]
struct IdRow {
    #[serde(with = "uuid::serde::simple")]
    id: Uuid,
}

fn ids(ids: impl IntoIterator<Item = Uuid>) -> Vec<IdRow> {
    ids.into_iter().map(|id| IdRow { id }).collect()
}

/// Deletes holds for which there was too little.
pub(super) async fn delete_holds(txn: &DatabaseTransaction, refused: Vec<Uuid>) -> Result<(), DbErr> {
    let delete = format!("DELETE FROM credit_holds WHERE id IN (SELECT v.id FROM {})", table(txn, &[Id("id")]));
    sql::run(txn, &delete, parameter(&ids(refused))?).await?;
    Ok(())
}

/// What becomes of a hold, if it is open and at least as large as the charge.
#[derive(Serialize)]
pub(super) struct SettlementRow {
    #[serde(with = "uuid::serde::simple")]
    pub hold: Uuid,
    pub new_state: &'static str,
    pub charge: i64,
}

/// A hold that was settled just now.
pub(super) struct Settled {
    pub account: Uuid,
    pub reference: Uuid,
    pub purpose: String,
    pub amount: i64,
}

/// Settles the holds, each of which is to be named once, and returns those that
/// could be, by id.
pub(super) async fn settle_holds(
    txn: &DatabaseTransaction,
    rows: &[SettlementRow],
) -> Result<HashMap<Uuid, Settled>, DbErr> {
    let settle = format!(
        "UPDATE credit_holds SET state = v.new_state, captured = v.charge FROM {} \
         WHERE credit_holds.id = v.hold AND state = 'open' AND amount >= v.charge \
         RETURNING id, account_id, reference, purpose, amount",
        table(txn, &[Id("hold"), Text("new_state"), Integer("charge")])
    );
    let settled = sql::all(txn, &settle, parameter(rows)?).await?;
    let read = |row: &QueryResult| {
        let hold = Settled {
            account: row.try_get("", "account_id")?,
            reference: row.try_get("", "reference")?,
            purpose: row.try_get("", "purpose")?,
            amount: row.try_get("", "amount")?,
        };
        Ok((row.try_get("", "id")?, hold))
    };
    settled.iter().map(read).collect()
}

/// Whose account an order will change that comes after the shared statements.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum OwnerRow {
    User {
        #[serde(with = "uuid::serde::simple")]
        user_id: Uuid,
    },
    /// Who was charged under this key.
    Charged { charge_key: String },
}

/// Returns the accounts of the owners that are known. An account never changes
/// its user, nor a charge its account.
pub(super) async fn accounts_of(txn: &DatabaseTransaction, owners: &[OwnerRow]) -> Result<Vec<Uuid>, DbErr> {
    let owners_table = table(txn, &[Id("user_id"), Text("charge_key")]);
    let select = format!(
        "SELECT a.id FROM {owners_table} JOIN credit_accounts a ON a.user_id = v.user_id UNION ALL \
         SELECT t.account_id FROM {owners_table} JOIN credit_txns t ON t.idempotency_key = v.charge_key"
    );
    let rows = sql::all(txn, &select, parameter(owners)?).await?;
    rows.iter().map(|row| row.try_get_by_index(0)).collect()
}

/// Returns what the accounts have, and lets nobody change them until the end of
/// the transaction.
pub(super) async fn lock_accounts(
    txn: &DatabaseTransaction,
    accounts: impl IntoIterator<Item = Uuid>,
) -> Result<BTreeMap<Uuid, Balance>, DbErr> {
    // SQLite has one writer, and this transaction is it. Not FOR UPDATE: the holds inserted by two
    // transactions share a key lock on their account, for whose end both would then wait.
    let lock = match txn.get_database_backend() {
        DbBackend::Postgres => "FOR NO KEY UPDATE",
        _ => "",
    };
    let select = format!(
        "SELECT id, balance, held FROM credit_accounts WHERE id IN (SELECT v.id FROM {}) ORDER BY id {lock}",
        table(txn, &[Id("id")])
    );
    let rows = sql::all(txn, &select, parameter(&ids(accounts))?).await?;
    let read = |row: &QueryResult| {
        let balance = Balance { balance: row.try_get("", "balance")?, held: row.try_get("", "held")? };
        Ok((row.try_get("", "id")?, balance))
    };
    rows.iter().map(read).collect()
}

/// What an account gains; losses are negative.
#[derive(Serialize)]
pub(super) struct AccountRow {
    #[serde(with = "uuid::serde::simple")]
    pub id: Uuid,
    pub more_balance: i64,
    pub more_held: i64,
}

/// Changes the accounts, which must be there.
pub(super) async fn update_accounts(txn: &DatabaseTransaction, rows: &[AccountRow]) -> Result<(), DbErr> {
    let update = format!(
        "UPDATE credit_accounts SET balance = balance + v.more_balance, held = held + v.more_held FROM {} \
         WHERE credit_accounts.id = v.id",
        table(txn, &[Id("id"), Integer("more_balance"), Integer("more_held")])
    );
    let updated = sql::run(txn, &update, parameter(rows)?).await?;
    if updated == rows.len() as u64 { Ok(()) } else { Err(DbErr::RecordNotUpdated) }
}
