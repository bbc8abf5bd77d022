//! `gate check` and `check`: reruns tests, says which are flaky, and whether they were so before.

mod cargo;
mod checked;
mod junit;
mod names;
mod pytest;
mod words;

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use flex_core::words::count;
use flex_detect::record::{ObservedTest, Outcome, Record};
use flex_gate::bank::{allocate, trials_to_catch};
use flex_gate::selection::Selection;
use flex_gate::trials::Before;

use super::args::{CheckArgs, CheckTestsArgs, TrialArgs};
use super::select;
use crate::cargo::CargoArgs;
use crate::exit::{Exit, Failure};
use crate::git::{Commit, Repository};
use crate::session::{base_seed, check_request, most_urgent};
use crate::terminal;
use checked::Checked;

/// The share of a time bank that is kept for checks of the base.
const FOR_BASE: f64 = 0.2;

/// `gate check`: reruns what was selected.
pub fn run(args: &CheckArgs) -> Result<Exit, Failure> {
    let repository = Repository::of(Path::new("."))?;
    let selection = match &args.from {
        Some(from) => {
            let wrong = |why| Failure::input(why, "`gate select --json` writes it");
            Selection::parse(&select::read(from)?).map_err(wrong)?
        }
        None => select::of_change(&repository, &args.selecting)?,
    };
    let names: Vec<String> = selection.tests.iter().map(|test| test.id.clone()).collect();
    let before = match &selection.base {
        Some(base) => Some((repository.commit(base)?, repository)),
        None => None,
    };
    let checking = Checking::new(&args.trials, &args.selecting.cargo)?;
    let checked = match &args.selecting.pytest {
        _ if names.is_empty() => Checked::default(),
        Some(_) => check(
            &checking,
            &mut pytest::Pytest::new(&checking, names)?,
            before.as_ref(),
        )?,
        None => check(
            &checking,
            &mut cargo::Cargo::new(&checking, Some(&names), &[])?,
            before.as_ref(),
        )?,
    };
    say(&checked, &args.trials)
}

/// `check`: reruns tests that are named.
pub fn run_named(args: &CheckTestsArgs) -> Result<Exit, Failure> {
    let checking = Checking::new(&args.trials, &args.cargo)?;
    let checked = match names::of_pytest(&args.named)? {
        Some(names) => check(&checking, &mut pytest::Pytest::new(&checking, names)?, None)?,
        None => check(
            &checking,
            &mut cargo::Cargo::new(&checking, None, &args.named)?,
            None,
        )?,
    };
    say(&checked, &args.trials)
}

/// How tests are checked.
pub struct Checking<'a> {
    pub args: &'a TrialArgs,
    pub cargo: &'a CargoArgs,
    /// The base seed.
    pub base: String,
}

impl<'a> Checking<'a> {
    fn new(args: &'a TrialArgs, cargo: &'a CargoArgs) -> Result<Self, Failure> {
        check_request("a check", args.seed.as_ref(), None, None)?;
        Ok(Checking {
            args,
            cargo,
            base: base_seed(args.seed.as_ref()),
        })
    }

    /// Trials at most of each test.
    fn most(&self) -> u32 {
        let caught = || trials_to_catch(self.args.catch, self.args.confidence);
        self.args.trials.unwrap_or_else(caught)
    }
}

/// Whoever runs tests.
trait Engine {
    /// The tests, for people; none is there twice.
    fn names(&self) -> Vec<String>;

    /// How long a run of each takes, as far as it can be found out until then.
    fn seconds(&mut self, until: Option<Instant>) -> Result<Vec<f64>, Failure>;

    /// How many runs are made at a time.
    fn jobs(&self) -> usize;

    /// Makes so many trials of each test, until the time is up; each test with the number of its name.
    fn trials(
        &mut self,
        trials: &[u32],
        seconds: &[f64],
        until: Option<Instant>,
    ) -> Result<Made, Failure>;

    /// The same of some tests before the change; nothing for a test that was not there.
    fn before(
        &mut self,
        repository: &Repository,
        commit: &Commit,
        tests: &[usize],
        trials: u32,
        until: Option<Instant>,
    ) -> Result<BTreeMap<usize, ObservedTest>, Failure>;
}

/// What came of trials.
pub struct Made {
    /// The record of all trials.
    pub record: Record,
    /// Which test of the engine each of its tests is.
    pub of: Vec<usize>,
    /// What those say about the exit code that could not be run.
    pub exits: Vec<Exit>,
}

/// Checks all tests of an engine.
fn check(
    checking: &Checking<'_>,
    engine: &mut dyn Engine,
    before: Option<&(Commit, Repository)>,
) -> Result<Checked, Failure> {
    // What is built is no trial.
    let began = Instant::now();
    let bank = checking.args.time_bank;
    let end = bank.and_then(|bank| began.checked_add(bank));
    let for_trials = match before {
        Some(_) => bank.map(|bank| bank.mul_f64(1.0 - FOR_BASE)),
        None => bank,
    };
    let until = for_trials.and_then(|bank| began.checked_add(bank));
    let seconds = match bank {
        Some(_) => engine.seconds(until)?,
        None => vec![0.0; engine.names().len()],
    };
    let left = |until: Instant| until.saturating_duration_since(Instant::now());
    let capacity = until.map(|until| left(until).as_secs_f64() * engine.jobs() as f64);
    let trials = allocate(&seconds, checking.most(), capacity);
    let made = engine.trials(&trials, &seconds, until)?;
    let failed: Vec<usize> = made
        .record
        .tests
        .iter()
        .zip(&made.of)
        .filter(|(test, _)| test.runs.iter().any(|run| run.outcome == Outcome::Fail))
        .map(|(_, of)| *of)
        .collect();
    let unknown = |why: &str| Before::Unknown {
        why: why.to_owned(),
    };
    let mut befores: BTreeMap<usize, Before> = BTreeMap::new();
    if let (Some((commit, repository)), false) = (before, failed.is_empty()) {
        let has_time = end.is_none_or(|end| left(end) > Duration::ZERO);
        let found = match has_time {
            true => engine.before(repository, commit, &failed, checking.most(), end),
            false => Err(Failure::input("no time was left", "")),
        };
        for index in &failed {
            let state = match &found {
                Ok(found) => found.get(index).map_or(Before::Absent, before_of),
                Err(failure) => unknown(failure.to_string().lines().next().unwrap_or_default()),
            };
            befores.insert(*index, state);
        }
    }
    let names = engine.names();
    Ok(Checked::of(
        &names,
        made,
        checking.args.same_seed,
        |index| {
            let nobody_asked = || unknown("");
            befores.remove(&index).unwrap_or_else(nobody_asked)
        },
    ))
}

/// What a test showed before the change.
fn before_of(test: &ObservedTest) -> Before {
    let ran = test.runs.iter().filter(|run| run.outcome != Outcome::Skip);
    let failed = test
        .runs
        .iter()
        .filter(|run| run.outcome == Outcome::Fail)
        .count() as u32;
    let runs = ran.count() as u32;
    match (runs, failed) {
        (0, _) => Before::Unknown {
            why: "its run was skipped".to_owned(),
        },
        (runs, 0) => Before::Stable { runs },
        (runs, failed) => Before::Failed { runs, failed },
    }
}

/// Says what was found, to whoever wants to know.
fn say(checked: &Checked, args: &TrialArgs) -> Result<Exit, Failure> {
    let mut output = io::stdout().lock();
    match args.json {
        true => {
            serde_json::to_writer(&mut output, &checked.json())?;
            writeln!(output)?;
        }
        false => {
            write!(output, "{}", words::text(checked))?;
            write!(output, "{}", words::annotations(checked))?;
        }
    }
    if let Some(path) = &args.junit {
        junit::write(path, checked)?;
    }
    if let Some(path) = &args.summary {
        let failed = |error: io::Error| {
            let path = path.display();
            Failure::input(
                format!("cannot write {path}: {error}"),
                "name a file in a folder that is there",
            )
        };
        // GitHub's file of summaries belongs to all steps.
        let mut options = std::fs::OpenOptions::new();
        let mut file = options
            .create(true)
            .append(true)
            .open(path)
            .map_err(failed)?;
        file.write_all(words::markdown(checked).as_bytes())
            .map_err(failed)?;
    }
    let tests = count(checked.tests.len(), "test", "tests");
    let blocking = checked
        .tests
        .iter()
        .filter(|test| test.verdict.blocks())
        .count();
    writeln!(
        terminal::stderr(),
        "{tests} checked: {blocking} newly flaky or failing"
    )?;
    let found = (blocking > 0).then_some(Exit::Findings);
    Ok(most_urgent(checked.exits.iter().copied().chain(found)))
}
