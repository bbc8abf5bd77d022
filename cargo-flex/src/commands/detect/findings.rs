//! What was found, on standard output.

use std::io::{self, Write};

use flex_detect::record::Record;
use flex_detect::report;
use flex_detect::verdict::judge;

use super::args::DetectArgs;
use crate::exit::{Exit, Failure};
use crate::terminal;

/// Judges a record and prints what was found.
pub fn say(record: &Record, args: &DetectArgs) -> Result<Exit, Failure> {
    let findings = judge(record, &args.judge_rule());
    let text = match args.json {
        true => report::json(&findings),
        false => {
            let verbose = terminal::manner().verbose > 0;
            report::text(&findings, verbose, terminal::paint())
        }
    };
    match args.json {
        true => io::stdout().write_all(text.as_bytes())?,
        false => terminal::stdout().write_all(text.as_bytes())?,
    }
    Ok(match findings.has_findings() {
        true => Exit::Findings,
        false => Exit::Fine,
    })
}
