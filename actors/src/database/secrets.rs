//! Secrets that the service makes for itself at its first start.

use rand::TryRngCore;
use rand::rngs::OsRng;
use sea_orm::{ConnectionTrait, DatabaseConnection, DbErr};

use super::{sql, write};

/// Returns the secret `name`, made of `N` bytes from the system's random source
/// when there is none yet. Processes that ask together get the same one.
///
/// # Errors
/// The database's, or [`DbErr::Custom`] when the system gives no random bytes
/// or the stored secret has another length.
pub(crate) async fn get_or_create<const N: usize>(db: &DatabaseConnection, name: &str) -> Result<[u8; N], DbErr> {
    if let Some(secret) = get(db, name).await? {
        return Ok(secret);
    }
    let mut fresh = [0; N];
    OsRng.try_fill_bytes(&mut fresh).map_err(|error| DbErr::Custom(format!("no random bytes: {error}")))?;
    write(db, async |txn| {
        let insert = "INSERT INTO secrets (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING";
        sql::run(txn, insert, [name.into(), fresh.to_vec().into()]).await?;
        get(txn, name).await?.ok_or_else(|| DbErr::RecordNotFound(format!("secret {name}")))
    })
    .await
}

async fn get<const N: usize, C: ConnectionTrait>(on: &C, name: &str) -> Result<Option<[u8; N]>, DbErr> {
    let Some(row) = sql::one(on, "SELECT value FROM secrets WHERE name = $1", [name.into()]).await? else {
        return Ok(None);
    };
    let value: Vec<u8> = row.try_get("", "value")?;
    let secret = value.try_into().map_err(|_| DbErr::Custom(format!("the secret {name} has a wrong length")))?;
    Ok(Some(secret))
}
