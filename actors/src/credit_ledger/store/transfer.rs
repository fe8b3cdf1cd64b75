use std::time::Duration;

use sea_orm::{ConnectionTrait, DatabaseTransaction, DbErr};
use uuid::Uuid;

use super::account::{self, Account};
use super::holding::{self, NewHold};
use super::{ISSUANCE, REVENUE, positive, work_key};
use crate::credit_ledger::hold::HoldState;
use crate::credit_ledger::{Balance, ChargeCredits, GrantCredits, LedgerError, RefundCredits};
use crate::database::{now, sql};

/// The most credits that an account may own, as in the schema.
const MAX_BALANCE: i64 = 9_007_199_254_740_991;

/// A movement between a user's account and a system account.
pub(super) struct Transfer<'a> {
    pub(super) id: Uuid,
    pub(super) kind: &'static str,
    pub(super) key: String,
    pub(super) account: Uuid,
    pub(super) counterpart: Uuid,
    /// What the user's account gains; negative for a charge.
    pub(super) amount: i64,
    pub(super) purpose: &'a str,
    pub(super) reference: Option<Uuid>,
}

impl<'a> Transfer<'a> {
    /// A charge of `amount` for the work `reference`.
    pub(super) fn charge(kind: &'static str, account: Uuid, amount: i64, purpose: &'a str, reference: Uuid) -> Self {
        let (id, key) = (Uuid::now_v7(), work_key(reference));
        Self { id, kind, key, account, counterpart: REVENUE, amount: -amount, purpose, reference: Some(reference) }
    }

    fn grant(account: Uuid, asked: &'a GrantCredits) -> Self {
        let key = format!("grant:{}", asked.idempotency_key);
        let (id, amount, purpose) = (Uuid::now_v7(), asked.amount, asked.purpose);
        Self { id, kind: "grant", key, account, counterpart: ISSUANCE, amount, purpose, reference: None }
    }

    /// What must be the same when the key comes again.
    pub(super) fn fingerprint(&self) -> String {
        format!("{} {} {} {}", self.kind, self.account, self.amount, self.purpose)
    }
}

/// Charges for work that is done already.
///
/// # Errors
/// As for [`ChargeCredits`].
pub(crate) async fn charge(txn: &DatabaseTransaction, asked: &ChargeCredits) -> Result<Balance, LedgerError> {
    positive(asked.amount)?;
    let work = NewHold {
        id: Uuid::now_v7(),
        user: asked.user,
        reference: asked.reference,
        purpose: asked.purpose,
        amount: asked.amount,
        state: HoldState::Captured,
        ttl: Duration::ZERO,
    };
    let transfer = |account| Transfer::charge("charge", account, asked.amount, asked.purpose, asked.reference);
    let Some(account) = holding::insert(txn, &work).await? else {
        let account = account::of_user(txn, asked.user).await?;
        let made = repeated(txn, &transfer(account.id)).await?;
        return if made { Ok(account.balance) } else { Err(LedgerError::Conflict("the reference belongs to a hold")) };
    };
    let spend = "balance = balance - $1 WHERE id = $2 AND balance - held >= $1";
    let Some(account) = account::update(txn, spend, [asked.amount.into(), account.into()]).await? else {
        return Err(holding::refuse(txn, &work).await?);
    };
    record(txn, &transfer(account.id), &account).await?;
    Ok(account.balance)
}

/// Adds credits.
///
/// # Errors
/// As for [`GrantCredits`].
pub(crate) async fn grant(txn: &DatabaseTransaction, asked: &GrantCredits) -> Result<Balance, LedgerError> {
    positive(asked.amount)?;
    let gain = "balance = balance + $1 WHERE user_id = $2 AND balance <= $3";
    let room: i64 = MAX_BALANCE - asked.amount;
    let Some(account) = account::update(txn, gain, [asked.amount.into(), asked.user.into(), room.into()]).await? else {
        let account = account::of_user(txn, asked.user).await?;
        let made = repeated(txn, &Transfer::grant(account.id, asked)).await?;
        return if made { Ok(account.balance) } else { Err(LedgerError::BadAmount(asked.amount)) };
    };
    let transfer = Transfer::grant(account.id, asked);
    if insert(txn, &transfer).await? {
        post(txn, &transfer, &account).await?;
        return Ok(account.balance);
    }
    let take_back = "balance = balance - $1 WHERE id = $2";
    let account = account::update_known(txn, take_back, [asked.amount.into(), account.id.into()]).await?;
    // The insert has seen or awaited the row that has the key.
    let made = repeated(txn, &transfer).await?;
    if made { Ok(account.balance) } else { Err(DbErr::RecordNotInserted.into()) }
}

/// Gives a charge back, whole.
///
/// # Errors
/// As for [`RefundCredits`].
pub(crate) async fn refund(txn: &DatabaseTransaction, asked: &RefundCredits) -> Result<Balance, LedgerError> {
    let (id, key, work) = (Uuid::now_v7(), format!("refund:{}", asked.reference), work_key(asked.reference));
    let record = "INSERT INTO credit_txns \
                  (id, idempotency_key, fingerprint, kind, purpose, reference, account_id, created_at) \
                  SELECT $1, $2, 'refund', 'refund', purpose, reference, account_id, $3 \
                  FROM credit_txns WHERE idempotency_key = $4 \
                  ON CONFLICT (idempotency_key) DO NOTHING";
    let recorded = sql::run(txn, record, [id.into(), key.into(), now().into(), work.clone().into()]).await?;
    let charged = "SELECT t.account_id, t.purpose, -e.amount AS charged FROM credit_txns t \
                   JOIN credit_entries e ON e.txn_id = t.id AND e.account_id = t.account_id \
                   WHERE t.idempotency_key = $1";
    let row = sql::one(txn, charged, [work.into()]).await?.ok_or(LedgerError::Unknown("charge"))?;
    let (account, charged): (Uuid, i64) = (row.try_get("", "account_id")?, row.try_get("", "charged")?);
    let gained = if recorded == 0 { 0 } else { charged };
    let gain = "balance = balance + $1 WHERE id = $2";
    let account = account::update_known(txn, gain, [gained.into(), account.into()]).await?;
    if gained != 0 {
        enter(txn, id, account.id, gained, Some(account.balance.balance)).await?;
        enter(txn, id, REVENUE, -gained, None).await?;
    }
    Ok(account.balance)
}

/// Writes a transfer that cannot have been written before.
pub(super) async fn record(txn: &DatabaseTransaction, transfer: &Transfer<'_>, account: &Account) -> Result<(), DbErr> {
    if !insert(txn, transfer).await? {
        return Err(DbErr::RecordNotInserted);
    }
    post(txn, transfer, account).await
}

/// Inserts the transaction's row unless its key is taken.
async fn insert(txn: &DatabaseTransaction, transfer: &Transfer<'_>) -> Result<bool, DbErr> {
    let inserted = sql::run(
        txn,
        "INSERT INTO credit_txns \
         (id, idempotency_key, fingerprint, kind, purpose, reference, account_id, created_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (idempotency_key) DO NOTHING",
        [
            transfer.id.into(),
            transfer.key.as_str().into(),
            transfer.fingerprint().into(),
            transfer.kind.into(),
            transfer.purpose.into(),
            transfer.reference.into(),
            transfer.account.into(),
            now().into(),
        ],
    )
    .await?;
    Ok(inserted == 1)
}

/// Writes both sides of a transfer.
async fn post(txn: &DatabaseTransaction, transfer: &Transfer<'_>, account: &Account) -> Result<(), DbErr> {
    enter(txn, transfer.id, account.id, transfer.amount, Some(account.balance.balance)).await?;
    enter(txn, transfer.id, transfer.counterpart, -transfer.amount, None).await
}

async fn enter(
    txn: &DatabaseTransaction,
    id: Uuid,
    account: Uuid,
    amount: i64,
    balance_after: Option<i64>,
) -> Result<(), DbErr> {
    let insert = "INSERT INTO credit_entries (txn_id, account_id, amount, balance_after) VALUES ($1, $2, $3, $4)";
    sql::run(txn, insert, [id.into(), account.into(), amount.into(), balance_after.into()]).await?;
    Ok(())
}

/// Whether this very transfer was recorded before.
async fn repeated<C: ConnectionTrait>(on: &C, transfer: &Transfer<'_>) -> Result<bool, LedgerError> {
    let select = "SELECT fingerprint FROM credit_txns WHERE idempotency_key = $1";
    let Some(row) = sql::one(on, select, [transfer.key.as_str().into()]).await? else { return Ok(false) };
    if row.try_get::<String>("", "fingerprint")? == transfer.fingerprint() {
        return Ok(true);
    }
    Err(LedgerError::Conflict("the key was used for something else"))
}
