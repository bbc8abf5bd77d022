//! The runs of one test, as many as the published tool would make: 100, and 50 more at a time.

use std::time::Duration;

use flex_core::bound::confidence::Confidence;
use flex_core::bound::strategy::Strategy;
use flex_core::calibration::Run;
use flex_core::published::{
    PublishedCalibrated, PublishedCalibration, PublishedPlan, PublishedStep,
};
use flex_core::seed::Phase;
use flex_run::calibrate::{CalibrationError, Gate, Observed, Onlooker, Recorded, Worker, parts_of};
use flex_run::model::{Asks, ProcessRecord};
use flex_run::watch::Slowest;

use crate::cargo::FoundTest;
use crate::commands::calibrate::args::CalibrateArgs;
use crate::session::{Display, Ran, Turn};

/// Runs are spread over so many processes at least, as in any calibration.
const PROCESSES: u32 = 5;

/// What all tests have in common.
pub struct Collecting<'a> {
    pub args: &'a CalibrateArgs,
    pub base: &'a str,
    pub gate: Gate,
    pub display: &'a Display,
}

/// What the method says of a test.
pub struct Calibrated {
    /// The confidence of the test as a whole.
    pub confidence: Confidence,
    pub found: PublishedCalibrated,
    /// What its runs showed besides.
    pub observed: Observed,
}

impl Calibrated {
    /// Whether a side of a site has no answer.
    pub fn is_refused(&self) -> bool {
        let mut sides = self.found.sites.iter().flat_map(|site| &site.sides);
        sides.any(|(_, published)| published.decision.strategy() == Strategy::Refuse)
    }
}

/// A calibration that is under way.
pub struct PublishedBegun {
    calibration: PublishedCalibration,
    confidence: Confidence,
    observed: Observed,
}

impl Collecting<'_> {
    /// Makes the runs of a test in its turn.
    pub fn collect(
        &self,
        test: &FoundTest<'_>,
        turn: Turn,
        begun: Option<Box<PublishedBegun>>,
    ) -> Result<Ran<Calibrated, Box<PublishedBegun>>, CalibrationError> {
        let slowest = Slowest::default();
        let bar = self.display.begin(&test.label());
        let worker = Worker {
            program: &test.program.program,
            test: &test.name,
            base: self.base,
            phase: Phase::Calibrate,
            deadline: turn.deadline,
            timeout: self.args.timeout,
            slowest: &slowest,
            gate: &self.gate,
            onlooker: &bar,
        };
        let mut begun = match begun {
            Some(begun) => begun,
            None => Box::new(self.first_runs(&worker)?),
        };
        if begun.observed.measures_time() && !turn.alone {
            return Err(CalibrationError::NotAlone);
        }
        slowest.took(Duration::from_secs_f64(begun.observed.seconds_per_run()));
        let overlap = begun.observed.test.options.may_overlap();
        let found = loop {
            let step = begun.calibration.step();
            match step.map_err(|error| CalibrationError::Test(vec![error.to_string()]))? {
                PublishedStep::Done(found) if found.runs == 0 => {
                    return Err(CalibrationError::NoTime);
                }
                PublishedStep::Done(found) => break found,
                PublishedStep::Collect(_) if worker.time_is_up() && !turn.last => {
                    return Ok(Ran::Short(begun));
                }
                PublishedStep::Collect(_) if worker.time_is_up() => begun.calibration.out_of_time(),
                PublishedStep::Collect(_) => {
                    let wanted: Vec<u32> = begun.calibration.wanted().collect();
                    let until = wanted.last().map_or(0, |last| last + 1);
                    bar.wants(until, None);
                    let made = begun.observed.processes.len() as u32;
                    let parts = parts_of(&wanted, PROCESSES.saturating_sub(made).max(1));
                    for part in worker.record_all(parts, overlap)? {
                        worker.not_hung(&begun.observed.test, part.hung)?;
                        begun.take(&part)?;
                    }
                    bar.taken(begun.observed.runs().len() as u32);
                }
            }
        };
        let PublishedBegun {
            confidence,
            observed,
            ..
        } = *begun;
        bar.done("calibrated", found.runs, observed.processes.len());
        Ok(Ran::Done(Calibrated {
            confidence,
            found,
            observed,
        }))
    }

    /// Makes the first runs, in one process: what the test says of itself is not known before.
    fn first_runs(&self, worker: &Worker<'_>) -> Result<PublishedBegun, CalibrationError> {
        let usual = PublishedPlan::default();
        let most = self.args.max_runs.unwrap_or(usual.most);
        let first = self.args.runs.unwrap_or(usual.first).min(most);
        worker.onlooker.wants(first, None);
        let recorded = worker.record_first(first.div_ceil(PROCESSES).max(1), None, false)?;
        let record = recorded.records.first().ok_or(CalibrationError::NoTime)?;
        worker.not_hung(&record.test, recorded.hung)?;
        let confidence = record.test.options.confidence;
        let confidence = confidence
            .map_or(Ok(usual.confidence), Confidence::new)
            .map_err(|error| CalibrationError::Test(vec![error]))?;
        let mut begun = PublishedBegun {
            calibration: PublishedCalibration::new(PublishedPlan {
                confidence,
                first,
                most,
                rule: self.args.rule.unwrap_or_default().into(),
                ..usual
            }),
            confidence,
            observed: Observed::new(record.test.clone()),
        };
        begun.take(&recorded)?;
        Ok(begun)
    }
}

impl PublishedBegun {
    /// Takes what runs showed.
    fn take(&mut self, recorded: &Recorded) -> Result<(), CalibrationError> {
        self.observed.take(recorded)?;
        let mut runs: Vec<Run> = recorded.records.iter().flat_map(runs_of).collect();
        let died = recorded.deaths.iter().map(|(index, _)| failed(*index));
        runs.extend(died);
        for run in runs {
            self.calibration
                .push(&run)
                .map_err(|error| CalibrationError::Test(vec![error.to_string()]))?;
        }
        Ok(())
    }
}

/// What the runs of one process showed at sites whose bound is learned.
fn runs_of(record: &ProcessRecord) -> Vec<Run> {
    let further_attempts = record.test.options.attempts() > 1;
    let mut runs = Vec::new();
    for (run, hits) in record.runs() {
        let mut values = Vec::new();
        for hit in hits {
            let site = record.site(hit);
            if let Asks::Learned(spec) = &site.asks {
                for value in [hit.extremes.least, hit.extremes.greatest] {
                    values.push((site.id.clone(), *spec, value));
                }
            }
        }
        runs.push(Run {
            index: run.index,
            panicked: match further_attempts {
                true => record.failed(run, hits),
                false => run.failure.is_some(),
            },
            hits: values,
        });
    }
    runs.extend(record.inconclusive.iter().map(|(index, _)| failed(*index)));
    runs
}

/// A run that is no sample of any site.
fn failed(index: u32) -> Run {
    Run {
        index,
        panicked: true,
        hits: Vec::new(),
    }
}
