//! `flex-harness reference`: the parts of the documentation that say what the code says, written by it.
//!
//! A page holds such a part between `<!-- generated: NAME -->` and `<!-- end of NAME -->`; what stands around it is written by
//! hand. `cargo xtask reference` writes all pages anew, and a test checks that none is out of date.

mod commands;
mod tables;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Args, Command};

use crate::exit::{Exit, Failure};
use crate::terminal;

/// Writes what the code says into pages of the documentation, for those who work on flex.
///
/// Example: flex-harness reference docs/reference/commands.md
#[derive(Debug, Args)]
pub struct ReferenceArgs {
    /// The pages
    #[arg(required = true)]
    pages: Vec<PathBuf>,

    /// Write nothing; exit with 1 if a page is out of date
    #[arg(long)]
    check: bool,
}

/// Runs the command.
pub fn run(args: &ReferenceArgs, program: Command) -> Result<Exit, Failure> {
    let mut exit = Exit::Fine;
    for page in &args.pages {
        let old = read(page)?;
        let new = written_anew(&old, &program)
            .map_err(|error| Failure::input(error, format!("mend {}", page.display())))?;
        if new == old {
            continue;
        }
        let page_words = page.display();
        if args.check {
            writeln!(terminal::stderr(), "{page_words} is out of date")?;
            writeln!(
                terminal::stderr(),
                "hint: `cargo xtask reference` writes it"
            )?;
            exit = Exit::Findings;
        } else {
            fs::write(page, new)?;
            writeln!(terminal::notes(), "wrote {page_words}")?;
        }
    }
    Ok(exit)
}

fn read(page: &Path) -> Result<String, Failure> {
    fs::read_to_string(page).map_err(|error| {
        Failure::input(
            format!("cannot read {}: {error}", page.display()),
            "name a page of the documentation",
        )
    })
}

/// A page with all its generated parts as the code has them now.
fn written_anew(page: &str, program: &Command) -> Result<String, String> {
    const BEGIN: &str = "<!-- generated: ";
    let (mut rest, mut new) = (page, String::new());
    while let Some(at) = rest.find(BEGIN) {
        let begin = &rest[at + BEGIN.len()..];
        let name = begin.split(" -->").next().unwrap_or_default();
        let end = format!("<!-- end of {name} -->");
        let length = rest[at..]
            .find(&end)
            .ok_or_else(|| format!("`{BEGIN}{name} -->` has no end"))?;
        let part = part(name, program)
            .ok_or_else(|| format!("there is no generated part called `{name}`"))?;
        new += &rest[..at];
        new += &format!("{BEGIN}{name} -->\n\n{}\n\n{end}", part.trim());
        rest = &rest[at + length + end.len()..];
    }
    Ok(new + rest)
}

/// A generated part, in Markdown.
fn part(name: &str, program: &Command) -> Option<String> {
    match name {
        "commands" => Some(commands::all(program.clone())),
        _ => tables::named(name),
    }
}

/// A table with a row for each pair.
fn table(heads: [&str; 2], rows: impl IntoIterator<Item = [String; 2]>) -> String {
    let mut table = format!("| {} | {} |\n|---|---|\n", heads[0], heads[1]);
    for [left, right] in rows {
        table += &format!("| {} | {} |\n", cell(&left), cell(&right));
    }
    table
}

/// Text that stays in its cell.
fn cell(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<&str>>().join(" ");
    text.replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_around_a_part_stays() {
        let program = Command::new("flex-harness");
        let page =
            "# Codes\n<!-- generated: exit-codes -->\nold\n<!-- end of exit-codes -->\nMore.\n";
        let new = written_anew(page, &program).unwrap();
        assert!(new.starts_with("# Codes\n<!-- generated: exit-codes -->\n\n| code |"));
        assert!(new.ends_with("<!-- end of exit-codes -->\nMore.\n") && !new.contains("old"));
        assert_eq!(written_anew(&new, &program).unwrap(), new);
        for (wrong, expected) in [
            ("<!-- generated: exit-codes -->", "has no end"),
            (
                "<!-- generated: nothing -->\n<!-- end of nothing -->",
                "no generated part called `nothing`",
            ),
        ] {
            let error = written_anew(wrong, &program).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn a_cell_is_one_line() {
        assert_eq!(cell("a | b\n  c"), "a \\| b c");
    }
}
