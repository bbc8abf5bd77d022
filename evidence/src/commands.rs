//! The command line: a command for each page, one for all of them, and what makes tables of the engine.

use clap::builder::PossibleValue;
use clap::{Arg, ArgAction, ArgMatches, Command};
use flex_core::words::indented;

use crate::gof_table;
use crate::page::{self, Asked, Page, Size};
use crate::pages::PAGES;

/// What is said of a command stands below it.
const INDENT: &str = "      ";

/// The command line, as `cargo xtask` shows it.
pub fn command() -> Command {
    Command::new("cargo xtask")
        .about("Commands that measure what flex promises")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommands(PAGES.map(command_of))
        .subcommand(
            Command::new("evidence")
                .about("Makes all pages, one after the other")
                .arg(
                    flag("list")
                        .help("Print the commands, what they measure and how long they take"),
                ),
        )
        .subcommand(Command::new("gof-table").about(gof_table::ABOUT))
}

fn command_of(page: &dyn Page) -> Command {
    let about = format!("Measures {}", page.about());
    let long = format!(
        "{about}. Takes {}, writes docs/evidence/{}.md, and fails if a bar is missed.",
        page.takes(),
        page.file()
    );
    let mut command = Command::new(page.name()).about(about).long_about(long);
    if page.parts().len() > 1 {
        let parts = page.parts().iter();
        let parts = parts.map(|part| PossibleValue::new(part.name).help(part.about));
        command = command.arg(
            Arg::new("part")
                .long("part")
                .value_name("NAME")
                .help("One part only, printed and not written")
                .value_parser(parts.collect::<Vec<_>>()),
        );
    }
    if page.has_quick_form() {
        command =
            command.arg(flag("quick").help("A tenth of the simulations, printed and not written"));
    }
    command
}

fn flag(name: &'static str) -> Arg {
    Arg::new(name).long(name).action(ArgAction::SetTrue)
}

/// Does what was asked for.
pub fn run(matches: &ArgMatches) -> Result<(), String> {
    match matches.subcommand() {
        Some(("evidence", given)) if given.get_flag("list") => {
            print!("{}", list());
            Ok(())
        }
        Some(("evidence", _)) => everything(),
        Some(("gof-table", _)) => gof_table::write(),
        Some((name, given)) => match PAGES.iter().find(|page| page.name() == name) {
            Some(page) => page::run(*page, &asked(*page, given)),
            None => Err(format!("there is no page `{name}`")),
        },
        None => Err("no command is given".to_owned()),
    }
}

fn asked(page: &dyn Page, given: &ArgMatches) -> Asked {
    let is_quick = page.has_quick_form() && given.get_flag("quick");
    let part = (page.parts().len() > 1).then(|| given.get_one::<String>("part"));
    Asked {
        part: part.flatten().cloned(),
        size: if is_quick { Size::Quick } else { Size::Full },
    }
}

/// Makes all pages. One that fails does not keep the others from being made.
fn everything() -> Result<(), String> {
    let mut failed = Vec::new();
    for page in PAGES {
        eprintln!("cargo xtask {}: {}", page.name(), page.takes());
        if let Err(error) = page::run(page, &Asked::EVERYTHING) {
            eprintln!("error: {error}");
            failed.push(format!("{}: {error}", page.name()));
        }
    }
    match failed.is_empty() {
        true => Ok(()),
        false => Err(format!("not all is well\n{}", failed.join("\n"))),
    }
}

/// All commands: what they measure, how long they take, and what can be asked for.
fn list() -> String {
    let mut text = "Commands that measure something:\n\n".to_owned();
    for page in PAGES {
        text += &entry(page.name(), page.about(), page.takes());
        let names: Vec<&str> = page.parts().iter().map(|part| part.name).collect();
        let mut notes = format!("writes docs/evidence/{}.md", page.file());
        if names.len() > 1 {
            notes += &format!("; --part {}", names.join(", "));
        }
        if page.has_quick_form() {
            notes += "; --quick";
        }
        text += &indented(&notes, INDENT);
    }
    let minutes: u32 = PAGES.iter().map(|page| minutes(page.takes())).sum();
    text += &entry(
        "evidence",
        "all of the above",
        &format!("{minutes} minutes"),
    );
    text += &entry("gof-table", gof_table::ABOUT, gof_table::TAKES);
    text
}

/// The minutes of `10 minutes` and of `a minute`.
fn minutes(takes: &str) -> u32 {
    let number = takes.split(' ').next();
    number.and_then(|word| word.parse().ok()).unwrap_or(1)
}

fn entry(name: &str, about: &str, takes: &str) -> String {
    format!("  {name} ({takes})\n{}", indented(about, INDENT))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clap_accepts_the_commands() {
        command().debug_assert();
    }

    #[test]
    fn every_page_shows_every_part_once() {
        for page in PAGES {
            let mut shown: Vec<&str> = page
                .template()
                .split('{')
                .skip(1)
                .filter_map(|piece| Some(piece.split_once('}')?.0))
                .collect();
            let mut parts: Vec<&str> = page.parts().iter().map(|part| part.name).collect();
            parts.sort_unstable();
            shown.sort_unstable();
            assert_eq!(shown, parts, "{}", page.name());
        }
    }

    #[test]
    fn the_list_names_every_command_in_80_columns() {
        let list = list();
        assert!(
            list.lines().all(|line| line.chars().count() <= 80),
            "{list}"
        );
        for command in command().get_subcommands() {
            let name = format!("\n  {} (", command.get_name());
            assert!(list.contains(&name), "{name}: {list}");
        }
    }
}
