//! Enforcement: one run is compared with the bounds file, and doubts are settled by a race of reruns (DESIGN §2.1).

use std::any::Any;
use std::io::Write;

use flex_core::race::RaceStep;
use flex_core::seed::{Phase, Seeds};

use crate::doubt::Doubt;
use crate::env::{self, Settings};
use crate::judge::{Finding, Judged, TestBounds, declared_findings};
use crate::replay::Replay;
use crate::report::Report;
use crate::run::{End, Runs};
use crate::store::Store;
use crate::test::Test;

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

impl Failure {
    /// The same failure, with words before the note on how to repeat it.
    fn after(self, words: &str) -> Self {
        match self {
            Failure::Report(report) => Failure::Report(format!("{words}{report}")),
            Failure::Panic { payload, note } => Failure::Panic {
                payload,
                note: format!("{words}{note}"),
            },
        }
    }
}

impl From<String> for Failure {
    fn from(report: String) -> Self {
        Failure::Report(report)
    }
}

/// Runs a test once, and more often where a value is in doubt.
pub(crate) fn enforce(test: &'static Test, settings: &Settings) -> Result<(), Failure> {
    let replay = Replay::of(test, settings);
    let target = test.target();
    let store = Store::at(env::bounds_file(test.identity.manifest_dir));
    let entries = store
        .select(Some(&target), test.name())
        .map_err(|error| format!("error: {error}\n"))?;
    let bounds = TestBounds {
        test,
        entries: &entries,
        variant: settings.variant.as_deref(),
    };
    let seeds = Seeds::new(&replay.base, Phase::Enforce, &target, test.name());
    let mut runs = Runs::new(test, seeds, true);
    let report = Report {
        test,
        replay: &replay,
        is_stale: bounds.is_stale(),
        bounds_file: store.path(),
    };

    finished(runs.run(0).end, &report)?;
    no_mistakes(&runs, &report)?;
    let sites = runs.recorder.sites_from(0);
    let Judged {
        mut findings,
        warnings,
        doubts,
    } = bounds.judge(&sites, &runs.record, settings);
    for warning in warnings {
        say(&report.warning(&warning));
    }
    if report.is_stale && settings.stale_fails {
        return Err(report.stale(&findings).into());
    }
    if !findings.is_empty() {
        findings.extend(doubts.into_iter().map(Doubt::unconfirmed));
        return Err(report.failure(&findings).into());
    }
    let cleared = confirm(doubts, &mut runs, &report)?;
    if settings.log {
        say(&report.passed(&sites, &runs, &cleared));
    }
    Ok(())
}

/// Makes exactly one run, of any phase, and shows what it saw.
pub(crate) fn replay_run(
    test: &'static Test,
    settings: &Settings,
    phase: Phase,
    index: u64,
) -> Result<(), Failure> {
    let replay = Replay::of(test, settings);
    let seeds = Seeds::new(&replay.base, phase, &test.target(), test.name());
    let mut runs = Runs::new(test, seeds, true);
    let store = Store::at(env::bounds_file(test.identity.manifest_dir));
    let report = Report {
        test,
        replay: &replay,
        is_stale: false,
        bounds_file: store.path(),
    };
    let run = runs.run(index);
    let sites = runs.recorder.sites_from(0);
    say(&report.replayed(phase, index, &sites, &runs));
    finished(run.end, &report)?;
    no_mistakes(&runs, &report)?;
    let broken = declared_findings(&sites, &runs.record);
    if broken.is_empty() {
        Ok(())
    } else {
        Err(report.failure(&broken).into())
    }
}

/// Runs a test once, with no bounds but the declared ones.
pub(crate) fn run_without_bounds(test: &'static Test, settings: &Settings) -> Result<(), Failure> {
    let replay = Replay::of(test, settings);
    let seeds = Seeds::new(&replay.base, Phase::Enforce, &test.target(), test.name());
    let mut runs = Runs::new(test, seeds, true);
    let path = env::bounds_file(test.identity.manifest_dir);
    let report = Report {
        test,
        replay: &replay,
        is_stale: false,
        bounds_file: &path,
    };
    finished(runs.run(0).end, &report)?;
    no_mistakes(&runs, &report)?;
    let findings = declared_findings(&runs.recorder.sites_from(0), &runs.record);
    if findings.is_empty() {
        Ok(())
    } else {
        Err(report.failure(&findings).into())
    }
}

/// Prints where libtest does not capture: a passing test has something to say.
pub(crate) fn say(text: &str) {
    // If standard error is gone, there is nobody to tell.
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// A run that ended by itself is an ordinary failure, with its seed.
fn finished(end: End, report: &Report<'_>) -> Result<(), Failure> {
    match end {
        End::Done => Ok(()),
        End::Error(error) => Err(report.returned(&error).into()),
        End::Panic(payload) => Err(Failure::Panic {
            payload,
            note: report.panicked(),
        }),
    }
}

/// Something may be wrong with the test itself, whatever its values are.
fn no_mistakes(runs: &Runs, report: &Report<'_>) -> Result<(), Failure> {
    let mistakes = runs.recorder.mistakes();
    if mistakes.is_empty() {
        Ok(())
    } else {
        Err(report.mistakes(&mistakes).into())
    }
}

/// Reruns the test until every doubt is cleared or one is confirmed; those that were cleared.
fn confirm(
    mut doubts: Vec<Doubt>,
    runs: &mut Runs,
    report: &Report<'_>,
) -> Result<Vec<Doubt>, Failure> {
    let is = |step: RaceStep| move |doubt: &Doubt| doubt.step() == step;
    let mut run = 0;
    while doubts.iter().any(is(RaceStep::Rerun)) && !doubts.iter().any(is(RaceStep::Regression)) {
        run += 1;
        let end = runs.run(run).end;
        finished(end, report).map_err(|failure| failure.after(&report.in_rerun(run, &doubts)))?;
        let sites = runs.recorder.sites_from(0);
        for doubt in doubts.iter_mut().filter(|doubt| is(RaceStep::Rerun)(doubt)) {
            doubt.see(&sites, &runs.record);
        }
    }
    let (confirmed, cleared): (Vec<Doubt>, Vec<Doubt>) =
        doubts.into_iter().partition(is(RaceStep::Regression));
    if confirmed.is_empty() {
        return Ok(cleared);
    }
    let findings: Vec<Finding> = confirmed.into_iter().map(Doubt::confirmed).collect();
    Err(report.failure(&findings).into())
}
