use sea_orm::ConnectionTrait;
use uuid::Uuid;

use super::account;
use crate::credit_ledger::{LedgerError, Usage};
use crate::database::{now, sql};

const DAY: i64 = 24 * 60 * 60 * 1000;

/// Returns what was charged since the start of the UTC day, less what of it was
/// given back. A refund of an earlier day's charge does not count: usage is
/// never negative.
///
/// # Errors
/// [`LedgerError::Unknown`] when there is no such user.
pub(crate) async fn usage_today<C: ConnectionTrait>(on: &C, user: Uuid) -> Result<Usage, LedgerError> {
    let account = account::of_user(on, user).await?.id;
    let now = now();
    let sum = "SELECT COUNT(*) AS charges, CAST(COALESCE(SUM(-e.amount), 0) AS BIGINT) AS credits \
               FROM credit_txns t JOIN credit_entries e ON e.txn_id = t.id AND e.account_id = t.account_id \
               WHERE t.account_id = $1 AND t.created_at >= $2 AND t.kind IN ('charge', 'capture') \
               AND NOT EXISTS (SELECT 1 FROM credit_txns r WHERE r.reference = t.reference AND r.kind = 'refund')";
    let row = sql::one(on, sum, [account.into(), (now - now % DAY).into()]).await?;
    let row = row.ok_or(LedgerError::Unknown("account"))?;
    Ok(Usage { charges: row.try_get("", "charges")?, credits: row.try_get("", "credits")? })
}
