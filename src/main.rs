//! The `blazon` binary.

use std::process::ExitCode;

fn main() -> ExitCode {
    blazon::cli::run()
}
