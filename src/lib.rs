//! The HTTP edge and the command line of Blazon.

pub mod settings;
