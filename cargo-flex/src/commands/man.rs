//! `flex-harness man`: manual pages, from the same source as `--help`.

use std::io::{self, Write};

use clap::{Args, Command};

use crate::exit::{Exit, Failure};

/// Prints the manual page of flex-harness, or of one of its commands.
///
/// Example: flex-harness man calibrate | man -l -
#[derive(Debug, Args)]
pub struct ManArgs {
    /// The command
    command: Option<String>,
}

/// Runs the command.
pub fn run(args: &ManArgs, program: Command) -> Result<Exit, Failure> {
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
