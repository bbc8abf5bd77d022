//! `cargo flex`: the same program as `flex-harness`.

use std::process::ExitCode;

fn main() -> ExitCode {
    // Cargo calls `cargo-flex flex ...`; a person may call `cargo-flex ...`.
    let mut args: Vec<_> = std::env::args_os().collect();
    if args.get(1).is_some_and(|arg| arg == "flex") {
        args.remove(1);
    }
    cargo_flex::main_of_cargo(args)
}
