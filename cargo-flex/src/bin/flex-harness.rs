//! `flex-harness`: the same program as `cargo flex`.

use std::process::ExitCode;

fn main() -> ExitCode {
    cargo_flex::main(std::env::args_os())
}
