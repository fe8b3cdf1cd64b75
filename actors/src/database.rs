//! Opens the database.
