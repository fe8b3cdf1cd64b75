use std::time::Duration;

use sea_orm::{DatabaseTransaction, DbErr, QueryResult};
use uuid::Uuid;

use super::account::{self, Account};
use super::positive;
use super::transfer::{self, Transfer};
use crate::credit_ledger::hold::{HoldState, StoredHold};
use crate::credit_ledger::{Balance, CaptureHold, Hold, HoldCredits, LedgerError, VoidHold};
use crate::database::{now, sql};

/// Sets credits aside.
///
/// # Errors
/// As for [`HoldCredits`].
pub(crate) async fn hold(txn: &DatabaseTransaction, asked: &HoldCredits) -> Result<Hold, LedgerError> {
    positive(asked.amount)?;
    let hold = NewHold {
        id: Uuid::now_v7(),
        user: asked.user,
        reference: asked.reference,
        purpose: asked.purpose,
        amount: asked.amount,
        state: HoldState::Open,
        ttl: asked.ttl,
    };
    let Some(account) = insert(txn, &hold).await? else {
        return existing(txn, asked).await?.ok_or(LedgerError::Unknown("account"));
    };
    let set_aside = "held = held + $1 WHERE id = $2 AND balance - held >= $1";
    match account::update(txn, set_aside, [asked.amount.into(), account.into()]).await? {
        Some(account) => Ok(Hold { id: hold.id, amount: asked.amount, balance: account.balance }),
        None => Err(refuse(txn, &hold).await?),
    }
}

/// A hold to be stored. A charge at once is one that is born captured: so a
/// reference is unique among all work, however it is paid.
pub(super) struct NewHold<'a> {
    pub id: Uuid,
    pub user: Uuid,
    pub reference: Uuid,
    pub purpose: &'a str,
    pub amount: i64,
    pub state: HoldState,
    pub ttl: Duration,
}

/// Inserts a hold and returns its account, or `None` when the reference is
/// taken or the user has no account.
pub(super) async fn insert(txn: &DatabaseTransaction, hold: &NewHold<'_>) -> Result<Option<Uuid>, DbErr> {
    let created_at = now();
    let ttl = i64::try_from(hold.ttl.as_millis()).unwrap_or(i64::MAX);
    let captured = if hold.state == HoldState::Captured { hold.amount } else { 0 };
    let inserted = sql::one(
        txn,
        "INSERT INTO credit_holds \
         (id, account_id, reference, purpose, amount, captured, state, expires_at, created_at) \
         SELECT $1, id, $2, $3, $4, $5, $6, $7, $8 FROM credit_accounts WHERE user_id = $9 \
         ON CONFLICT (reference) DO NOTHING RETURNING account_id",
        [
            hold.id.into(),
            hold.reference.into(),
            hold.purpose.into(),
            hold.amount.into(),
            captured.into(),
            hold.state.as_str().into(),
            created_at.saturating_add(ttl).into(),
            created_at.into(),
            hold.user.into(),
        ],
    )
    .await?;
    inserted.map(|row| row.try_get("", "account_id")).transpose()
}

/// Deletes a hold for which there was too little, and returns the refusal.
pub(super) async fn refuse(txn: &DatabaseTransaction, hold: &NewHold<'_>) -> Result<LedgerError, LedgerError> {
    sql::run(txn, "DELETE FROM credit_holds WHERE id = $1", [hold.id.into()]).await?;
    let available = account::balance_of(txn, hold.user).await?.available();
    let needed = hold.amount;
    // Credits freed since the update are not to be reported beside a refusal that they would lift.
    Ok(LedgerError::Insufficient { needed, available: available.min(needed - 1) })
}

/// The hold that has the reference already, when it is the one asked for.
async fn existing(txn: &DatabaseTransaction, asked: &HoldCredits) -> Result<Option<Hold>, LedgerError> {
    let Some(stored) = find(txn, "h.reference = $1", asked.reference).await? else { return Ok(None) };
    stored.hold_again(asked.user, asked.amount, asked.purpose, now())?;
    let balance = account::balance_of(txn, stored.user).await?;
    Ok(Some(Hold { id: stored.id, amount: stored.amount, balance }))
}

/// Charges a hold, whole or in part, and releases the rest. An expired hold
/// that was not swept yet can still be charged: the work was done in time.
///
/// # Errors
/// As for [`CaptureHold`].
pub(crate) async fn capture(txn: &DatabaseTransaction, asked: &CaptureHold) -> Result<Balance, LedgerError> {
    if asked.amount != 0 {
        positive(asked.amount)?;
    }
    let settle = "UPDATE credit_holds SET state = 'captured', captured = $1 \
                  WHERE id = $2 AND state = 'open' AND amount >= $1 \
                  RETURNING account_id, reference, purpose, amount";
    let Some(row) = sql::one(txn, settle, [asked.amount.into(), asked.hold.into()]).await? else {
        let stored = known(txn, asked.hold).await?;
        stored.capture_again(asked.amount)?;
        return account::balance_of(txn, stored.user).await;
    };
    let (account, held): (Uuid, i64) = (row.try_get("", "account_id")?, row.try_get("", "amount")?);
    if asked.amount == 0 {
        return Ok(release(txn, account, held).await?.balance);
    }
    let spend = "balance = balance - $1, held = held - $2 WHERE id = $3";
    let account = account::update_known(txn, spend, [asked.amount.into(), held.into(), account.into()]).await?;
    let reference: Uuid = row.try_get("", "reference")?;
    let purpose: String = row.try_get("", "purpose")?;
    let capture = Transfer::charge("capture", account.id, asked.amount, &purpose, reference);
    transfer::record(txn, &capture, &account).await?;
    Ok(account.balance)
}

/// Releases a hold.
///
/// # Errors
/// As for [`VoidHold`].
pub(crate) async fn void(txn: &DatabaseTransaction, asked: &VoidHold) -> Result<Balance, LedgerError> {
    let settle = "UPDATE credit_holds SET state = 'voided' WHERE id = $1 AND state = 'open' \
                  RETURNING account_id, amount";
    let Some(row) = sql::one(txn, settle, [asked.hold.into()]).await? else {
        let stored = known(txn, asked.hold).await?;
        stored.void_again()?;
        return account::balance_of(txn, stored.user).await;
    };
    Ok(release(txn, row.try_get("", "account_id")?, row.try_get("", "amount")?).await?.balance)
}

pub(super) async fn release(txn: &DatabaseTransaction, account: Uuid, amount: i64) -> Result<Account, DbErr> {
    account::update_known(txn, "held = held - $1 WHERE id = $2", [amount.into(), account.into()]).await
}

async fn known(txn: &DatabaseTransaction, hold: Uuid) -> Result<StoredHold, LedgerError> {
    find(txn, "h.id = $1", hold).await?.ok_or(LedgerError::Unknown("hold"))
}

async fn find(txn: &DatabaseTransaction, condition: &str, value: Uuid) -> Result<Option<StoredHold>, DbErr> {
    let select = format!(
        "SELECT h.id, a.user_id, h.purpose, h.amount, h.captured, h.state, h.expires_at \
         FROM credit_holds h JOIN credit_accounts a ON a.id = h.account_id WHERE {condition}"
    );
    sql::one(txn, &select, [value.into()]).await?.as_ref().map(read).transpose()
}

fn read(row: &QueryResult) -> Result<StoredHold, DbErr> {
    let state: String = row.try_get("", "state")?;
    Ok(StoredHold {
        id: row.try_get("", "id")?,
        user: row.try_get("", "user_id")?,
        purpose: row.try_get("", "purpose")?,
        amount: row.try_get("", "amount")?,
        captured: row.try_get("", "captured")?,
        state: HoldState::parse(&state).ok_or_else(|| DbErr::Type(format!("{state} is not a hold's state")))?,
        expires_at: row.try_get("", "expires_at")?,
    })
}
