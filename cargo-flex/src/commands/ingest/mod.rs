//! `cargo flex ingest`: what other files know of test runs, added to a history; bounds for benchmarks.

mod args;
mod files;
mod shards;

use std::io::{self, Write};
use std::path::Path;

use flex_core::visible::visible;
use flex_core::words::count;
use flex_report::history::History as Lines;
use flex_report::ingest::{BoundsSettings, Checked, benchmarks, new_lines};
use flex_run::history::{HistoryPlace, LINES, text};
use flex_run::project::env;
use flex_run::store::Store;

use crate::exit::{Exit, Failure};
use crate::history;
use crate::terminal;
pub use args::IngestArgs;
use files::FoundLines;

/// Runs the command.
pub fn run(args: &IngestArgs) -> Result<Exit, Failure> {
    let found = FoundLines::of(args)?;
    for note in &found.notes {
        writeln!(terminal::stderr(), "warning: {note}")?;
    }
    let place = match &args.history {
        Some(path) => Some(HistoryPlace::at(path.clone())),
        None => env::history().map(HistoryPlace::at),
    };
    let known = match &place {
        Some(place) if place.path().exists() => texts(place.path())?,
        _ => Vec::new(),
    };
    let texts: Vec<&str> = known.iter().map(String::as_str).collect();
    let all = found.lines.len();
    let new = new_lines(&texts, found.lines.clone());
    if args.check {
        return check(args, &found);
    }
    let Some(place) = place else {
        return Err(Failure::input(
            "no history is named to add to",
            format!(
                "say where it is with --history PATH, or with {}",
                env::HISTORY
            ),
        ));
    };
    for line in &new {
        place.append(&format!("{line}\n")).map_err(|error| {
            Failure::input(
                format!("cannot write {}: {error}", place.path().display()),
                "name another place with --history",
            )
        })?;
    }
    writeln!(
        terminal::stderr(),
        "{} added to {}, {} there already",
        count(new.len(), "line", "lines"),
        place.path().display(),
        all - new.len()
    )?;
    if found.has_benchmarks {
        learn(args, &texts, &new)?;
    }
    Ok(Exit::Fine)
}

/// Learns bounds for benchmarks from all that is in the history now.
fn learn(args: &IngestArgs, known: &[&str], new: &[String]) -> Result<(), Failure> {
    let mut lines = Lines::default();
    for text in known {
        lines.add("the history", Ok(text));
    }
    lines.add("the new lines", Ok(&new.join("\n")));
    let benchmarks = benchmarks(&lines.ordered());
    let settings = settings(args)?;
    let store = Store::at(&args.bounds);
    store.check_writable().map_err(unusable)?;
    let said = store.update(|file| {
        let learn =
            |benchmark: &flex_report::history::MeasuredBenchmark| benchmark.learn(file, &settings);
        benchmarks.iter().map(learn).collect::<Vec<String>>()
    });
    let mut output = io::stdout().lock();
    for words in said.map_err(unusable)? {
        writeln!(output, "{}", visible(&words))?;
    }
    // A file without entries is none.
    store.remove_if_empty().map_err(unusable)
}

/// Holds what was found against the bounds.
fn check(args: &IngestArgs, found: &FoundLines) -> Result<Exit, Failure> {
    let mut lines = Lines::default();
    lines.add("what was found", Ok(&found.lines.join("\n")));
    let benchmarks = benchmarks(&lines.ordered());
    if benchmarks.is_empty() {
        return Err(Failure::input(
            "there are no benchmarks to check",
            "name them with --criterion or --pytest-benchmark FILE",
        ));
    }
    let file = Store::at(&args.bounds).read().map_err(unusable)?;
    let settings = settings(args)?;
    let (mut kept, mut unknown, mut beyond) = (0, 0, 0);
    let mut output = io::stdout().lock();
    for benchmark in &benchmarks {
        match benchmark.check(&file, &settings) {
            Checked::Kept => kept += 1,
            Checked::Unknown => unknown += 1,
            Checked::Beyond(words) => {
                beyond += 1;
                writeln!(output, "{}", visible(&words))?;
            }
        }
    }
    writeln!(
        terminal::stderr(),
        "{}, {beyond} did not, {unknown} have none in {}",
        count(
            kept,
            "benchmark kept its bound",
            "benchmarks kept their bounds"
        ),
        args.bounds.display()
    )?;
    Ok(match beyond {
        0 => Exit::Fine,
        _ => Exit::Findings,
    })
}

fn settings(args: &IngestArgs) -> Result<BoundsSettings, Failure> {
    Ok(BoundsSettings {
        confidence: args.confidence,
        variant: env::variant().map_err(unusable)?,
    })
}

/// The texts of all files of a history.
fn texts(path: &Path) -> Result<Vec<String>, Failure> {
    let files = history::files(&[path.to_owned()], &LINES)?;
    // What cannot be read has nothing that could be there twice.
    Ok(files.iter().filter_map(|file| text(file).ok()).collect())
}

fn unusable(error: impl ToString) -> Failure {
    Failure::input(error, "mend it first")
}
