//! `gate select`: the tests that a change can affect.

mod cargo;
mod depends;
mod executed;
mod project;
mod pytest;
mod replayed;

use std::io::{self, Read as _, Write};
use std::path::Path;

use flex_core::words::count;
use flex_gate::FormatError;
use flex_gate::changes::Changes;
use flex_gate::graph::{Graph, Package};
use flex_gate::select::{ExecutionMap, SelectionReason, TestTarget, select, with_removed};
use flex_gate::selection::{SelectedTest, Selection, VERSION};

use super::args::{SelectArgs, SelectingArgs};
use super::diff::Range;
use crate::exit::{Exit, Failure};
use crate::git::{DiffedFile, Repository};
use crate::terminal;

/// Prints which tests are selected.
pub fn run(args: &SelectArgs) -> Result<Exit, Failure> {
    let repository = Repository::of(Path::new("."))?;
    let selection = match &args.from {
        None if args.changed.is_empty() => of_change(&repository, &args.selecting)?,
        from => {
            let text = match from {
                Some(from) => read(from)?,
                None => args.changed.join("\n"),
            };
            let changes = match text.trim_start().starts_with('{') {
                true => Changes::parse(&text).map_err(|why| wrong(&why, "gate diff --json"))?,
                false => Changes::of_lines(text.lines()),
            };
            of_changes(&repository, &args.selecting, &changes, &[])?
        }
    };
    let mut output = io::stdout().lock();
    match args.json {
        true => {
            serde_json::to_writer(&mut output, &selection)?;
            writeln!(output)?;
        }
        false => write!(terminal::stdout(), "{}", selection.to_text())?,
    }
    Ok(Exit::Fine)
}

/// A text of another stage that cannot be used, with the command that writes such texts.
pub fn wrong(why: &FormatError, writes: &str) -> Failure {
    let hint = match why {
        FormatError::Unreadable(_) => format!("`{writes}` writes it"),
        FormatError::Version { .. } => {
            format!("another flex wrote it; let `{writes}` of this one write it anew")
        }
    };
    Failure::input(why, hint)
}

/// The tests that the change of the working tree, or of what the options name, can affect.
pub fn of_change(repository: &Repository, args: &SelectingArgs) -> Result<Selection, Failure> {
    let range = Range::of(repository, &args.range)?;
    let here = repository.head()?;
    if let Some(head) = range.head.as_ref().filter(|head| **head != here) {
        return Err(Failure::input(
            format!(
                "{head} is not checked out ({here} is): tests are selected and run as they are here"
            ),
            "check it out first; `gate diff` compares any two commits",
        ));
    }
    let diffed = range.diff(repository)?;
    let changes = range.changes(&diffed);
    of_changes(repository, args, &changes, &diffed)
}

fn of_changes(
    repository: &Repository,
    args: &SelectingArgs,
    changes: &Changes,
    diffed: &[DiffedFile],
) -> Result<Selection, Failure> {
    let depends = depends::Depends::read(repository, args.dependencies.as_deref())?;
    let files = with_removed(project::files(repository)?, changes);
    let selecting = |packages: &[Package], tests: &[TestTarget], map: Option<&ExecutionMap>| {
        let graph = Graph::new(&files, packages);
        let on = |file: &str, on: &str| depends.has(file, on);
        select(&graph, changes, tests, map, &on)
    };
    let mut selection = match &args.pytest {
        Some(path) => {
            let collected = pytest::collected(repository, path)?;
            let tests = &collected.tests;
            let map = executed::map(repository, path, args.trace.as_deref(), diffed)?;
            let mut reasons = selecting(&[], tests, map.as_ref());
            let mut replayed = Vec::new();
            if !args.no_replay {
                for index in replayed::unaffected(repository, &collected, &reasons)? {
                    replayed.push(tests[index].id.clone());
                    reasons[index] = None;
                }
            }
            if args.last_failed {
                pytest::add_failed(path, tests, &mut reasons);
            }
            Selection {
                version: VERSION,
                base: changes.base.clone(),
                tests: selected(tests, reasons),
                replayed,
                of: tests.len(),
            }
        }
        None => cargo::select(repository, args, changes, &selecting)?,
    };
    if args.only_new {
        selection
            .tests
            .retain(|test| matches!(test.reason, SelectionReason::New | SelectionReason::Changed));
    }
    let tests = count(selection.of, "test", "tests");
    let mut words = format!("{} of {tests} selected", selection.tests.len());
    if !selection.replayed.is_empty() {
        let replayed = count(
            selection.replayed.len(),
            "stochastic test",
            "stochastic tests",
        );
        words += &format!(
            "; {replayed} not affected: calibration runs, replayed, show what they showed"
        );
    }
    writeln!(terminal::notes(), "{words}")?;
    Ok(selection)
}

fn selected(tests: &[TestTarget], reasons: Vec<Option<SelectionReason>>) -> Vec<SelectedTest> {
    let selected = tests.iter().zip(reasons).filter_map(|(test, reason)| {
        Some(SelectedTest {
            id: test.id.clone(),
            reason: reason?,
        })
    });
    selected.collect()
}

/// The text of a file, or of standard input.
pub fn read(from: &Path) -> Result<String, Failure> {
    let mut text = String::new();
    let read = match from == Path::new("-") {
        true => io::stdin().read_to_string(&mut text).map(|_| text),
        false => std::fs::read_to_string(from),
    };
    read.map_err(|error| {
        let from = from.display();
        Failure::input(
            format!("cannot read {from}: {error}"),
            "check the name of the file",
        )
    })
}
