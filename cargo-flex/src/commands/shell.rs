//! `flex-harness completions` and `flex-harness man`: what shells and manuals need to know, from the same source as
//! `--help`.

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

/// Prints the manual page of flex-harness, or of one of its commands.
///
/// Example: flex-harness man calibrate | man -l -
#[derive(Debug, Args)]
pub struct ManArgs {
    /// The command
    command: Option<String>,
}

/// Runs `completions`.
pub fn completions(args: &CompletionsArgs, mut program: Command) -> Result<Exit, Failure> {
    let name = program.get_name().to_owned();
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut program, name, &mut script);
    io::stdout().write_all(&script)?;
    Ok(Exit::Fine)
}

/// Runs `man`.
pub fn man(args: &ManArgs, program: Command) -> Result<Exit, Failure> {
    let page = match &args.command {
        None => program,
        Some(name) => {
            let full = format!("{}-{name}", program.get_name());
            let commands = program.get_subcommands();
            let known: Vec<String> = commands.map(|c| c.get_name().to_owned()).collect();
            let found = program.find_subcommand(name).cloned();
            found
                .ok_or_else(|| {
                    Failure::input(
                        format!("there is no command `{name}`"),
                        format!("the commands are {}", known.join(", ")),
                    )
                })?
                .display_name(full)
        }
    };
    let mut text = Vec::new();
    clap_mangen::Man::new(page).render(&mut text)?;
    io::stdout().write_all(&text)?;
    Ok(Exit::Fine)
}
