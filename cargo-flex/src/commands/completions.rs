//! `flex-harness completions`: completions for shells, from the same source as `--help`.

use std::io::{self, Write};

use clap::{Args, Command};
use clap_complete::Shell;

use crate::exit::{Exit, Failure};

/// Prints completions for a shell.
///
/// Example: flex-harness completions bash > ~/.local/share/bash-completion/completions/flex-harness
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

/// Runs the command.
pub fn run(args: &CompletionsArgs, mut program: Command) -> Result<Exit, Failure> {
    let name = program.get_name().to_owned();
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut program, name, &mut script);
    io::stdout().write_all(&script)?;
    Ok(Exit::Fine)
}
