//! `flex-harness bound`: a bound from numbers, no test needed.

mod answer;
mod args;
mod explain;
mod input;
mod inquiry;
mod published;
mod stream;

use std::fmt;
use std::io::{self, Write};

use flex_core::bound::strategy::Strategy;
use flex_core::sample::Samples;
use flex_core::words::block;
use serde::Serialize;

use crate::called;
use crate::exit::{Exit, Failure};
use crate::method::Method;
use crate::terminal;
use answer::BoundAnswer;
pub use args::BoundArgs;
use explain::Explanation;
use input::{open, read_numbers};
use inquiry::InquiryError;
use published::{Fit, NoFit, PublishedSettings};
pub use stream::answer_lines;

/// Runs the command.
pub fn run(args: &BoundArgs) -> Result<Exit, Failure> {
    let (name, input) = open(args.file.as_deref())?;
    let mut output = io::BufWriter::new(io::stdout().lock());
    if args.jsonl {
        answer_lines(&name, input, &mut output)?;
        output.flush()?;
        return Ok(Exit::Fine);
    }
    let inquiry = args.inquiry().map_err(usage)?;
    let bootstrap = args.bootstrap.map(|replicates| replicates as usize);
    let values = read_numbers(&name, input)?;
    let samples = Samples::from_values(&values);
    let refused = if let Some(exceedances) = args.exceedances {
        let [side] = args.tail.sides() else {
            return Err(usage(InquiryError::TwoSidedFit));
        };
        match Fit::at(&samples, *side, exceedances, bootstrap) {
            Ok(fit) => {
                print(&mut output, args.json, &fit, &fit)?;
                false
            }
            Err(NoFit { reason }) => {
                let words = block(&format!("refused: {reason}"));
                print(&mut output, args.json, &NoFit { reason }, &words)?;
                true
            }
        }
    } else if args.method == Method::Flex {
        let settings = PublishedSettings::of(args);
        let samples = match args.grow {
            true => settings.grown(&inquiry, &values),
            false => Ok(samples),
        };
        let bounds = samples.and_then(|samples| settings.bounds(&inquiry, &samples));
        let bounds = bounds.map_err(|error| {
            Failure::input(error, "a lower confidence leaves more for each side")
        })?;
        print(&mut output, args.json, &bounds.answer(), &bounds)?;
        bounds.is_refused()
    } else {
        let learned = inquiry.answer(samples);
        let answer = BoundAnswer::new(&learned);
        print(&mut output, args.json, &answer, &Explanation(&learned))?;
        learned.bound.strategy() == Strategy::Refuse
    };
    output.flush()?;
    Ok(if refused { Exit::Refused } else { Exit::Fine })
}

/// Prints the answer as JSON or in words.
fn print(
    output: &mut impl Write,
    as_json: bool,
    json: &impl Serialize,
    words: &impl fmt::Display,
) -> Result<(), Failure> {
    if as_json {
        serde_json::to_writer(&mut *output, json)?;
        writeln!(output)?;
    } else {
        write!(terminal::stdout(), "{words}")?;
    }
    Ok(())
}

fn usage(error: InquiryError) -> Failure {
    Failure::input(error, format!("see `{} bound --help`", called::name()))
}
