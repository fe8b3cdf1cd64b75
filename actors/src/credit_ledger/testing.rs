//! What tests and benchmarks outside of this crate need of the ledger's inside.

use sea_orm::DatabaseConnection;
use uuid::Uuid;

use super::{Hold, HoldCredits, LedgerError, store};
use crate::database::{sql, write};

/// Makes a user with an account and returns its id.
///
/// # Errors
/// The database's.
pub async fn new_user(db: &DatabaseConnection, opening_balance: i64) -> Result<Uuid, LedgerError> {
    let user = Uuid::now_v7();
    let insert = "INSERT INTO users (id, email, plan, created_at) VALUES ($1, $2, 'free', 0)";
    write(db, async |txn| {
        sql::run(txn, insert, [user.into(), format!("{user}@example.com").into()]).await?;
        store::open_account(txn, user, opening_balance).await
    })
    .await?;
    Ok(user)
}

/// Holds credits in a transaction of its own, past the actor's group commit.
///
/// # Errors
/// As for [`HoldCredits`].
pub async fn hold_alone(db: &DatabaseConnection, asked: &HoldCredits) -> Result<Hold, LedgerError> {
    write(db, async |txn| store::hold(txn, asked).await).await
}
