use std::collections::BTreeMap;

use sea_orm::{ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbBackend, DbErr};
use uuid::Uuid;

use super::holding::release;
use crate::credit_ledger::LedgerError;
use crate::database::{now, sql, write};

/// Holds ended in one transaction: the write lock is given up in between.
const BATCH: u64 = 500;

/// Ends every open hold whose time is over and returns how many there were.
///
/// # Errors
/// The database's; what was ended before it failed stays ended.
pub(crate) async fn sweep(db: &DatabaseConnection) -> Result<u64, LedgerError> {
    let mut expired = 0;
    loop {
        // Looked up first, so that an idle service does not write every ten seconds.
        let due = "SELECT 1 FROM credit_holds WHERE state = 'open' AND expires_at <= $1 LIMIT 1";
        if sql::one(db, due, [now().into()]).await?.is_none() {
            return Ok(expired);
        }
        let batch = write(db, sweep_batch).await?;
        expired += batch;
        if batch < BATCH {
            return Ok(expired);
        }
    }
}

async fn sweep_batch(txn: &DatabaseTransaction) -> Result<u64, DbErr> {
    // A replica that sweeps at the same time takes other holds instead of waiting for these.
    let skip_locked = match txn.get_database_backend() {
        DbBackend::Postgres => "FOR UPDATE SKIP LOCKED",
        _ => "",
    };
    let expire = format!(
        "UPDATE credit_holds SET state = 'expired' WHERE id IN \
         (SELECT id FROM credit_holds WHERE state = 'open' AND expires_at <= $1 \
          ORDER BY expires_at LIMIT {BATCH} {skip_locked}) \
         RETURNING account_id, amount"
    );
    let rows = sql::all(txn, &expire, [now().into()]).await?;
    // Accounts in one order for all, so that two sweeps cannot lock each other out.
    let mut released = BTreeMap::<Uuid, i64>::new();
    for row in &rows {
        *released.entry(row.try_get("", "account_id")?).or_default() += row.try_get::<i64>("", "amount")?;
    }
    for (account, amount) in released {
        release(txn, account, amount).await?;
    }
    Ok(rows.len() as u64)
}
