//! One test in one commit: checked out, built, and run as far as it is needed.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;

use flex_core::seed::Phase;
use flex_detect::compare::{SeenRun, SeenTest, SeriesKey};
use flex_run::calibrate::{CalibrationError, Gate, Nobody, Worker};
use flex_run::watch::Slowest;

use super::args::BisectArgs;
use crate::cargo::{Program, find};
use crate::compare;
use crate::compare::pytest::{Asked, Session, WantedBySession, seen};
use crate::exit::Failure;
use crate::git::{Repository, Worktree};
use crate::pytest::environment::Environment;
use crate::session::Interrupt;

/// What all versions have in common.
pub struct Asking<'a> {
    pub args: &'a BisectArgs,
    pub base: &'a str,
    pub repository: &'a Repository,
    /// The folder of flex.
    pub flex: PathBuf,
    pub gate: Gate,
    pub interrupt: &'a Interrupt,
}

/// A test in a commit.
pub struct Version<'a> {
    asking: &'a Asking<'a>,
    how: How,
    slowest: Slowest,
    /// What its runs showed so far.
    seen: Option<SeenTest>,
    made: u32,
}

enum How {
    Cargo(Vec<Program>),
    Pytest(Environment),
}

/// Why nothing can be said of a commit.
pub enum Cannot {
    /// It does not build, or has no such test: others may.
    Skip(String),
    /// Nobody can go on.
    End(Failure),
}

impl From<Failure> for Cannot {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Build { error, .. } => Cannot::Skip(error),
            other => Cannot::End(other),
        }
    }
}

impl<'a> Version<'a> {
    /// Builds the version in a worktree.
    pub fn of(asking: &'a Asking<'a>, worktree: &Worktree) -> Result<Self, Cannot> {
        let (repository, flex) = (asking.repository, &asking.flex);
        let how = match asking.args.is_pytest() {
            true => How::Pytest(compare::base_of_pytest(repository, flex, worktree)?),
            false => {
                let cargo = &asking.args.cargo;
                How::Cargo(compare::base_of_cargo(cargo, repository, flex, worktree)?)
            }
        };
        Ok(Version {
            asking,
            how,
            slowest: Slowest::default(),
            seen: None,
            made: 0,
        })
    }

    /// Makes all runs below this one that are not there yet, and returns all.
    pub fn runs(&mut self, until: u32) -> Result<&SeenTest, Cannot> {
        if self.seen.is_none() || self.made < until {
            let more = self.make(self.made..until)?;
            self.made = until;
            match &mut self.seen {
                None => self.seen = Some(more),
                Some(seen) => {
                    seen.series.extend(more.series);
                    seen.runs.extend(more.runs);
                }
            }
        }
        let none = || Cannot::Skip("it makes no run".to_owned());
        self.seen.as_ref().ok_or_else(none)
    }

    /// What a run saw of a series.
    pub fn value(&self, run: u32, key: &SeriesKey) -> Option<f64> {
        let run: &SeenRun = self.seen.as_ref()?.runs.get(&run)?;
        match *key == SeriesKey::FAILED {
            true => Some(f64::from(u8::from(run.failure.is_some()))),
            false => Some(run.values.get(key)?.value),
        }
    }

    fn make(&self, runs: Range<u32>) -> Result<SeenTest, Cannot> {
        let made = match &self.how {
            How::Cargo(programs) => self.make_by_cargo(programs, runs),
            How::Pytest(environment) => self.make_by_pytest(environment, runs),
        };
        match self.asking.interrupt.has_come() {
            true => Err(Cannot::End(Failure::Interrupted)),
            false => made,
        }
    }

    fn make_by_cargo(&self, programs: &[Program], runs: Range<u32>) -> Result<SeenTest, Cannot> {
        let asking = self.asking;
        let mut found = Vec::new();
        for program in programs {
            let tests = find(program)?;
            found.extend(
                tests
                    .into_iter()
                    .filter(|test| test.name == asking.args.tested),
            );
        }
        let [test] = &found[..] else {
            let name = &asking.args.tested;
            return Err(match found.is_empty() {
                true => Cannot::Skip(format!("there is no stochastic test `{name}`")),
                false => Cannot::End(Failure::input(
                    format!("{} tests are called `{name}`", found.len()),
                    "choose one with --package, --lib or --test",
                )),
            });
        };
        let worker = Worker {
            program: &test.program.program,
            test: &test.name,
            base: asking.base,
            phase: Phase::Detect,
            deadline: None,
            timeout: asking.args.timeout,
            slowest: &self.slowest,
            gate: &asking.gate,
            onlooker: &Nobody,
        };
        let cannot = |error: CalibrationError| Cannot::Skip(error.to_string());
        let recorded = worker.record(runs).map_err(cannot)?;
        let seen = SeenTest::of_recorded(&recorded);
        seen.ok_or_else(|| Cannot::Skip("it makes no run".to_owned()))
    }

    fn make_by_pytest(
        &self,
        environment: &Environment,
        runs: Range<u32>,
    ) -> Result<SeenTest, Cannot> {
        let asking = self.asking;
        let paths = [PathBuf::from(&asking.args.tested)];
        let asked = Asked {
            paths: &paths,
            names: &[],
            keyword: None,
            words: &[],
            shard: None,
            repository: asking.repository,
            flex: asking.flex.clone(),
        };
        let session = Session {
            environment,
            version: "other",
            asked: &asked,
            base: asking.base,
            timeout: asking.args.timeout,
        };
        let name = self.seen.as_ref().map(|seen| seen.id.name().to_owned());
        let wanted = match name {
            Some(name) => WantedBySession::Of(BTreeMap::from([(name, runs.collect())])),
            None => WantedBySession::Every(runs),
        };
        let made = session
            .make(&wanted, false, None)
            .map_err(|failure| match failure {
                // So pytest ends, too, if the file of a node id cannot be imported.
                Failure::Input { error, .. } => Cannot::Skip(error),
                other => other.into(),
            })?;
        let mut tests = made.as_ref().map(seen).unwrap_or_default().into_values();
        match (tests.next(), tests.next()) {
            (Some(test), None) => Ok(test),
            (None, _) => Err(Cannot::Skip(format!(
                "there is no test {}",
                asking.args.tested
            ))),
            (Some(_), Some(_)) => Err(Cannot::End(Failure::input(
                format!("{} is more than one test", asking.args.tested),
                "name one, with its parameters: tests/test_a.py::test_b[1-2]",
            ))),
        }
    }
}
