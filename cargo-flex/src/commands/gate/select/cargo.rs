//! The tests of cargo packages, and replays of those that are stochastic.

use std::path::Path;

use flex_bounds::file::BoundsFile;
use flex_gate::changes::Changes;
use flex_gate::graph::Package;
use flex_gate::select::{ExecutionMap, SelectionReason, TestTarget};
use flex_gate::selection::{Selection, VERSION};
use flex_run::calibrate::{CalibrationSettings, Gate, ReplayFirst, ReplayTimeouts, replay_all};
use flex_run::project::config::Project;

use super::super::args::SelectingArgs;
use super::selected;
use crate::cargo::{CargoTest, Program, TestKind, all_tests, build, needs, workspace_root};
use crate::exit::Failure;
use crate::git::Repository;
use crate::record::{file::RecordFile, file_of};
use crate::session::{Interrupt, jobs};

type Selecting<'a> =
    dyn Fn(&[Package], &[TestTarget], Option<&ExecutionMap>) -> Vec<Option<SelectionReason>> + 'a;

/// Builds the tests and selects among them.
pub fn select(
    repository: &Repository,
    args: &SelectingArgs,
    changes: &Changes,
    selecting: &Selecting<'_>,
) -> Result<Selection, Failure> {
    let top = repository
        .top()
        .canonicalize()
        .unwrap_or_else(|_| repository.top().to_owned());
    let packages = needs(args.cargo.manifest_path(), &top)?;
    let programs = build(&args.cargo)?;
    let tests = all_tests(&programs)?;
    let targets: Vec<TestTarget> = tests.iter().map(|test| target(test, &top)).collect();
    let mut reasons = selecting(&packages, &targets, None);
    let mut replayed = Vec::new();
    if !args.no_replay {
        for index in unaffected(&programs, &tests, &reasons) {
            replayed.push(targets[index].id.clone());
            reasons[index] = None;
        }
    }
    if args.last_failed {
        let root = workspace_root(args.cargo.manifest_path())?;
        let record = RecordFile::at(file_of(&programs, &root));
        add_failed(&record, &tests, &mut reasons)?;
    }
    Ok(Selection {
        version: VERSION,
        base: changes.base.clone(),
        tests: selected(&targets, reasons),
        replayed,
        of: targets.len(),
    })
}

fn target(test: &CargoTest<'_>, top: &Path) -> TestTarget {
    let found = &test.found;
    let file = found
        .program
        .source
        .strip_prefix(top)
        .unwrap_or(&found.program.source);
    TestTarget {
        id: found.label(),
        file: file.to_string_lossy().replace('\\', "/"),
        function: found.name.clone(),
        package: Some(found.program.package.clone()),
    }
}

/// The selected stochastic tests whose calibration runs, made again, show what they showed. Those that are new or changed
/// stay selected.
fn unaffected(
    programs: &[Program],
    tests: &[CargoTest<'_>],
    reasons: &[Option<SelectionReason>],
) -> Vec<usize> {
    let gate = Gate::new(jobs(None)).closed_by(Interrupt::listen().flag());
    let mut same = Vec::new();
    for program in programs {
        let file: BoundsFile = program.store().read().unwrap_or_default();
        let variant = Project::of_package(&program.package_folder)
            .ok()
            .and_then(|project| project.variant().map(str::to_owned));
        let settings = CalibrationSettings {
            variant: flex_run::project::env::variant().ok().flatten().or(variant),
            ..CalibrationSettings::default()
        };
        let asked: Vec<(usize, ReplayFirst)> = tests
            .iter()
            .enumerate()
            .filter(|(index, test)| {
                let is_reached = reasons[*index].as_ref().is_some_and(|reason| {
                    !matches!(reason, SelectionReason::New | SelectionReason::Changed)
                });
                is_reached
                    && test.kind == TestKind::Stochastic
                    && std::ptr::eq(test.found.program, program)
            })
            .filter_map(|(index, test)| {
                Some((index, ReplayFirst::of(&file, &test.found.id(), &settings)?))
            })
            .collect();
        let named: Vec<(&str, &ReplayFirst)> = asked
            .iter()
            .map(|(index, replay)| (tests[*index].found.name.as_str(), replay))
            .collect();
        if named.is_empty() {
            continue;
        }
        let answers = replay_all(&program.program, &named, ReplayTimeouts::default(), &gate);
        let equal = asked.iter().zip(answers).filter(|(_, is_same)| *is_same);
        same.extend(equal.map(|((index, _), _)| *index));
    }
    same
}

/// Selects tests that failed in the last search or check, too.
fn add_failed(
    record: &RecordFile,
    tests: &[CargoTest<'_>],
    reasons: &mut [Option<SelectionReason>],
) -> Result<(), Failure> {
    let Some(record) = record.read()? else {
        return Ok(());
    };
    for (test, reason) in tests.iter().zip(reasons) {
        let failed = record.tests.iter().any(|known| {
            known.package.as_deref() == Some(&*test.found.program.package)
                && known.id == test.found.id()
                && known
                    .runs
                    .iter()
                    .any(|run| run.outcome == flex_detect::record::Outcome::Fail)
        });
        if reason.is_none() && failed {
            *reason = Some(SelectionReason::LastFailed);
        }
    }
    Ok(())
}
