//! `flex-harness bound`: a bound from numbers, no test needed.

mod answer;
mod explain;
mod numbers;
mod published;
mod stream;

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::PathBuf;

use clap::Args;
use flex_core::bound::ceiling::Promise;
use flex_core::bound::confidence::{Confidence, DEFAULT_EFFORT, Share};
use flex_core::bound::declared::DeclaredRate;
use flex_core::bound::strategy::Strategy;
use flex_core::bound::{LearnedBound, Question};
use flex_core::sample::Samples;
use flex_core::tail::{Domain, Tail};
use serde::Serialize;

use crate::exit::{Exit, Failure};
use flex_core::words::wrapped;
use published::{Fit, Method, NoFit, PublishedFinding};

/// Learns a bound from numbers and explains it.
///
/// Example: flex-harness bound --confidence 0.9999 --tail upper errors.txt
///
/// The input holds one number per run of unchanged code, separated by white space or commas; `#` starts a comment.
/// Runs are counted from 0 in the order of the input. `nan` and `inf` are values beyond every bound.
#[derive(Debug, Args)]
#[command(after_long_help = JSONL)]
pub struct BoundArgs {
    /// The file with the numbers; `-` or nothing for standard input
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,

    /// The probability that a run of unchanged code passes
    #[arg(long, value_name = "C", default_value_t = Confidence::DEFAULT, conflicts_with = "jsonl")]
    confidence: Confidence,

    /// Which values are suspicious: large (`upper`), small (`lower`), or `both`
    #[arg(long, value_name = "TAIL", default_value_t = Tail::Upper, conflicts_with = "jsonl")]
    tail: Tail,

    /// The range that the metric can take, like `0..1` or `0..`
    #[arg(
        long,
        value_name = "LO..HI",
        allow_hyphen_values = true,
        conflicts_with = "jsonl"
    )]
    domain: Option<Domain>,

    /// Promise that the tail falls off at least exponentially: a tighter ceiling, and a wrong one if it does not
    #[arg(long, conflicts_with = "jsonl")]
    light: bool,

    /// Keep the false-alarm rate on average over many bounds, instead of in 95% of calibrations
    #[arg(long, conflicts_with_all = ["jsonl", "light"])]
    predictive: bool,

    /// Expected extra runs per run that the guard may cost; 0 for a ceiling only
    #[arg(long, value_name = "RUNS", default_value_t = DEFAULT_EFFORT, value_parser = effort, allow_hyphen_values = true, conflicts_with = "jsonl")]
    effort: f64,

    /// How often would this bound fail?
    #[arg(long, value_name = "B", allow_hyphen_values = true, value_parser = finite, conflicts_with = "jsonl")]
    declared: Option<f64>,

    /// How to learn the bound
    #[arg(long, value_enum, default_value_t, conflicts_with = "jsonl")]
    method: Method,

    /// With --method flex: p-values from this many bootstrap replicates instead of the table
    #[arg(long, value_name = "N", conflicts_with = "jsonl", value_parser = clap::value_parser!(u32).range(99..=100_000))]
    bootstrap: Option<u32>,

    /// Fit the published method's tail at exactly this many exceedances, and print the fit
    #[arg(long, value_name = "K", conflicts_with_all = ["jsonl", "domain", "declared", "light", "predictive"])]
    exceedances: Option<usize>,

    /// Print one JSON object instead of words
    #[arg(long, conflicts_with = "jsonl")]
    json: bool,

    /// Answer a stream of questions, one JSON object a line
    #[arg(long)]
    jsonl: bool,
}

const JSONL: &str = "\
With --jsonl, a line of the input is an object like
  {\"id\": 1, \"samples\": [0.1, 0.2], \"confidence\": 0.9999, \"tail\": \"upper\"}
Optional keys: domain ([0, 1] or \"0..1\"), light, predictive, effort,
declared, method (\"default\" or \"flex\"). A sample may be NaN or Infinity, as
Python writes them, or null for NaN. Each line is answered by one line, in
order; a line that cannot be read by {\"id\": …, \"error\": …}. With tail
\"both\", ceiling, guard, fit and power are under \"lower\" and \"upper\". Each
answer carries its own verdict, so the exit code is 0.";

/// What is asked about one set of samples.
#[derive(Debug, Clone, Copy)]
struct Inquiry {
    question: Question,
    declared: Option<f64>,
}

/// The samples and what was learned from them.
struct Finding {
    inquiry: Inquiry,
    samples: Samples,
    bound: LearnedBound,
}

impl Inquiry {
    /// Puts the parts together, or says why they do not fit.
    fn new(question: Question, declared: Option<f64>) -> Result<Self, String> {
        if declared.is_some() && question.tail == Tail::Both {
            return Err(
                "a declared bound has one side; the tail must be `upper` or `lower`".into(),
            );
        }
        if question.light && question.promise == Promise::Expected {
            return Err("a bound is either `light` or `predictive`".into());
        }
        Ok(Inquiry { question, declared })
    }

    fn answer(self, samples: Samples) -> Finding {
        Finding {
            inquiry: self,
            bound: LearnedBound::learn(&samples, &self.question),
            samples,
        }
    }
}

impl Finding {
    /// The declared bound and how often it fails.
    fn declared(&self) -> Option<(f64, DeclaredRate)> {
        let declared = self.inquiry.declared?;
        let side = self.bound.sides.first()?.side;
        Some((declared, DeclaredRate::count(&self.samples, side, declared)))
    }
}

/// Runs the command.
pub fn run(args: &BoundArgs) -> Result<Exit, Failure> {
    let (name, input) = open(args)?;
    let mut output = io::BufWriter::new(io::stdout().lock());
    if args.jsonl {
        stream::answer_lines(&name, input, &mut output)?;
        output.flush()?;
        return Ok(Exit::Fine);
    }
    if let Some(error) = contradiction(args) {
        return Err(usage(error.to_owned()));
    }
    let inquiry = Inquiry::new(question(args), args.declared).map_err(usage)?;
    let bootstrap = args.bootstrap.map(|replicates| replicates as usize);
    let samples = Samples::from_values(&numbers::read(&name, input)?);
    let refused = if let Some(exceedances) = args.exceedances {
        let [side] = args.tail.sides() else {
            return Err(usage(
                "a fit at a number of exceedances has one side".to_owned(),
            ));
        };
        match Fit::at(&samples, *side, exceedances, bootstrap) {
            Ok(fit) => {
                print(&mut output, args.json, &fit, &fit)?;
                false
            }
            Err(NoFit { reason }) => {
                let words = wrapped(&format!("refused: {reason}"));
                print(&mut output, args.json, &NoFit { reason }, &words)?;
                true
            }
        }
    } else if args.method == Method::Flex {
        let finding = PublishedFinding::new(&inquiry, &samples, bootstrap).map_err(|error| {
            Failure::input(error, "a lower confidence leaves more for each side")
        })?;
        print(&mut output, args.json, &finding.answer(), &finding)?;
        finding.is_refused()
    } else {
        let finding = inquiry.answer(samples);
        let answer = answer::Answer::new(&finding);
        print(
            &mut output,
            args.json,
            &answer,
            &explain::Explanation(&finding),
        )?;
        finding.bound.strategy() == Strategy::Refuse
    };
    output.flush()?;
    Ok(if refused { Exit::Refused } else { Exit::Fine })
}

fn question(args: &BoundArgs) -> Question {
    Question {
        share: Share {
            confidence: args.confidence,
            effort: args.effort,
        },
        domain: args.domain,
        light: args.light,
        promise: if args.predictive {
            Promise::Expected
        } else {
            Promise::Assured
        },
        ..Question::new(args.tail, args.confidence)
    }
}

/// Options that do not go with the method.
fn contradiction(args: &BoundArgs) -> Option<&'static str> {
    let published = args.method == Method::Flex || args.exceedances.is_some();
    if args.bootstrap.is_some() && !published {
        Some("--bootstrap goes with --method flex")
    } else if args.light && published {
        Some("--light goes with the default method")
    } else if args.predictive && published {
        Some("--predictive goes with the default method")
    } else {
        None
    }
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
        write!(output, "{words}")?;
    }
    Ok(())
}

/// The input and its name for messages.
fn open(args: &BoundArgs) -> Result<(String, Box<dyn BufRead>), Failure> {
    match &args.file {
        Some(path) if path.as_os_str() != "-" => {
            let name = path.display().to_string();
            let file = File::open(path).map_err(|error| unreadable(&name, &error))?;
            Ok((name, Box::new(BufReader::new(file))))
        }
        _ => Ok(("standard input".to_owned(), Box::new(io::stdin().lock()))),
    }
}

/// Calls `take` with the number and the bytes of every line; `name` is what errors call the input.
fn each_line(
    name: &str,
    mut input: impl BufRead,
    mut take: impl FnMut(usize, &[u8]) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut bytes = Vec::new();
    for number in 1.. {
        bytes.clear();
        let read = input.read_until(b'\n', &mut bytes);
        if read.map_err(|error| unreadable(name, &error))? == 0 {
            break;
        }
        take(number, &bytes)?;
    }
    Ok(())
}

fn usage(error: String) -> Failure {
    Failure::input(error, "see `flex-harness bound --help`")
}

fn unreadable(name: &str, error: &io::Error) -> Failure {
    Failure::input(
        format!("cannot read {name}: {error}"),
        "name a file, or `-` for standard input",
    )
}

fn effort(text: &str) -> Result<f64, String> {
    match finite(text) {
        Ok(effort) if effort >= 0.0 => Ok(effort),
        Ok(_) => Err("the effort cannot be negative".to_owned()),
        Err(error) => Err(error),
    }
}

fn finite(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(number),
        _ => Err(format!("`{text}` is not a finite number")),
    }
}
