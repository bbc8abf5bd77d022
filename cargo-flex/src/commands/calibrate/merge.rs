//! `--from DIR`: what shards showed takes the place of the runs of this machine.

use std::sync::Mutex;

use flex_run::calibrate::{CalibrationError, CalibrationSettings, TestCalibration};
use flex_run::model::{ProcessRecord, Runner};
use flex_shard::answers::Answers;
use flex_shard::calibrate::{MergedTest, calibrate};
use flex_shard::report::{Kinds, Missing, conflicts_in_words, kinds_in_words};
use flex_shard::union::RunConflict;

use super::outcome::TestFailure;
use super::results::ResultWriter;
use super::session::CalibrationSession;
use crate::cargo::FoundTest;
use crate::exit::Failure;
use crate::session::{Turn, for_each, locked};
use crate::shards::{Putting, key_of};

/// What came of all tests.
#[derive(Default)]
struct Together {
    done: Vec<(usize, Result<TestCalibration, CalibrationError>)>,
    missing: Vec<(usize, Missing)>,
    conflicts: Vec<(usize, RunConflict)>,
    kinds: Kinds,
}

/// Calibrates all tests, or says what is missing; how often runs were not the same twice.
pub fn merge<'t>(
    session: &CalibrationSession<'_>,
    putting: &Putting,
    tests: Vec<FoundTest<'t>>,
    jobs: usize,
    writer: &ResultWriter<'t>,
) -> Result<(Vec<Missing>, usize), Failure> {
    let together = Mutex::new(Together::default());
    for_each(tests.iter().enumerate().collect(), jobs, |(place, test)| {
        let key = key_of(test);
        let answers = match putting.shards.answers(&key) {
            Ok(answers) => answers,
            Err(error) => {
                let error = CalibrationError::Process(format!("cannot read its shards: {error}"));
                locked(&together).done.push((place, Err(error)));
                return;
            }
        };
        let merged = one(session, test, &answers);
        let mut together = locked(&together);
        together.kinds.add(&key, &answers);
        let conflicts = answers.union.conflicts.into_iter();
        together
            .conflicts
            .extend(conflicts.map(|conflict| (place, conflict)));
        match merged {
            Ok((MergedTest::Done(calibration), _)) => together.done.push((place, Ok(*calibration))),
            Err(error) => together.done.push((place, Err(error))),
            Ok((MergedTest::Wants(wanted), seconds_per_run)) => {
                let missing = Missing {
                    key,
                    wanted,
                    seconds_per_run,
                };
                together.missing.push((place, missing));
            }
        }
    });
    let mut together = together
        .into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    together.missing.sort_by_key(|(place, _)| *place);
    together
        .conflicts
        .sort_by_key(|(place, conflict)| (*place, conflict.run));
    putting.say(&kinds_in_words(&putting.shards, &together.kinds))?;
    let of_test = together.conflicts.chunk_by(|(a, _), (b, _)| a == b);
    for of_test in of_test {
        let conflicts: Vec<RunConflict> = of_test.iter().map(|(_, one)| one.clone()).collect();
        let words = conflicts_in_words(&tests[of_test[0].0].label(), &conflicts);
        putting.say(&words.into_iter().collect::<Vec<String>>())?;
    }
    if together.missing.is_empty() {
        let mut done = together.done;
        done.sort_by_key(|(place, _)| *place);
        for (test, (_, outcome)) in tests.into_iter().zip(done) {
            writer.push(test, outcome.map_err(TestFailure::Calibration));
        }
    }
    let missing = together.missing.into_iter().map(|(_, missing)| missing);
    Ok((missing.collect(), together.conflicts.len()))
}

/// Calibrates one test; with the seconds that its runs take.
fn one(
    session: &CalibrationSession<'_>,
    test: &FoundTest<'_>,
    answers: &Answers,
) -> Result<(MergedTest, f64), CalibrationError> {
    let bar = session.display.begin(&test.label());
    let turn = Turn {
        deadline: None,
        first: None,
        alone: true,
        last: true,
    };
    let settings: CalibrationSettings = session.settings(test, turn);
    let merged = calibrate(answers, &settings, Runner::Cargo)?;
    let seconds = answers.first().and_then(ProcessRecord::seconds_per_run);
    let merged = match merged {
        MergedTest::Done(mut calibration) => {
            calibration.is_same = session.same.contains(test);
            bar.done("merged", calibration.runs, calibration.processes);
            MergedTest::Done(calibration)
        }
        wants => wants,
    };
    Ok((merged, seconds.unwrap_or(0.0)))
}
