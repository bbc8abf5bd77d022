//! Enforcement of a Rust test: its runs are made here, and judged by [`Enforcement`].

use std::any::Any;
use std::io::Write;

use flex_core::seed::{Phase, SeedRequest, Seeds};

use crate::run::{End, Runs};
use crate::test::Test;
use flex_run::enforce::machine::{Enforcement, Verdict};
use flex_run::model::test::TestRecord;
use flex_run::project::base::stated_or_fresh;
use flex_run::project::env::{self, Settings};
use flex_run::store::Store;

/// Why a test fails.
#[derive(Debug)]
pub(crate) enum Failure {
    /// flex says so.
    Report(String),
    /// The test panicked by itself; the note says under which seed.
    Panic {
        payload: Box<dyn Any + Send>,
        note: String,
    },
}

impl From<String> for Failure {
    fn from(report: String) -> Self {
        Failure::Report(report)
    }
}

/// Runs a test once, and more often where a value is in doubt.
pub(crate) fn enforce(
    test: &'static Test,
    asked: TestRecord,
    settings: &Settings,
) -> Result<(), Failure> {
    let store = Store::at(env::bounds_file(test.identity.manifest_dir));
    let entries = store
        .select(Some(&test.target()), test.name())
        .map_err(|error| format!("error: {error}\n"))?;
    let seed = stated_or_fresh(settings);
    let mut runs = runs_of(test, &asked, &seed, Phase::Enforce);
    let mut enforcement = Enforcement::new(
        asked,
        settings.clone(),
        seed,
        entries,
        store.path().to_owned(),
    );
    let mut index = 0;
    loop {
        finish(&mut runs, index, &mut enforcement)?;
        let sites = runs.recorder.sites_from(0);
        let verdict = enforcement.see(&sites, &runs.record);
        for warning in enforcement.take_warnings() {
            say(&warning);
        }
        match verdict {
            Verdict::Rerun(next) => index = next,
            Verdict::Fail(report) => return Err(report.into()),
            Verdict::Pass => {
                if settings.log {
                    say(&enforcement.passed(&sites, &runs.record));
                }
                return Ok(());
            }
        }
    }
}

/// Makes exactly one run, of any phase, and shows what it saw.
pub(crate) fn replay_run(
    test: &'static Test,
    asked: TestRecord,
    settings: &Settings,
    (phase, index): (Phase, u64),
) -> Result<(), Failure> {
    let (mut runs, enforcement) = without_bounds(test, asked, settings, phase);
    let run = runs.run(index);
    let sites = runs.recorder.sites_from(0);
    say(&enforcement.replayed((phase, index), &sites, &runs.record));
    finished(run.end, &runs, &enforcement)?;
    declared_kept(&runs, &enforcement)
}

/// Runs a test once, with no bounds but the declared ones.
pub(crate) fn run_without_bounds(
    test: &'static Test,
    asked: TestRecord,
    settings: &Settings,
) -> Result<(), Failure> {
    let (mut runs, mut enforcement) = without_bounds(test, asked, settings, Phase::Enforce);
    finish(&mut runs, 0, &mut enforcement)?;
    declared_kept(&runs, &enforcement)
}

/// Prints where libtest does not capture: a passing test has something to say.
pub(crate) fn say(text: &str) {
    // If standard error is gone, there is nobody to tell.
    let _ = std::io::stderr().write_all(text.as_bytes());
}

fn runs_of(test: &'static Test, asked: &TestRecord, seed: &SeedRequest, phase: Phase) -> Runs {
    let seeds = Seeds::new(&seed.base, phase, &test.target(), test.name());
    Runs::new(test, &asked.options, seeds, true)
}

/// The runs of a test that no learned bound judges.
fn without_bounds(
    test: &'static Test,
    asked: TestRecord,
    settings: &Settings,
    phase: Phase,
) -> (Runs, Enforcement) {
    let seed = stated_or_fresh(settings);
    let runs = runs_of(test, &asked, &seed, phase);
    let enforcement = Enforcement::single(
        asked,
        settings.clone(),
        seed,
        env::bounds_file(test.identity.manifest_dir),
    );
    (runs, enforcement)
}

/// Makes a run that must not fail by itself, in as many attempts as the test has.
fn finish(runs: &mut Runs, mut index: u64, enforcement: &mut Enforcement) -> Result<(), Failure> {
    loop {
        let end = runs.run(index).end;
        let next = match end {
            End::Done => None,
            End::Error(_) | End::Panic(_) => enforcement.another_attempt(),
        };
        match next {
            Some(next) => index = next,
            None => return finished(end, runs, enforcement),
        }
    }
}

/// A run that failed by itself is an ordinary failure, with its seed; and something may be wrong with the test itself.
fn finished(end: End, runs: &Runs, enforcement: &Enforcement) -> Result<(), Failure> {
    match end {
        End::Done => {}
        End::Error(error) => {
            let note = enforcement.failed_by_itself();
            return Err(format!("Error: {error}\n{note}").into());
        }
        End::Panic(payload) => {
            return Err(Failure::Panic {
                payload,
                note: enforcement.failed_by_itself(),
            });
        }
    }
    let mistakes = runs.recorder.mistakes();
    if mistakes.is_empty() {
        Ok(())
    } else {
        Err(enforcement.mistaken(&mistakes).into())
    }
}

fn declared_kept(runs: &Runs, enforcement: &Enforcement) -> Result<(), Failure> {
    let sites = runs.recorder.sites_from(0);
    match enforcement.see_declared(&sites, &runs.record) {
        Verdict::Fail(report) => Err(report.into()),
        Verdict::Pass | Verdict::Rerun(_) => Ok(()),
    }
}
