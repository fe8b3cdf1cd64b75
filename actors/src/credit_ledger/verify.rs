use sea_orm::{ConnectionTrait, DatabaseConnection, DbErr, QueryResult};
use uuid::Uuid;

use crate::database::{begin_snapshot, sql};

/// Something in the ledger that must never be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Violation {
    #[error("account {account} says {balance}, its entries say {entries}")]
    Balance { account: Uuid, balance: i64, entries: i64 },
    #[error("account {account} says {held} held, its open holds say {open}")]
    Held { account: Uuid, held: i64, open: i64 },
    #[error("account {account} holds more than it has by {excess}")]
    Overheld { account: Uuid, excess: i64 },
    #[error("the entries of transaction {txn} sum to {sum}")]
    Unbalanced { txn: Uuid, sum: i64 },
    #[error("transaction {txn} has {entries} entries instead of 2")]
    Entries { txn: Uuid, entries: i64 },
    #[error("all entries sum to {sum}")]
    LedgerUnbalanced { sum: i64 },
    #[error("hold {hold} was captured with {captured}, its charge is {charged}")]
    Captured { hold: Uuid, captured: i64, charged: i64 },
    #[error("the idempotency key {key} was used {times} times")]
    KeyReused { key: String, times: i64 },
}

const BALANCES: &str = "
    SELECT a.id, a.balance, CAST(COALESCE(SUM(e.amount), 0) AS BIGINT) AS entries
    FROM credit_accounts a LEFT JOIN credit_entries e ON e.account_id = a.id
    WHERE a.kind = 'user' GROUP BY a.id, a.balance HAVING a.balance <> COALESCE(SUM(e.amount), 0)";
const HELD: &str = "
    SELECT a.id, a.held, CAST(COALESCE(SUM(h.amount), 0) AS BIGINT) AS open
    FROM credit_accounts a LEFT JOIN credit_holds h ON h.account_id = a.id AND h.state = 'open'
    GROUP BY a.id, a.held HAVING a.held <> COALESCE(SUM(h.amount), 0)";
const OVERHELD: &str = "
    SELECT id, held - balance AS excess FROM credit_accounts WHERE kind = 'user' AND held > balance";
const UNBALANCED: &str = "
    SELECT txn_id, CAST(SUM(amount) AS BIGINT) AS sum FROM credit_entries GROUP BY txn_id HAVING SUM(amount) <> 0";
const ENTRIES: &str = "
    SELECT t.id, COUNT(e.txn_id) AS entries
    FROM credit_txns t LEFT JOIN credit_entries e ON e.txn_id = t.id GROUP BY t.id HAVING COUNT(e.txn_id) <> 2";
const LEDGER: &str = "
    SELECT CAST(SUM(amount) AS BIGINT) AS sum FROM credit_entries HAVING SUM(amount) <> 0";
const CAPTURED: &str = "
    SELECT h.id, h.captured, CAST(COALESCE(SUM(-e.amount), 0) AS BIGINT) AS charged
    FROM credit_holds h
    LEFT JOIN credit_txns t ON t.reference = h.reference AND t.kind IN ('capture', 'charge')
    LEFT JOIN credit_entries e ON e.txn_id = t.id AND e.account_id = h.account_id
    GROUP BY h.id, h.captured HAVING h.captured <> COALESCE(SUM(-e.amount), 0)";
const KEYS: &str = "
    SELECT idempotency_key, COUNT(*) AS times FROM credit_txns GROUP BY idempotency_key HAVING COUNT(*) > 1";

/// Audits the whole ledger as of one moment and returns what is wrong with it;
/// nothing, as long as the service and its database are sound. Reads every
/// entry there is.
///
/// # Errors
/// The database's.
pub async fn verify(db: &DatabaseConnection) -> Result<Vec<Violation>, DbErr> {
    let snapshot = begin_snapshot(db).await?;
    let mut found = Vec::new();
    collect(&snapshot, &mut found, BALANCES, |row| {
        let (account, balance) = (row.try_get("", "id")?, row.try_get("", "balance")?);
        Ok(Violation::Balance { account, balance, entries: row.try_get("", "entries")? })
    })
    .await?;
    collect(&snapshot, &mut found, HELD, |row| {
        let (account, held) = (row.try_get("", "id")?, row.try_get("", "held")?);
        Ok(Violation::Held { account, held, open: row.try_get("", "open")? })
    })
    .await?;
    collect(&snapshot, &mut found, OVERHELD, |row| {
        Ok(Violation::Overheld { account: row.try_get("", "id")?, excess: row.try_get("", "excess")? })
    })
    .await?;
    collect(&snapshot, &mut found, UNBALANCED, |row| {
        Ok(Violation::Unbalanced { txn: row.try_get("", "txn_id")?, sum: row.try_get("", "sum")? })
    })
    .await?;
    collect(&snapshot, &mut found, ENTRIES, |row| {
        Ok(Violation::Entries { txn: row.try_get("", "id")?, entries: row.try_get("", "entries")? })
    })
    .await?;
    collect(&snapshot, &mut found, LEDGER, |row| Ok(Violation::LedgerUnbalanced { sum: row.try_get("", "sum")? }))
        .await?;
    collect(&snapshot, &mut found, CAPTURED, |row| {
        let (hold, captured) = (row.try_get("", "id")?, row.try_get("", "captured")?);
        Ok(Violation::Captured { hold, captured, charged: row.try_get("", "charged")? })
    })
    .await?;
    collect(&snapshot, &mut found, KEYS, |row| {
        Ok(Violation::KeyReused { key: row.try_get("", "idempotency_key")?, times: row.try_get("", "times")? })
    })
    .await?;
    snapshot.commit().await?;
    Ok(found)
}

async fn collect<C, F>(on: &C, found: &mut Vec<Violation>, query: &str, violation: F) -> Result<(), DbErr>
where
    C: ConnectionTrait,
    F: Fn(&QueryResult) -> Result<Violation, DbErr>,
{
    for row in sql::all(on, query, []).await? {
        found.push(violation(&row)?);
    }
    Ok(())
}
