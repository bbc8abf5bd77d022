//! The command line of flex: `flex-harness` and `cargo flex` are this program.
//!
//! It reads arguments and files and words the answers. It holds no statistics and no file format.

#![forbid(unsafe_code)]

mod called;
mod cargo;
mod commands;
mod compare;
mod engine;
mod exit;
mod git;
mod history;
mod method;
mod number_args;
mod observe;
mod probes;
mod pytest;
mod record;
mod search;
mod session;
mod shards;
mod summary;
mod terminal;
mod trace;
#[cfg(test)]
mod typed;

use std::ffi::OsString;
use std::io::{BufRead, Write};
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use commands::{
    bisect, bound, budget, calibrate, compare as compare_command, completions, detect, drift,
    engine as engine_command, fix, gate, ingest, man, plan, reference, report, review,
    trace as trace_command,
};
use exit::{Exit, Failure};
use flex_core::visible::visible;

/// Bounds for tests of randomised code, learned and enforced with a stated false-alarm rate.
///
/// Example: cargo flex calibrate
#[derive(Debug, Parser)]
#[command(
    name = "flex-harness",
    version,
    arg_required_else_help = true,
    max_term_width = 80
)]
#[command(after_help = exit::TABLE)]
struct Cli {
    #[command(subcommand)]
    command: Command,

    /// Say nothing but the answer and what went wrong; cargo says nothing of what it builds
    #[arg(long, short, global = true, conflicts_with = "verbose")]
    quiet: bool,

    /// Say more: also of what there is nothing to tell, with progress in lines that stay
    #[arg(long, short, global = true, action = clap::ArgAction::Count)]
    verbose: u8,
}

#[derive(Debug, Subcommand)]
enum Command {
    Calibrate(Box<calibrate::CalibrateArgs>),
    Detect(Box<detect::DetectArgs>),
    Fix(Box<fix::FixArgs>),
    Gate(Box<gate::GateArgs>),
    Check(Box<gate::CheckTestsArgs>),
    Trace(Box<trace_command::TraceArgs>),
    Compare(Box<compare_command::CompareArgs>),
    Bisect(Box<bisect::BisectArgs>),
    Drift(drift::DriftArgs),
    Ingest(ingest::IngestArgs),
    Report(report::ReportArgs),
    Review(review::ReviewArgs),
    Budget(budget::BudgetArgs),
    Bound(bound::BoundArgs),
    Plan(plan::PlanArgs),
    Engine(engine_command::EngineArgs),
    Completions(completions::CompletionsArgs),
    Man(man::ManArgs),
    #[command(hide = true)]
    Reference(reference::ReferenceArgs),
}

/// Runs the program as `cargo flex`, with these arguments, the first of which is its name.
pub fn main_of_cargo(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    called::by("cargo flex");
    main(args)
}

/// Runs the program with these arguments, the first of which is its name.
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let args: Vec<OsString> = args.into_iter().collect();
    let ended = std::panic::catch_unwind(|| run(&args)).unwrap_or(Err(Failure::Bug));
    let exit = ended.unwrap_or_else(|failure| {
        // If even standard error is gone, the exit code is all that is left to say.
        let _ = write!(terminal::stderr(), "{failure}");
        failure.exit()
    });
    ExitCode::from(exit as u8)
}

/// Answers questions about bounds, a line of JSON each, as `bound --jsonl` does.
pub fn answer_lines(questions: impl BufRead, answers: &mut impl Write) -> Result<(), String> {
    bound::answer_lines("the input", questions, answers).map_err(|failure| failure.to_string())
}

fn run(args: &[OsString]) -> Result<Exit, Failure> {
    // Cargo calls both of these while it builds tests.
    if let Some(compiled) = observe::act_as_compiler(args) {
        return match compiled.map_err(Failure::Runner)?.success() {
            true => Ok(Exit::Fine),
            false => Ok(Exit::Findings),
        };
    }
    if let Some(called) = cargo::act_as_runner(args) {
        return called.map(|()| Exit::Fine).map_err(Failure::Runner);
    }
    if let Some(error) = session::become_tied(args) {
        return Err(Failure::Tied(error));
    }
    match parsed(args) {
        Ok(cli) => {
            terminal::begin(cli.quiet, cli.verbose);
            match cli.command {
                Command::Calibrate(args) => calibrate::run(&args),
                Command::Detect(args) => detect::run(&args),
                Command::Fix(args) => fix::run(&args),
                Command::Gate(args) => gate::run(&args),
                Command::Check(args) => gate::run_named(&args),
                Command::Trace(args) => trace_command::run(&args),
                Command::Compare(args) => compare_command::run(&args),
                Command::Bisect(args) => bisect::run(&args),
                Command::Drift(args) => drift::run(&args),
                Command::Ingest(args) => ingest::run(&args),
                Command::Report(args) => report::run(&args),
                Command::Review(args) => review::run(&args),
                Command::Budget(args) => budget::run(&args),
                Command::Bound(args) => bound::run(&args),
                Command::Plan(args) => plan::run(&args),
                Command::Engine(args) => engine_command::run(&args),
                Command::Completions(args) => completions::run(&args, Cli::command()),
                Command::Man(args) => man::run(&args, Cli::command()),
                Command::Reference(args) => reference::run(&args, Cli::command()),
            }
        }
        Err(mut message) => {
            // Values come from the environment, too, and may hold anything.
            if let Some(ContextValue::String(value)) = message.get(ContextKind::InvalidValue) {
                let value = ContextValue::String(visible(value).into_owned());
                message.insert(ContextKind::InvalidValue, value);
            }
            // Help and version go to standard output, wrong usage to standard error.
            message.print()?;
            Ok(if message.use_stderr() {
                Exit::Usage
            } else {
                Exit::Fine
            })
        }
    }
}

/// Reads the arguments. Help and version have the name by which the program was called.
fn parsed(args: &[OsString]) -> Result<Cli, clap::Error> {
    let name = called::name();
    let matches = Cli::command()
        .name(name)
        .bin_name(name)
        .try_get_matches_from(args)?;
    Cli::from_arg_matches(&matches)
}
