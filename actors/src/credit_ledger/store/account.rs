use sea_orm::{ConnectionTrait, DatabaseTransaction, DbErr, QueryResult, Value};
use uuid::Uuid;

use crate::credit_ledger::{Balance, GrantCredits, LedgerError};
use crate::database::sql;

/// An account's row after a change.
pub(super) struct Account {
    pub id: Uuid,
    pub balance: Balance,
}

impl Account {
    fn read(row: &QueryResult) -> Result<Self, DbErr> {
        let balance = Balance { balance: row.try_get("", "balance")?, held: row.try_get("", "held")? };
        Ok(Self { id: row.try_get("", "id")?, balance })
    }
}

/// Opens the account of a new user with its opening balance, in the transaction
/// that makes the user.
///
/// # Errors
/// [`LedgerError::BadAmount`] for a negative opening balance.
pub(crate) async fn open_account(
    txn: &DatabaseTransaction,
    user: Uuid,
    opening_balance: i64,
) -> Result<(), LedgerError> {
    let insert = "INSERT INTO credit_accounts (id, user_id, kind) VALUES ($1, $2, 'user')";
    sql::run(txn, insert, [Uuid::now_v7().into(), user.into()]).await?;
    if opening_balance != 0 {
        let idempotency_key = format!("sign_up:{user}");
        super::grant(txn, &GrantCredits { user, amount: opening_balance, purpose: "sign_up", idempotency_key }).await?;
    }
    Ok(())
}

/// Returns a user's credits now.
///
/// # Errors
/// [`LedgerError::Unknown`] when there is no such user.
pub(crate) async fn balance_of<C: ConnectionTrait>(on: &C, user: Uuid) -> Result<Balance, LedgerError> {
    Ok(of_user(on, user).await?.balance)
}

pub(super) async fn of_user<C: ConnectionTrait>(on: &C, user: Uuid) -> Result<Account, LedgerError> {
    let select = "SELECT id, balance, held FROM credit_accounts WHERE user_id = $1";
    let row = sql::one(on, select, [user.into()]).await?.ok_or(LedgerError::Unknown("account"))?;
    Ok(Account::read(&row)?)
}

/// Runs an `UPDATE` of one account and returns it, or `None` when the update's
/// condition did not hold.
pub(super) async fn update(
    txn: &DatabaseTransaction,
    set_where: &str,
    values: impl IntoIterator<Item = Value>,
) -> Result<Option<Account>, DbErr> {
    let statement = format!("UPDATE credit_accounts SET {set_where} RETURNING id, balance, held");
    sql::one(txn, &statement, values).await?.as_ref().map(Account::read).transpose()
}

/// As [`update`], of an account that must be there.
pub(super) async fn update_known(
    txn: &DatabaseTransaction,
    set_where: &str,
    values: impl IntoIterator<Item = Value>,
) -> Result<Account, DbErr> {
    let updated = update(txn, set_where, values).await?;
    updated.ok_or(DbErr::RecordNotUpdated)
}
