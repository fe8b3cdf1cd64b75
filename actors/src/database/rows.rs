//! Many rows in one statement, as a single JSON parameter: the statement's text
//! is the same for any number of rows, so that it is prepared once.

use sea_orm::{ConnectionTrait, DbBackend, DbErr, Value};
use serde::Serialize;

/// A column of the rows, by its name in the JSON objects.
#[derive(Clone, Copy)]
pub(crate) enum Column {
    Uuid(&'static str),
    Integer(&'static str),
    Text(&'static str),
}

/// Returns the table `v` of the rows that the statement's parameter `$1` holds,
/// for a `FROM`.
pub(crate) fn table<C: ConnectionTrait>(on: &C, columns: &[Column]) -> String {
    let list = |write: fn(Column) -> String| columns.iter().copied().map(write).collect::<Vec<_>>().join(", ");
    match on.get_database_backend() {
        DbBackend::Postgres => format!("json_to_recordset($1::json) AS v({})", list(postgres_column)),
        _ => format!("(SELECT {} FROM json_each($1)) AS v", list(sqlite_column)),
    }
}

fn postgres_column(column: Column) -> String {
    match column {
        Column::Uuid(name) => format!("{name} uuid"),
        Column::Integer(name) => format!("{name} bigint"),
        Column::Text(name) => format!("{name} text"),
    }
}

fn sqlite_column(column: Column) -> String {
    match column {
        Column::Uuid(name) => format!("unhex(value ->> '$.{name}') AS {name}"),
        Column::Integer(name) | Column::Text(name) => format!("value ->> '$.{name}' AS {name}"),
    }
}

/// Returns the parameter `$1`. UUIDs are to be 32 digits without hyphens.
pub(crate) fn parameter<T: Serialize>(rows: &[T]) -> Result<[Value; 1], DbErr> {
    let json = serde_json::to_string(rows).map_err(|error| DbErr::Json(error.to_string()))?;
    Ok([json.into()])
}
