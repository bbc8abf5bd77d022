//! `gate check` and `check`: reruns tests, says which are flaky, and whether they were so before.

mod cargo;
mod checked;
mod engine;
mod junit;
mod made;
mod names;
mod pytest;
mod words;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use flex_core::seed::Phase;
use flex_core::words::count;
use flex_detect::compare as report;
use flex_gate::bank::trials_to_catch;
use flex_gate::selection::Selection;

use super::args::{CheckArgs, CheckTestsArgs, TrialArgs};
use super::select;
use crate::cargo::{CargoArgs, workspace_root};
use crate::exit::{Exit, Failure};
use crate::git::Repository;
use crate::session::{base_seed, check_request, most_urgent};
use crate::shards::{Making, Putting, Source};
use crate::{summary, terminal};
use checked::Checked;
use engine::{Base, Engine, check, make};

/// What shards are made by.
const COMMAND: &str = "gate check";

/// `gate check`: reruns what was selected.
pub fn run(args: &CheckArgs) -> Result<Exit, Failure> {
    let repository = Repository::of(Path::new("."))?;
    let (file, folders) = args.sources()?;
    let selection = match file {
        Some(from) => Selection::parse(&select::read(from)?)
            .map_err(|why| select::wrong(&why, "gate select --json"))?,
        None => select::of_change(&repository, &args.selecting)?,
    };
    let names: Vec<String> = selection.tests.iter().map(|test| test.id.clone()).collect();
    let base = match &selection.base {
        Some(base) => Some(Base {
            commit: repository.commit(base)?,
            repository,
            compares: args.compare,
        }),
        None if args.compare => {
            return Err(Failure::input(
                "it is not known what to compare with: the selection names no commit",
                "select from `gate diff --json`, or without --from",
            ));
        }
        None => None,
    };
    let source = source(args, &folders, base.as_ref())?;
    let checking = Checking::new(&args.trials, &args.selecting.cargo, source);
    if names.is_empty() {
        return match checking.source.making() {
            Some(_) => checking.source.end(0, &[], false),
            None => say(&Checked::default(), &args.trials),
        };
    }
    match &args.selecting.pytest {
        Some(_) => {
            let mut engine = pytest::Pytest::new(&checking, names)?;
            ended(&checking, &mut engine, base.as_ref())
        }
        None => {
            let mut engine = cargo::Cargo::new(&checking, Some(&names), &[])?;
            ended(&checking, &mut engine, base.as_ref())
        }
    }
}

/// Who makes the runs of tests whose code is compared with that of a commit, and their base seed.
fn source(
    args: &CheckArgs,
    folders: &[PathBuf],
    base: Option<&Base>,
) -> Result<(Source, String), Failure> {
    let trials = &args.trials;
    let (seed, phase, most) = (trials.seed.as_ref(), Phase::Detect, trials.most());
    check_request("a check", seed, None, None)?;
    let commit = base.map(|base| base.commit.id().to_owned());
    let making = Making::asked(&args.making, COMMAND, phase, seed, (Some(most), None))?;
    let making = making.map(|making| making.against(commit.clone()));
    let putting = (folders, args.making.plan_to_write());
    let putting = Putting::asked(putting, COMMAND, phase, seed)?;
    if (making.is_some() || putting.is_some()) && trials.time_bank.is_some() {
        return Err(Failure::input(
            "--time-bank shares time out by how long tests take here, and shards are made elsewhere",
            "leave it out; -n, or --catch and --confidence, say how many trials are made",
        ));
    }
    let decides = [
        ("--json", trials.json),
        ("--junit", trials.junit.is_some()),
        ("--summary", trials.summary.is_some()),
    ];
    args.making.refuse(COMMAND, &decides)?;
    if let Some(putting) = &putting {
        putting.check_against(commit.as_deref())?;
        let options = "-n, --catch and --confidence";
        putting.check_runs((Some(most), None), "trials of each test", options)?;
    }
    Source::asked((making, putting), seed, || match &args.selecting.pytest {
        Some(_) => Ok(std::env::current_dir()?),
        None => workspace_root(args.selecting.cargo.manifest_path()),
    })
}

/// Checks tests and says what was found, or makes a shard of them.
fn ended(
    checking: &Checking<'_>,
    engine: &mut dyn Engine,
    base: Option<&Base>,
) -> Result<Exit, Failure> {
    if checking.source.making().is_some() {
        let (tests, exits) = make(checking, engine, base)?;
        let is_interrupted = exits.contains(&Exit::Interrupted);
        return checking.source.end(tests, &exits, is_interrupted);
    }
    match check(checking, engine, base)? {
        Some(checked) => say(&checked, checking.args),
        None => Ok(Exit::MoreRuns),
    }
}

/// `check`: reruns tests that are named.
pub fn run_named(args: &CheckTestsArgs) -> Result<Exit, Failure> {
    let seed = args.trials.seed.as_ref();
    check_request("a check", seed, None, None)?;
    let source = (Source::Here, base_seed(seed));
    let checking = Checking::new(&args.trials, &args.cargo, source);
    match names::of_pytest(&args.named)? {
        Some(names) => ended(&checking, &mut pytest::Pytest::new(&checking, names)?, None),
        None => {
            let mut engine = cargo::Cargo::new(&checking, None, &args.named)?;
            ended(&checking, &mut engine, None)
        }
    }
}

/// How tests are checked.
pub struct Checking<'a> {
    pub args: &'a TrialArgs,
    pub cargo: &'a CargoArgs,
    /// Who makes the runs.
    pub source: Source,
    /// The base seed.
    pub base: String,
}

impl<'a> Checking<'a> {
    fn new(args: &'a TrialArgs, cargo: &'a CargoArgs, (source, base): (Source, String)) -> Self {
        Checking {
            args,
            cargo,
            source,
            base,
        }
    }
}

impl TrialArgs {
    /// Trials at most of each test.
    fn most(&self) -> u32 {
        let caught = || trials_to_catch(self.catch, self.confidence);
        self.trials.unwrap_or_else(caught)
    }
}

/// Says what was found, to whoever wants to know.
fn say(checked: &Checked, args: &TrialArgs) -> Result<Exit, Failure> {
    let mut output = io::stdout().lock();
    match args.json {
        true => {
            serde_json::to_writer(&mut output, &checked.json()?)?;
            writeln!(output)?;
        }
        false => {
            let text = words::text(checked, terminal::paint());
            write!(terminal::stdout(), "{text}")?;
            write!(output, "{}", words::annotations(checked))?;
        }
    }
    if let Some(path) = &args.junit {
        junit::write(path, checked)?;
    }
    if let Some(path) = &args.summary {
        let compared = checked.compared.as_ref().map(report::markdown);
        let compared = compared.map_or_else(String::new, |text| format!("\n{text}"));
        summary::append(path, &(words::markdown(checked) + &compared))?;
    }
    let tests = count(checked.tests.len(), "test", "tests");
    let blocking = checked
        .tests
        .iter()
        .filter(|test| test.verdict.blocks())
        .count();
    writeln!(
        terminal::notes(),
        "{tests} checked: {blocking} newly flaky or failing"
    )?;
    let found = (blocking > 0).then_some(Exit::Findings);
    Ok(most_urgent(checked.exits.iter().copied().chain(found)))
}
