//! `flex-harness trace`: which tests can vary at all, and by what.

mod args;
mod cargo;
mod json;
mod learn;
mod pytest;
mod table;

use std::io::{self, Write};

use flex_core::words::count;
use flex_detect::trace::Trace;

use crate::exit::{Exit, Failure};
use crate::terminal;
use crate::trace::TraceFile;
pub use args::TraceArgs;
use args::TraceSubject;

/// Runs the command.
pub fn run(args: &TraceArgs) -> Result<Exit, Failure> {
    if let Some(TraceSubject::Learn(args)) = &args.subject {
        return learn::run(args);
    }
    let (trace, file, exit) = match &args.tests.pytest {
        Some(path) => {
            let (trace, file) = pytest::trace(path, args)?;
            (trace, file, Exit::Fine)
        }
        None => cargo::trace(args)?,
    };
    say(&trace, args)?;
    let traced = count(trace.tests.len(), "test", "tests");
    writeln!(
        terminal::notes(),
        "{traced} traced; wrote {}",
        file.path().display()
    )?;
    Ok(exit)
}

/// Prints what was seen.
fn say(trace: &Trace, args: &TraceArgs) -> Result<(), Failure> {
    let mut output = io::stdout().lock();
    if args.json {
        serde_json::to_writer(&mut output, &json::of(trace))?;
        writeln!(output)?;
    } else if args.csv {
        write!(output, "{}", trace.to_csv())?;
    } else {
        write!(terminal::stdout(), "{}", table::of(trace))?;
    }
    Ok(())
}

/// The file that is to be written, if it may be: checked before tests are run.
fn checked(file: TraceFile, runner: flex_run::model::Runner) -> Result<TraceFile, Failure> {
    file.check(runner)?;
    Ok(file)
}
