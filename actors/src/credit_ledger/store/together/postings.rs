//! Many transfers in two statements.

use sea_orm::{DatabaseTransaction, DbErr};
use serde::Serialize;
use uuid::Uuid;

use crate::credit_ledger::store::transfer::Transfer;
use crate::database::rows::Column::{Integer, Text, Uuid as Id};
use crate::database::rows::{parameter, table};
use crate::database::{now, sql};

/// A transfer, and what its user's account has after it.
pub(super) struct Posting<'a> {
    pub transfer: Transfer<'a>,
    pub balance_after: i64,
}

#[derive(Serialize)]
struct TxnRow<'a> {
    #[serde(with = "uuid::serde::simple")]
    id: Uuid,
    idempotency_key: &'a str,
    fingerprint: String,
    kind: &'static str,
    purpose: &'a str,
    reference: Option<String>,
    #[serde(with = "uuid::serde::simple")]
    account_id: Uuid,
    created_at: i64,
}

impl<'a> TxnRow<'a> {
    fn of(transfer: &'a Transfer<'_>, created_at: i64) -> Self {
        Self {
            id: transfer.id,
            idempotency_key: &transfer.key,
            fingerprint: transfer.fingerprint(),
            kind: transfer.kind,
            purpose: transfer.purpose,
            reference: transfer.reference.map(|reference| reference.simple().to_string()),
            account_id: transfer.account,
            created_at,
        }
    }
}

#[derive(Serialize)]
struct EntryRow {
    #[serde(with = "uuid::serde::simple")]
    txn_id: Uuid,
    #[serde(with = "uuid::serde::simple")]
    account_id: Uuid,
    amount: i64,
    balance_after: Option<i64>,
}

/// Writes transfers that cannot have been written before, each with both its
/// entries.
pub(super) async fn record(txn: &DatabaseTransaction, postings: &[Posting<'_>]) -> Result<(), DbErr> {
    insert_txns(txn, postings).await?;
    insert_entries(txn, postings).await
}

async fn insert_txns(txn: &DatabaseTransaction, postings: &[Posting<'_>]) -> Result<(), DbErr> {
    let created_at = now();
    let rows: Vec<_> = postings.iter().map(|posting| TxnRow::of(&posting.transfer, created_at)).collect();
    let columns = [
        Id("id"),
        Text("idempotency_key"),
        Text("fingerprint"),
        Text("kind"),
        Text("purpose"),
        Id("reference"),
        Id("account_id"),
        Integer("created_at"),
    ];
    let insert = format!(
        "INSERT INTO credit_txns (id, idempotency_key, fingerprint, kind, purpose, reference, account_id, created_at) \
         SELECT v.id, v.idempotency_key, v.fingerprint, v.kind, v.purpose, v.reference, v.account_id, v.created_at \
         FROM {}",
        table(txn, &columns)
    );
    sql::run(txn, &insert, parameter(&rows)?).await?;
    Ok(())
}

async fn insert_entries(txn: &DatabaseTransaction, postings: &[Posting<'_>]) -> Result<(), DbErr> {
    let rows = |Posting { transfer, balance_after }: &_| {
        let (txn_id, amount) = (transfer.id, transfer.amount);
        let user = EntryRow { txn_id, account_id: transfer.account, amount, balance_after: Some(*balance_after) };
        [user, EntryRow { txn_id, account_id: transfer.counterpart, amount: -amount, balance_after: None }]
    };
    let insert = format!(
        "INSERT INTO credit_entries (txn_id, account_id, amount, balance_after) \
         SELECT v.txn_id, v.account_id, v.amount, v.balance_after FROM {}",
        table(txn, &[Id("txn_id"), Id("account_id"), Integer("amount"), Integer("balance_after")])
    );
    sql::run(txn, &insert, parameter(&postings.iter().flat_map(rows).collect::<Vec<_>>())?).await?;
    Ok(())
}
