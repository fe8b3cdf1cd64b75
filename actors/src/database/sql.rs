//! Statements written by hand, with `$1`-style parameters on both databases.

use sea_orm::{ConnectionTrait, DbErr, QueryResult, Statement, Value};

use super::fail_point::reached;

fn statement<C: ConnectionTrait>(on: &C, sql: &str, values: impl IntoIterator<Item = Value>) -> Statement {
    Statement::from_sql_and_values(on.get_database_backend(), sql, values)
}

/// Runs a statement and returns how many rows it changed.
pub(crate) async fn run<C, V>(on: &C, sql: &str, values: V) -> Result<u64, DbErr>
where
    C: ConnectionTrait,
    V: IntoIterator<Item = Value>,
{
    reached("before", sql);
    let done = on.execute_raw(statement(on, sql, values)).await?;
    reached("after", sql);
    Ok(done.rows_affected())
}

/// Returns the first row, if there is one.
pub(crate) async fn one<C, V>(on: &C, sql: &str, values: V) -> Result<Option<QueryResult>, DbErr>
where
    C: ConnectionTrait,
    V: IntoIterator<Item = Value>,
{
    reached("before", sql);
    let row = on.query_one_raw(statement(on, sql, values)).await?;
    reached("after", sql);
    Ok(row)
}

/// Returns every row.
pub(crate) async fn all<C, V>(on: &C, sql: &str, values: V) -> Result<Vec<QueryResult>, DbErr>
where
    C: ConnectionTrait,
    V: IntoIterator<Item = Value>,
{
    reached("before", sql);
    let rows = on.query_all_raw(statement(on, sql, values)).await?;
    reached("after", sql);
    Ok(rows)
}
