//! Tests of cargo packages.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use flex_core::search::convergence::{Assurance, StopRule};
use flex_detect::record::{ObservedTest, Record, VERSION};
use flex_detect::search::SearchRule;
use flex_detect::trace::Durations;
use flex_gate::bank::share_of_measuring;
use flex_gate::trials::GIVE_UP;
use flex_run::calibrate::{CalibrationError, Gate};
use flex_run::model::Runner;
use flex_shard::TestKey;

use super::Checking;
use super::engine::Engine;
use super::made::Made;
use crate::cargo::{CargoTest, FoundTest, Program, TestKind, all_tests, build, workspace_root};
use crate::compare::{self, OLD, Plan};
use crate::exit::{Exit, Failure};
use crate::git::{Commit, Repository, Worktree};
use crate::probes::{Places, Tracing, trace};
use crate::record::file::RecordFile;
use crate::record::file_of;
use crate::search::{Saved, Searching, search};
use crate::session::{Display, Interrupt, Ran, Turn, exit_of, for_each, jobs, locked};
use crate::terminal;
use crate::trace::{self as traces, TraceFile};

/// Runs of an annotated test that are made before it is seen whether they disagree.
const AT_ONCE: u32 = 20;

/// The tests that are checked.
pub struct Cargo<'a> {
    checking: &'a Checking<'a>,
    root: PathBuf,
    programs: Vec<Program>,
    /// Package, target and path of each.
    keys: Vec<(String, String, String)>,
    base: Option<BaseCode>,
}

impl<'a> Cargo<'a> {
    /// Builds all tests; `labels` are those that are checked, or else those whose path is one of `paths`.
    pub fn new(
        checking: &'a Checking<'a>,
        labels: Option<&[String]>,
        paths: &[String],
    ) -> Result<Self, Failure> {
        let programs = build(checking.cargo)?;
        let tests = all_tests(&programs)?;
        let is_named = |test: &&CargoTest<'_>| match labels {
            Some(labels) => labels.contains(&test.found.label()),
            None => paths.iter().any(|path| is_path(path, test)),
        };
        let named: Vec<&CargoTest<'_>> = tests.iter().filter(is_named).collect();
        let is_stochastic = |test: &&&CargoTest<'_>| test.kind == TestKind::Stochastic;
        if let (true, Some(test)) = (checking.args.same_seed, named.iter().find(is_stochastic)) {
            writeln!(
                terminal::stderr(),
                "warning: --same-seed is for plain tests; runs of stochastic ones, such as {}, have a seed each\n\
                 hint: `cargo flex calibrate` repeats runs of these under their seed, and says what no seed controls",
                test.found.label()
            )?;
        }
        let keys: Vec<_> = named.into_iter().map(key).collect();
        if keys.is_empty() {
            let names = labels.unwrap_or(paths).join("`, `");
            return Err(Failure::input(
                format!("there is no test `{names}`"),
                "`cargo test -- --list` lists them; for pytest, name a file that ends with .py",
            ));
        }
        drop(tests);
        let keys = match checking.source.making() {
            None => keys,
            Some(making) => {
                let ours = making.deal(keys, |(package, target, test)| TestKey {
                    package: package.clone(),
                    target: target.clone(),
                    test: test.clone(),
                    old: false,
                    compared: false,
                })?;
                ours.into_iter().map(|(key, _)| key).collect()
            }
        };
        Ok(Cargo {
            root: workspace_root(checking.cargo.manifest_path())?,
            checking,
            programs,
            keys,
            base: None,
        })
    }

    fn rule(&self, trials: u32) -> SearchRule {
        let at_once = trials.min(AT_ONCE);
        SearchRule {
            stop: StopRule {
                first: at_once,
                step: at_once,
                most: trials,
                // No convergence ends it: as many trials were bought.
                assurance: Some(Assurance {
                    catch: f64::MIN_POSITIVE,
                    tail: None,
                }),
                ..StopRule::default()
            },
            fast: true,
            broken_after: Some(GIVE_UP),
            ..SearchRule::default()
        }
    }

    /// Makes trials of tests: each with the number of trials, how long a run takes, and its number.
    fn run<'p>(
        &self,
        root: &Path,
        tests: Vec<(CargoTest<'p>, u32, f64, usize)>,
        until: Option<Instant>,
        is_old: bool,
    ) -> Result<Made, Failure> {
        let interrupt = Interrupt::listen();
        let left = until.map(|until| until.saturating_duration_since(Instant::now()));
        let display = Display::new(tests.len(), self.jobs(), left);
        let cargo = self.checking.cargo;
        let searching = Searching {
            timeout: self.checking.args.timeout,
            full: false,
            same_seed: self.checking.args.same_seed,
            cargo,
            base: &self.checking.base,
            root,
            gate: Gate::new(self.jobs()).closed_by(interrupt.flag()),
            display: &display,
            places: Places::new(root),
            saved: Saved::default(),
            source: &self.checking.source,
            is_old,
            says_unseen: false,
        };
        let results = Mutex::new(Vec::new());
        let one = |(test, trials, seconds, index): (CargoTest<'p>, u32, f64, usize),
                   alone: bool| {
            // A run that cannot end in time is not begun.
            let expected = Duration::try_from_secs_f64(seconds).unwrap_or_default();
            let deadline = until.map(|until| until.checked_sub(expected).unwrap_or(until));
            let turn = Turn {
                deadline,
                first: deadline,
                alone,
                last: true,
            };
            let is_late = deadline.is_some_and(|deadline| Instant::now() >= deadline);
            if trials == 0 || is_late {
                return None;
            }
            let ran = search(&searching, self.rule(trials), &test, turn, None);
            match ran {
                Err(CalibrationError::NotAlone) if !alone => {
                    return Some((test, trials, seconds, index));
                }
                ran => locked(&results).push((index, test.found.label(), ran)),
            }
            None
        };
        let alone = Mutex::new(Vec::new());
        for_each(tests, self.jobs(), |test| {
            locked(&alone).extend(one(test, false))
        });
        // Those that measure time have nothing beside them.
        for test in std::mem::take(&mut *locked(&alone)) {
            one(test, true);
        }
        display.finish();
        if let Some(saved) = searching.saved.in_words() {
            writeln!(terminal::notes(), "{saved}")?;
        }
        let mut results = std::mem::take(&mut *locked(&results));
        results.sort_by_key(|(index, ..)| *index);
        let (mut of, mut observed, mut exits) = (Vec::new(), Vec::new(), Vec::new());
        for (index, label, result) in results {
            match result {
                Ok(Ran::Done(test)) => {
                    of.push(index);
                    observed.push(test);
                }
                // What is missing is said of all tests together.
                Ok(Ran::Short(_)) | Err(CalibrationError::NotMade) => {}
                Err(error) => {
                    exits.push(exit_of(&error));
                    writeln!(terminal::stderr(), "error: {label}: {error}")?;
                }
            }
        }
        if interrupt.has_come() {
            exits.push(Exit::Interrupted);
        }
        Ok(Made {
            record: Record {
                version: VERSION,
                runner: Runner::Cargo,
                base: self.checking.base.clone(),
                root: root.to_owned(),
                rerun_marker: None,
                tests: observed,
                reader: cargo.reader(),
            },
            of,
            exits,
        })
    }
}

impl Engine for Cargo<'_> {
    fn names(&self) -> Vec<String> {
        let names = self.keys.iter();
        names
            .map(|(package, target, name)| format!("{package} {target} {name}"))
            .collect()
    }

    fn jobs(&self) -> usize {
        jobs(self.checking.args.jobs)
    }

    fn seconds(&mut self, until: Option<Instant>) -> Result<Vec<f64>, Failure> {
        let (traced, record) = (
            TraceFile::at(traces::file_of(&self.programs, &self.root))
                .read()
                .unwrap_or_default(),
            RecordFile::at(file_of(&self.programs, &self.root))
                .read()
                .unwrap_or_default(),
        );
        let mut durations = Durations::known(traced.as_ref(), record.as_ref());
        let all = all_tests(&self.programs)?;
        let tests: Vec<CargoTest<'_>> = named(&all, &self.keys).into_iter().flatten().collect();
        let known = |durations: &Durations, test: &CargoTest<'_>| {
            durations.of(Some(&test.found.program.package), &test.found.id())
        };
        let new = tests
            .iter()
            .filter(|test| known(&durations, test).is_none())
            .cloned();
        let new: Vec<CargoTest<'_>> = new.collect();
        for some in new.chunks(self.jobs()) {
            let left = until.map(|until| until.saturating_duration_since(Instant::now()));
            if left.is_some_and(|left| left.is_zero()) {
                break;
            }
            let stated = self.checking.args.timeout;
            let share = share_of_measuring(new.len().div_ceil(self.jobs()));
            let limit = left.map(|left| left.mul_f64(share));
            let tracing = Tracing {
                root: &self.root,
                base: &self.checking.base,
                jobs: self.jobs(),
                timeout: stated.into_iter().chain(limit).min(),
            };
            let began = Instant::now();
            for (test, traced) in trace(some.to_vec(), &tracing, &|_| {}) {
                let (package, id) = (&test.found.program.package, test.found.id());
                let is_too_long = limit.is_some_and(|limit| {
                    began.elapsed() >= limit && stated.is_none_or(|stated| limit < stated)
                });
                let took = match traced {
                    Ok(traced) => traced.seconds,
                    Err(_) if is_too_long => f64::MAX,
                    // One that hangs, or cannot be run, is begun like a quick one, and says so then.
                    Err(_) => 0.0,
                };
                durations.add(Some(package), &id, took);
            }
        }
        // What could not be measured in all that time takes longer than there is.
        let seconds = tests
            .iter()
            .map(|test| known(&durations, test).unwrap_or(f64::MAX));
        Ok(seconds.collect())
    }

    fn trials(
        &mut self,
        trials: &[u32],
        seconds: &[f64],
        until: Option<Instant>,
    ) -> Result<Made, Failure> {
        let all = all_tests(&self.programs)?;
        let tests = named(&all, &self.keys).into_iter().enumerate();
        let mut tests: Vec<_> = tests
            .filter_map(|(index, test)| Some((test?, trials[index], seconds[index], index)))
            .collect();
        tests.sort_by(|a, b| a.2.total_cmp(&b.2));
        self.run(&self.root, tests, until, false)
    }

    fn keep(&self, made: &Made) -> Result<(), Failure> {
        // What failed is known to `gate select --last-failed` and to `fix`.
        RecordFile::at(file_of(&self.programs, &self.root)).merge(&made.record, |_| false)
    }

    fn build_base(&mut self, repository: &Repository, commit: &Commit) -> Result<(), Failure> {
        let cargo = self.checking.cargo;
        let flex = compare::folder_of_cargo(cargo)?;
        let worktree = compare::check_out(repository, &flex, OLD, commit.id())?;
        let programs = compare::base_of_cargo(cargo, repository, &flex, &worktree)?;
        let root = repository.in_tree(&self.root, worktree.folder());
        self.base = Some(BaseCode {
            root: root.unwrap_or_else(|| worktree.folder().to_owned()),
            flex,
            programs,
            _worktree: worktree,
        });
        Ok(())
    }

    fn before(
        &mut self,
        tests: &[usize],
        trials: u32,
        until: Option<Instant>,
    ) -> Result<BTreeMap<usize, ObservedTest>, Failure> {
        let Some(base) = &self.base else {
            return Ok(BTreeMap::new());
        };
        let all = all_tests(&base.programs)?;
        let found = named(&all, &self.keys);
        let wanted = tests
            .iter()
            .filter_map(|index| Some((found[*index].clone()?, trials, 0.0, *index)));
        let made = self.run(&base.root, wanted.collect(), until, true)?;
        Ok(made.of.into_iter().zip(made.record.tests).collect())
    }

    fn compare(
        &mut self,
        tests: &[usize],
        plan: &Plan<'_>,
    ) -> Result<(Runner, PathBuf, compare::ComparedTests), Failure> {
        let Some(base) = &self.base else {
            return Ok((
                Runner::Cargo,
                self.root.clone(),
                compare::ComparedTests::default(),
            ));
        };
        let of = |programs| -> Result<Vec<FoundTest<'_>>, Failure> {
            let all = all_tests(programs)?;
            let found = named(&all, &self.keys);
            let wanted = tests.iter().filter_map(|index| found[*index].clone());
            let stochastic = wanted.filter(|test| test.kind == TestKind::Stochastic);
            Ok(stochastic.map(|test| test.found).collect())
        };
        let outcome = compare::cargo::compare(plan, of(&base.programs)?, of(&self.programs)?);
        Ok((Runner::Cargo, base.flex.clone(), outcome))
    }
}

/// The code before the change, built.
struct BaseCode {
    /// The folder of its workspace.
    root: PathBuf,
    programs: Vec<Program>,
    /// The folder of flex.
    flex: PathBuf,
    /// Nobody else checks something else out there meanwhile.
    _worktree: Worktree,
}

/// The tests with these keys, in their order.
fn named<'p>(
    all: &[CargoTest<'p>],
    keys: &[(String, String, String)],
) -> Vec<Option<CargoTest<'p>>> {
    let find =
        |wanted: &(String, String, String)| all.iter().find(|test| key(test) == *wanted).cloned();
    keys.iter().map(find).collect()
}

fn key(test: &CargoTest<'_>) -> (String, String, String) {
    let (package, target, name) = test.key();
    (package.to_owned(), target.to_owned(), name.to_owned())
}

/// Whether a path, with or without the crate, is that of a test.
fn is_path(path: &str, test: &CargoTest<'_>) -> bool {
    let name = test.found.name.as_str();
    let without_crate = path.split_once("::").filter(|(first, _)| {
        let package = test.found.program.package.replace('-', "_");
        let target = test.found.program.target.split(':').next_back();
        *first == package || target == Some(first)
    });
    path == name
        || without_crate.is_some_and(|(_, rest)| rest == name)
        || test.found.label() == path
}
