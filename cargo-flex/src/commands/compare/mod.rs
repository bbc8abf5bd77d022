//! `flex-harness compare`: old and new code under the same seeds.

mod args;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use flex_detect::compare as report;
use flex_run::model::Runner;

use crate::cargo::{FoundTest, Program, build, find};
use crate::compare::pytest::{Asked, Versions};
use crate::compare::{self, ComparedTests, OLD, Plan};
use crate::exit::{Exit, Failure};
use crate::git::Repository;
use crate::pytest::environment::Environment;
use crate::session::{Interrupt, base_seed, jobs, most_urgent};
use crate::{summary, terminal};
pub use args::CompareArgs;

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
    let commit = repository.commit(&args.base)?;
    let old = (args.base.as_str(), &commit);
    let (compared, exits) = outcome.told(&plan, runner, &repository, old)?;
    let file = compare::keep(&compared, &flex)?;
    let text = match args.json {
        true => report::json(&compared),
        false => report::text(&compared, args.verbose),
    };
    io::stdout().write_all(text.as_bytes())?;
    if let Some(file) = &args.summary {
        summary::append(file, &report::markdown(&compared))?;
    }
    writeln!(terminal::stderr(), "seed {base}; wrote {}", file.display())?;
    if interrupt.has_come() {
        return Ok(Exit::Interrupted);
    }
    Ok(most_urgent(exits))
}

fn of_cargo(
    args: &CompareArgs,
    plan: &Plan<'_>,
    repository: &Repository,
) -> Result<(Runner, PathBuf, ComparedTests), Failure> {
    let flex = compare::folder_of_cargo(&args.cargo)?;
    let worktree = compare::check_out(repository, &flex, OLD, &args.base)?;
    let new = build(&args.cargo)?;
    let tests = args.filter().select(tests_of(&new)?, new.len())?;
    let old = compare::base_of_cargo(&args.cargo, repository, &flex, &worktree)?;
    // Those that the old version alone has are named too, and words that it does not know are not mistyped.
    let filter = args.filter();
    let mut old_tests = tests_of(&old)?;
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
) -> Result<(Runner, PathBuf, ComparedTests), Failure> {
    let flex = compare::folder_of_pytest(path, repository);
    let paths = [path.to_owned()];
    let worktree = compare::check_out(repository, &flex, OLD, &args.base)?;
    let versions = Versions {
        old: compare::base_of_pytest(repository, &flex, &worktree)?,
        new: Environment::default(),
        asked: Asked {
            paths: &paths,
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
