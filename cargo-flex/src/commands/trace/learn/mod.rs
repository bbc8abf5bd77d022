//! `flex-harness trace learn`: which functions flaky tests call and others do not.

mod json;
mod outcomes;
mod words;

use std::io::{self, Write};
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use flex_core::search::select::BitSet;
use flex_detect::trace::learn::{
    Corpus, Exposure, Functions, LearnRule, LearnedFunctions, LearningProject, characteristics,
    learn, split,
};

use crate::called;
use crate::exit::{Exit, Failure};
use crate::number_args::positive;
use crate::terminal;
use crate::trace::TracedProject;

/// Learns from traces and outcomes which functions flaky tests call and others do not.
///
/// Starts with no function, adds the one that raises F-beta most, and stops without gain. What the functions expose is
/// counted in tests that they were not learned from, by cross-validation, beside the published list of functions and the
/// probes. The traces must have the functions that tests call: `flex-harness trace --full`.
///
/// Example: flex-harness trace learn trace.json --outcomes flaky.csv --per-cause
#[derive(Debug, Args)]
pub struct LearnArgs {
    /// Traces with the functions that tests call, a project each
    #[arg(value_name = "TRACE", required = true)]
    traces: Vec<PathBuf>,

    /// Which tests are flaky: a record of `detect`, or a CSV table with the columns test, flaky and, if wanted, cause and
    /// project; one for all traces, or one for each [default: detect.json beside each trace]
    #[arg(long, value_name = "FILE", num_args = 1..)]
    outcomes: Vec<PathBuf>,

    /// The functions that may be chosen
    #[arg(long, value_name = "WHICH", default_value = "all")]
    functions: Which,

    /// Choose functions for each cause by itself, and put them together
    #[arg(long)]
    per_cause: bool,

    /// How much more finding flaky tests counts than sparing others [default: the best of 1 to 25 and squares to 400]
    #[arg(long, value_name = "BETA", value_parser = positive)]
    beta: Option<f64>,

    /// Folds of the cross-validation
    #[arg(long, value_name = "K", default_value_t = 5, value_parser = clap::value_parser!(u32).range(2..=1000))]
    folds: u32,

    /// Everything that was learned, as JSON
    #[arg(long)]
    json: bool,
}

/// Functions that may be chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Which {
    /// All functions
    All,
    /// Functions that are written in C
    C,
}

/// What is shown: what was learned, and what others expose.
struct Lesson<'a> {
    corpus: &'a Corpus,
    rule: LearnRule,
    learned: LearnedFunctions,
    rows: Vec<Row>,
}

/// What a way of selecting tests exposes, of all tests and in each fold.
struct Row {
    name: String,
    all: Exposure,
    folds: Vec<Exposure>,
}

/// Runs the command.
pub fn run(args: &LearnArgs) -> Result<Exit, Failure> {
    let traced = TracedProject::read_all(&args.traces)?;
    for project in &traced {
        if !project.trace.is_full {
            return Err(Failure::input(
                format!(
                    "{}: the functions that tests call are not in it",
                    project.path.display()
                ),
                format!(
                    "trace them with `{} trace --full --pytest PATH`",
                    called::name()
                ),
            ));
        }
    }
    let labels = outcomes::read(&traced, &args.outcomes)?;
    let mut rules = Vec::new();
    for project in &traced {
        rules.extend(project.added()?);
    }
    let projects: Vec<LearningProject<'_>> = traced
        .iter()
        .zip(&labels)
        .map(|(project, labels)| LearningProject {
            name: &project.name,
            trace: &project.trace,
            labels,
        })
        .collect();
    let corpus = Corpus::new(&projects, &characteristics(&rules));
    if corpus.flaky().count() == 0 {
        return Err(nothing_to_learn(&corpus));
    }
    let rule = LearnRule {
        functions: match args.functions {
            Which::All => Functions::All,
            Which::C => Functions::C,
        },
        per_cause: args.per_cause,
        beta: args.beta,
        folds: args.folds as usize,
    };
    let lesson = Lesson::new(&corpus, rule);
    let mut output = io::stdout().lock();
    if args.json {
        serde_json::to_writer(&mut output, &json::of(&lesson))?;
        writeln!(output)?;
    } else {
        write!(terminal::stdout(), "{}", words::of(&lesson))?;
    }
    Ok(Exit::Fine)
}

fn nothing_to_learn(corpus: &Corpus) -> Failure {
    let (known, unknown) = (corpus.tests.len(), corpus.unlabelled);
    let (error, hint) = match known {
        0 => (
            format!("of {unknown} traced tests, the outcomes know none"),
            "are they of the same project, with the same names of tests?".to_owned(),
        ),
        _ => (
            format!("none of the {known} traced tests with known outcomes is flaky"),
            format!(
                "there is nothing to learn from; more runs may find some: `{} detect`",
                called::name()
            ),
        ),
    };
    Failure::input(error, hint)
}

impl<'a> Lesson<'a> {
    fn new(corpus: &'a Corpus, rule: LearnRule) -> Self {
        let learned = learn(corpus, &rule);
        let (flaky, everything) = (corpus.flaky(), corpus.tests_that(|_| true));
        let folds = split(corpus, rule.folds);
        let row = |name: &str, selected: &BitSet| Row {
            name: name.to_owned(),
            all: Exposure::new(selected, &flaky, &everything),
            folds: folds
                .iter()
                .map(|fold| Exposure::new(selected, &flaky, fold))
                .collect(),
        };
        let mut rows = vec![row("published list", &corpus.listed())];
        rows.extend(corpus.not_fixed().map(|selected| row("probes", &selected)));
        rows.push(Row {
            name: "learned".to_owned(),
            all: learned.exposed,
            folds: learned.folds.clone(),
        });
        Lesson {
            corpus,
            rule,
            learned,
            rows,
        }
    }
}
