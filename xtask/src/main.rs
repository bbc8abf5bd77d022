//! The project's own commands, as `cargo xtask NAME`.
//!
//! `test`, `demo`, `reference`, `pictures`, `screenshots`, `frameworks`, `engines` and `fuzz` are here. Every other command measures
//! something and is started in the crate `evidence`, which
//! knows their names: nothing of it is built before a test can start.

#![forbid(unsafe_code)]

mod demo;
mod fuzz_command;
mod reference;
mod test;

use std::process::ExitCode;

use xtask::{browser, process};

const HELP: &str = "\
The project's own commands.

Usage: cargo xtask <COMMAND>

  test       Checks formatting and lints, and runs all tests; what CI runs. Minutes
  demo       Shows flex at work. A minute
  reference  Writes the parts of docs/reference that the code knows. A minute
  pictures   Draws the pictures of docs/guide anew. A minute
  screenshots
             Makes the pictures of the report in docs/images. Needs Chromium and Node.js. A minute
  frameworks Installs torch, JAX, TensorFlow, Keras and numba in an environment of their own, as far as they can be had,
             and runs the plugin's tests that are about them. Ten minutes, most of them downloads
  engines    Installs Slurm, Dask and Ray below the target folder, and runs the tests that make shards on real clusters of
             several nodes on this machine. Needs Debian's apt-get. Ten minutes, most of them downloads
  fuzz       Tries inputs that nobody thought of on all that reads any; `--seconds 60` for each target, `--target NAME`
             for one. Needs a compiler of C++. A quarter of an hour
  help       Prints this, and all commands that measure something
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    match words[..] {
        ["test"] => ended(test::run()),
        ["demo"] => ended(demo::run()),
        ["reference"] => ended(reference::run()),
        ["pictures"] => ended(reference::pictures()),
        ["screenshots"] => ended(browser::screenshots()),
        ["frameworks"] => ended(xtask::plugin::frameworks()),
        ["engines"] => ended(xtask::engines::test()),
        ["fuzz", ref args @ ..] => ended(fuzz_command::run(args)),
        [
            "test" | "demo" | "reference" | "pictures" | "screenshots" | "frameworks" | "engines",
            ..,
        ] => ended(Err(format!("`{}` takes no arguments", words[0]))),
        [] | ["help" | "--help" | "-h"] => {
            println!("{HELP}");
            evidence(&["evidence", "--list"])
        }
        _ => evidence(&words),
    }
}

/// Runs a command of the crate `evidence`, which says itself what went wrong.
fn evidence(args: &[&str]) -> ExitCode {
    let mut command = process::cargo(&["run", "--release", "--package=evidence", "--"]);
    match command.args(args).status() {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => ended(Err(format!("cannot run cargo: {error}"))),
    }
}

fn ended(result: Result<(), String>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
