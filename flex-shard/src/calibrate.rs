//! The calibration of one test from what shards showed: the machine that usually has processes started gets answers
//! instead, or says what is still to be made.

use flex_core::calibration::CalibrationPlan;
use flex_run::calibrate::{
    Calibrating, CalibrationError, CalibrationSettings, FixedRun, Next, TestCalibration,
    Uncontrolled,
};
use flex_run::model::{ProcessRecord, Runner, SiteKey};

use crate::answers::Answers;
use crate::share::{BY_CARGO, BY_PYTEST, for_claims, repeated};

/// What came of it.
#[derive(Debug)]
pub enum MergedTest {
    /// It is done.
    Done(Box<TestCalibration>),
    /// More runs are needed.
    Wants(Wanted),
}

/// Runs that are still to be made of one test.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wanted {
    /// All that it begins with: nothing is known of it.
    pub all: bool,
    /// These, as samples.
    pub runs: Vec<u32>,
    /// These again, in this order, in one process of their own.
    pub repeat: Option<Vec<u32>>,
    /// These, to confirm that the test is fixed.
    pub confirm: Option<Vec<u32>>,
}

/// Calibrates a test that this runner runs. The processes of pytest have an order of hashes, of which another one must
/// confirm that a test is fixed.
pub fn calibrate(
    answers: &Answers,
    settings: &CalibrationSettings,
    runner: Runner,
) -> Result<MergedTest, CalibrationError> {
    let has_hashes = runner == Runner::Pytest;
    let Some(first) = answers.first() else {
        return Ok(MergedTest::Wants(Wanted {
            all: true,
            ..Wanted::default()
        }));
    };
    if let Some(recorded) = answers.hung()
        && let Some(hung) = recorded.hung
    {
        return Err(CalibrationError::hung(settings, &first.test, hung));
    }
    fits_together(answers)?;
    let begins = first.runs().next().is_some_and(|(run, _)| run.index == 0);
    if !begins && !settings.full && FixedRun::of(first).is_some() {
        // It probably is fixed, which its first run tells, and that run once more.
        return Ok(MergedTest::Wants(Wanted {
            runs: vec![0],
            repeat: (!has_hashes).then(|| vec![0]),
            confirm: has_hashes.then(|| vec![1]),
            ..Wanted::default()
        }));
    }
    let settings = CalibrationSettings {
        // A test that measures time was alone where its runs were made.
        alone: true,
        as_if_by: Some(match runner {
            Runner::Cargo => BY_CARGO,
            Runner::Pytest => BY_PYTEST,
        }),
        full: settings.full || !begins,
        ..settings.clone()
    };
    let mut machine = Calibrating::new(first, &settings)?;
    let mut is_fixed = machine.is_fixed();
    if is_fixed {
        machine.take(first)?;
    }
    for conflict in &answers.union.conflicts {
        machine.differs(
            conflict.site.clone(),
            Uncontrolled {
                site: conflict
                    .site
                    .as_ref()
                    .map(|site: &SiteKey| site.id.to_string()),
                run: conflict.run,
                values: conflict.values,
            },
        );
    }
    is_fixed &= answers.union.conflicts.is_empty();
    // The first answer is compared with the samples, all others with each other.
    let mut is_compared = true;
    loop {
        match machine.step()? {
            Next::Done(calibration) => return Ok(MergedTest::Done(calibration)),
            Next::Collect(wanted) => match answers.union.runs(&wanted) {
                Ok(parts) => {
                    for part in &parts {
                        machine.take_all(part)?;
                    }
                }
                Err(runs) => {
                    return Ok(MergedTest::Wants(Wanted {
                        runs: with_next(runs, answers, first, &settings),
                        repeat: not_repeated(answers, first, &settings),
                        ..Wanted::default()
                    }));
                }
            },
            Next::Repeat(runs) if is_fixed && has_hashes => {
                is_fixed = false;
                match answers.confirmed() {
                    Some(record) => machine.take_repeated(record),
                    None => {
                        // Under another seed, too: what follows that unseen would not be the same.
                        let next = runs.iter().max().map_or(1, |run| run + 1);
                        return Ok(MergedTest::Wants(Wanted {
                            confirm: Some(vec![next]),
                            ..Wanted::default()
                        }));
                    }
                }
            }
            Next::Repeat(runs) => {
                let compared = is_compared && !is_fixed;
                is_fixed = false;
                match answers.repeated(&runs, compared) {
                    Some(record) => {
                        is_compared &= !compared;
                        machine.take_repeated(record);
                    }
                    None => {
                        return Ok(MergedTest::Wants(Wanted {
                            repeat: Some(answers.asked_as(&runs)),
                            ..Wanted::default()
                        }));
                    }
                }
            }
        }
    }
}

/// A further round costs more than some runs: with those that are missing go those that will probably be asked for next.
fn with_next(
    mut runs: Vec<u32>,
    answers: &Answers,
    first: &ProcessRecord,
    settings: &CalibrationSettings,
) -> Vec<u32> {
    const FURTHER: f64 = 1.5;
    let known = answers.union.all_runs();
    let (Some(begin), Some(end)) = (runs.first().copied(), runs.last().copied()) else {
        return runs;
    };
    let most = settings.max_runs.or(first.test.options.max_runs);
    let more = match known.last() {
        // A calibration that grows grows by steps.
        Some(last) if begin > *last => {
            let until = (f64::from(end) * FURTHER) as u32;
            end + 1..until.min(most.unwrap_or(CalibrationPlan::default().max_runs))
        }
        _ => {
            let options = first.test.options;
            let asked = settings
                .runs
                .unwrap_or_else(|| options.runs_to_begin_with());
            for_claims(first, asked, most)
        }
    };
    runs.extend(more.filter(|run| known.binary_search(run).is_err()));
    runs.sort_unstable();
    runs.dedup();
    runs
}

/// The runs that will probably be wanted again, if nobody made them.
fn not_repeated(
    answers: &Answers,
    first: &ProcessRecord,
    settings: &CalibrationSettings,
) -> Option<Vec<u32>> {
    let options = first.test.options;
    let runs = settings
        .runs
        .unwrap_or_else(|| options.runs_to_begin_with());
    let runs = settings.max_runs.map_or(runs, |most| runs.min(most));
    let seconds = first.seconds_per_run().unwrap_or(0.0);
    let order = repeated(runs, seconds, settings.as_if_by?);
    (!answers.could_answer(&order)).then_some(order)
}

/// Shards of different code, or of a test that asked for different things, have nothing in common.
pub fn fits_together(answers: &Answers) -> Result<(), CalibrationError> {
    let parts = answers.union.parts.iter();
    let mut known: Option<(&str, &str)> = None;
    for part in parts {
        for record in &part.recorded.records {
            let (print, host) = (record.test.fingerprint.as_str(), part.host.as_str());
            match known {
                Some((before, other)) if before != print => {
                    return Err(CalibrationError::Test(vec![format!(
                        "shards are of different code: on {other} its source has the fingerprint {before}, on {host} {print}; make all of them again from one checkout"
                    )]));
                }
                _ => known = Some((print, host)),
            }
        }
    }
    Ok(())
}
