//! `flex-harness compare`: old and new code under the same seeds.

mod args;

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use flex_detect::compare::{self as report, Compared, Revision, VERSION, Verdict};
use flex_run::model::Runner;

use crate::cargo::{FoundTest, Program, build, find};
use crate::compare::pytest::{Asked, Versions};
use crate::compare::{self, Outcome, Plan};
use crate::exit::{Exit, Failure};
use crate::git::Repository;
use crate::pytest::environment::Environment;
use crate::session::{Interrupt, base_seed, jobs, most_urgent};
use crate::terminal;
pub use args::CompareArgs;

/// The worktree of the old version.
const SLOT: &str = "old";

/// Runs the command.
pub fn run(args: &CompareArgs) -> Result<Exit, Failure> {
    args.check()?;
    let interrupt = Interrupt::listen();
    let base = base_seed(args.seed.as_ref());
    let plan = Plan {
        rule: args.rule(),
        alpha: args.alpha,
        base: &base,
        time: args.time,
        time_budget: args.time_budget,
        timeout: args.timeout,
        jobs: jobs(args.jobs),
        interrupt: &interrupt,
    };
    let start = match (&args.tests.pytest, args.cargo.manifest_path()) {
        (Some(tests), _) => folder_of(tests),
        (None, Some(manifest)) => folder_of(manifest),
        (None, None) => PathBuf::from("."),
    };
    let repository = Repository::of(&start)?;
    let (runner, flex, outcome) = match &args.tests.pytest {
        Some(path) => of_pytest(args, &plan, &repository, path)?,
        None => of_cargo(args, &plan, &repository)?,
    };
    let compared = Compared {
        version: VERSION,
        runner,
        old: Revision {
            name: Some(args.base.clone()),
            commit: repository.commit(&args.base)?.id().to_owned(),
        },
        new: Revision {
            name: None,
            commit: repository.head()?.id().to_owned(),
        },
        base: base.clone(),
        alpha: args.alpha,
        margin: args.margin,
        tests: outcome.tests,
        gone: outcome.gone,
        added: outcome.added,
    };
    let file = compare::keep(&compared, &flex)?;
    let text = match args.json {
        true => report::json(&compared),
        false => report::text(&compared, args.verbose),
    };
    io::stdout().write_all(text.as_bytes())?;
    if let Some(summary) = &args.summary {
        write_summary(summary, &report::markdown(&compared))?;
    }
    writeln!(terminal::stderr(), "seed {base}; wrote {}", file.display())?;
    if interrupt.has_come() {
        return Ok(Exit::Interrupted);
    }
    Ok(most_urgent(
        outcome.exits.into_iter().chain(exit_of(&compared)),
    ))
}

/// What the verdicts say about the exit code: something worse is a finding, and a margin that was asked for and not shown
/// is an answer that is missing.
fn exit_of(compared: &Compared) -> Option<Exit> {
    let is_open = compared.margin.is_some() && compared.has(Verdict::Undecided);
    match compared.has(Verdict::Worse) {
        true => Some(Exit::Findings),
        false => is_open.then_some(Exit::Refused),
    }
}

fn of_cargo(
    args: &CompareArgs,
    plan: &Plan<'_>,
    repository: &Repository,
) -> Result<(Runner, PathBuf, Outcome), Failure> {
    let flex = compare::folder_of_cargo(&args.cargo)?;
    let worktree = compare::check_out(repository, &flex, SLOT, &args.base)?;
    let new = build(&args.cargo)?;
    let tests = args.filter().select(tests_of(&new)?, new.len())?;
    let old = compare::base_of_cargo(&args.cargo, repository, &flex, &worktree)?;
    // Those that the old version alone has are named too, and words that it does not know are not mistyped.
    let filter = args.filter();
    let mut old_tests = tests_of(&old.programs)?;
    old_tests.retain(|test| filter.names(&test.name) && (filter.include_ignored || !test.ignored));
    let outcome = compare::cargo::compare(plan, old_tests, tests);
    Ok((Runner::Cargo, flex, outcome))
}

fn tests_of(programs: &[Program]) -> Result<Vec<FoundTest<'_>>, Failure> {
    let mut tests = Vec::new();
    for program in programs {
        tests.extend(find(program)?);
    }
    Ok(tests)
}

fn of_pytest(
    args: &CompareArgs,
    plan: &Plan<'_>,
    repository: &Repository,
    path: &Path,
) -> Result<(Runner, PathBuf, Outcome), Failure> {
    let flex = compare::folder_of_pytest(path, repository);
    let worktree = compare::check_out(repository, &flex, SLOT, &args.base)?;
    let versions = Versions {
        old: compare::base_of_pytest(repository, &flex, &worktree)?,
        new: Environment::default(),
        asked: Asked {
            path,
            keyword: args.tests.keyword.as_deref(),
            words: &args.tests.filters,
            repository,
            flex: flex.clone(),
        },
    };
    let outcome = compare::pytest::compare(plan, &versions)?;
    Ok((Runner::Pytest, flex, outcome))
}

/// The folder of a file, or of the file of a node id.
fn folder_of(path: &Path) -> PathBuf {
    let text = path.to_string_lossy();
    let file = Path::new(text.split("::").next().unwrap_or_default());
    let folder = match file.is_dir() {
        true => Some(file),
        false => file.parent(),
    };
    match folder {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// Adds to the end of the file, as the summaries of CI services want it.
fn write_summary(file: &Path, text: &str) -> Result<(), Failure> {
    let open = OpenOptions::new().create(true).append(true).open(file);
    let written = open.and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| {
        Failure::input(
            format!("cannot write {}: {error}", file.display()),
            "name another file with --summary",
        )
    })
}
