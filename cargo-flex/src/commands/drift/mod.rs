//! `cargo flex drift`: which values have moved over many test runs, and since when.

mod args;

use std::io::{self, Write};

use flex_report::history::{DriftReport, DriftSettings, Since};
use flex_run::project::env;

use crate::exit::{Exit, Failure};
use crate::history;
use crate::terminal;
pub use args::DriftArgs;
use flex_core::visible::visible_lines;

/// Runs the command.
pub fn run(args: &DriftArgs) -> Result<Exit, Failure> {
    let paths = history::stated(&args.history)?;
    let history = history::read(&paths)?;
    for note in &history.notes {
        writeln!(terminal::stderr(), "warning: {note}")?;
    }
    if history.is_empty() {
        return Err(Failure::input(
            "there are no runs in this history",
            format!("run tests with {}, where drift can find it", env::HISTORY),
        ));
    }
    let settings = DriftSettings {
        runs: args.runs,
        since: args.since.clone().unwrap_or(Since::Ever),
        filters: args.filters.clone(),
    };
    let report = DriftReport::of(&history, settings);
    let mut output = io::stdout().lock();
    match args.json {
        true => writeln!(output, "{}", report.json())?,
        false => write!(output, "{}", visible_lines(&report.to_string()))?,
    }
    match report.moved() {
        0 => Ok(Exit::Fine),
        _ => {
            writeln!(
                terminal::stderr(),
                "hint: fresh runs tell what is the matter now: `calibrate --check`; bounds are learned anew by `calibrate --full`"
            )?;
            Ok(Exit::Findings)
        }
    }
}
