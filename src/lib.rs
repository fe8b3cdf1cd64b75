//! Blazon's HTTP edge and command line. Knows the actors through their gates;
//! knows no SQL, no Chromium and no Redis.

pub mod assembly;
pub mod auth;
pub mod body;
pub mod cli;
pub mod cors;
pub mod domain;
pub mod envelope;
pub mod error;
pub mod params;
pub mod request_id;
pub mod routes;
pub mod settings;
pub mod startup;
pub mod state;
pub mod telemetry;
