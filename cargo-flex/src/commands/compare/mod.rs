//! `flex-harness compare`: old and new code under the same seeds.

mod args;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use flex_core::seed::Phase;
use flex_detect::compare as report;
use flex_run::model::Runner;

use crate::cargo::{FoundTest, Program, build, find, workspace_root};
use crate::compare::pytest::{Asked, Versions};
use crate::compare::{self, ComparedTests, OLD, Plan};
use crate::exit::{Exit, Failure};
use crate::git::{Commit, Repository, Worktree};
use crate::pytest::environment::Environment;
use crate::session::{Interrupt, jobs, most_urgent};
use crate::shards::{Making, Putting, Source};
use crate::{summary, terminal};
pub use args::CompareArgs;

/// What shards are made by.
const COMMAND: &str = "compare";

/// Runs the command.
pub fn run(args: &CompareArgs) -> Result<Exit, Failure> {
    args.check()?;
    let interrupt = Interrupt::listen();
    let start = match (&args.tests.pytest, args.cargo.manifest_path()) {
        (Some(tests), _) => folder_of(tests),
        (None, Some(manifest)) => folder_of(manifest),
        (None, None) => PathBuf::from("."),
    };
    let repository = Repository::of(&start)?;
    let commit = repository.commit(&args.base)?;
    let (source, base) = source(args, &commit)?;
    let plan = Plan {
        rule: args.rule(),
        alpha: args.alpha,
        base: &base,
        time: args.time,
        // What is known takes no time.
        time_budget: args.time_budget.filter(|_| source.makes_runs()),
        timeout: args.timeout,
        jobs: jobs(args.jobs),
        interrupt: &interrupt,
        source: &source,
    };
    if let Some(making) = source.making() {
        let (tests, exits) = match &args.tests.pytest {
            Some(path) => {
                let (.., outcome) = of_pytest(args, &plan, &repository, path)?;
                (outcome.tests.len(), outcome.exits)
            }
            None => make_of_cargo(args, (&plan, making), &repository)?,
        };
        return source.end(tests, &exits, interrupt.has_come());
    }
    if let (Source::Shards(playing), Some(_)) = (&source, &args.tests.pytest)
        && let Some(exit) = playing.lost()?
    {
        return Ok(exit);
    }
    let (runner, flex, outcome) = match &args.tests.pytest {
        Some(path) => of_pytest(args, &plan, &repository, path)?,
        None => of_cargo(args, &plan, &repository)?,
    };
    if let Source::Shards(playing) = &source
        && let (Some(more_runs), _) = playing.ended(|_| false)?
    {
        return Ok(more_runs);
    }
    let old = (args.base.as_str(), &commit);
    let (compared, exits) = outcome.told(&plan, runner, &repository, old)?;
    let file = compare::keep(&compared, &flex)?;
    let text = match args.json {
        true => report::json(&compared),
        false => {
            let verbose = terminal::manner().verbose > 0;
            report::text(&compared, verbose, terminal::paint())
        }
    };
    match args.json {
        true => io::stdout().write_all(text.as_bytes())?,
        false => terminal::stdout().write_all(text.as_bytes())?,
    }
    if let Some(file) = &args.summary {
        summary::append(file, &report::markdown(&compared))?;
    }
    writeln!(terminal::notes(), "seed {base}; wrote {}", file.display())?;
    if interrupt.has_come() {
        return Ok(Exit::Interrupted);
    }
    Ok(most_urgent(exits))
}

/// Who makes the runs, and their base seed.
fn source(args: &CompareArgs, commit: &Commit) -> Result<(Source, String), Failure> {
    let (seed, phase) = (args.seed.as_ref(), Phase::Detect);
    let runs = (Some(args.pairs), Some(args.max_pairs));
    let making = Making::asked(&args.shards.making, COMMAND, phase, seed, runs)?;
    let making = making.map(|making| making.against(Some(commit.id().to_owned())));
    let decides = [("--json", args.json), ("--summary", args.summary.is_some())];
    args.shards.making.refuse(COMMAND, &decides)?;
    let putting = Putting::asked(args.shards.asked(), COMMAND, phase, seed)?;
    if let Some(putting) = &putting {
        putting.check_against(Some(commit.id()))?;
        putting.check_runs(runs, "pairs", "--pairs and --max-pairs")?;
    }
    Source::asked((making, putting), seed, || match &args.tests.pytest {
        Some(path) => Ok(folder_of(path)),
        None => workspace_root(args.cargo.manifest_path()),
    })
}

/// The tests of both versions, built.
struct Built {
    flex: PathBuf,
    old: Vec<Program>,
    new: Vec<Program>,
    /// Nobody else checks something else out there meanwhile.
    _worktree: Worktree,
}

impl Built {
    fn new(args: &CompareArgs, repository: &Repository) -> Result<Self, Failure> {
        let flex = compare::folder_of_cargo(&args.cargo)?;
        let worktree = compare::check_out(repository, &flex, OLD, &args.base)?;
        let new = build(&args.cargo)?;
        // A name that no test has is mistyped, which is said before the old version is built.
        args.filter().select(tests_of(&new)?, new.len())?;
        Ok(Built {
            old: compare::base_of_cargo(&args.cargo, repository, &flex, &worktree)?,
            flex,
            new,
            _worktree: worktree,
        })
    }

    /// The tests that are named, of the old version and of the new one.
    fn tests(
        &self,
        args: &CompareArgs,
    ) -> Result<(Vec<FoundTest<'_>>, Vec<FoundTest<'_>>), Failure> {
        let filter = args.filter();
        let tests = filter.select(tests_of(&self.new)?, self.new.len())?;
        // Those that the old version alone has are named too, and words that it does not know are not mistyped.
        let mut old = tests_of(&self.old)?;
        old.retain(|test| filter.names(&test.name) && (filter.include_ignored || !test.ignored));
        Ok((old, tests))
    }
}

fn of_cargo(
    args: &CompareArgs,
    plan: &Plan<'_>,
    repository: &Repository,
) -> Result<(Runner, PathBuf, ComparedTests), Failure> {
    let built = Built::new(args, repository)?;
    let (old, new) = built.tests(args)?;
    let outcome = compare::cargo::compare(plan, old, new);
    Ok((Runner::Cargo, built.flex.clone(), outcome))
}

/// Makes a shard; how many tests it is about, and what speaks for those of which nothing came.
fn make_of_cargo(
    args: &CompareArgs,
    (plan, making): (&Plan<'_>, &Making),
    repository: &Repository,
) -> Result<(usize, Vec<Exit>), Failure> {
    let built = Built::new(args, repository)?;
    compare::cargo::make(plan, making, built.tests(args)?)
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
            names: &[],
            keyword: args.tests.keyword.as_deref(),
            words: &args.tests.filters,
            shard: plan.source.making().map(|making| making.header.shard),
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
