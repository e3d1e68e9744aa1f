//! The `pellucid` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    pellucid_cli::main()
}
