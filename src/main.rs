//! The `cutpoint` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    cutpoint::cli::main()
}
