//! The session of a calibration: all tests, with what they have in common.

use std::sync::Arc;

use flex_report::history::History;
use flex_run::calibrate::{
    Calibrating, CalibrationError, CalibrationSettings, Driven, Gate, PoolSource, TestCalibration,
    drive,
};

use super::args::CalibrateArgs;
use super::outcome::{TestFailure, TestResult};
use super::projects::Projects;
use super::results::ResultWriter;
use super::suite_budgets::SuitePlans;
use super::unchanged::Unchanged;
use crate::cargo::FoundTest;
use crate::session::{Display, Ran, Turn, run_all};

/// The settings that all tests have in common.
pub struct CalibrationSession<'a> {
    pub args: &'a CalibrateArgs,
    pub base: String,
    /// The runs to begin with, and at most, as the command line states them.
    pub runs: (Option<u32>, Option<u32>),
    pub projects: Projects,
    pub suites: SuitePlans,
    pub pool: Option<Arc<History>>,
    pub gate: Gate,
    pub same: Unchanged,
    pub display: &'a Display,
}

impl CalibrationSession<'_> {
    /// Calibrates tests, so many at a time, and writes down what they teach.
    pub fn calibrate<'t>(
        &self,
        tests: Vec<FoundTest<'t>>,
        jobs: usize,
        writer: ResultWriter<'t>,
    ) -> Vec<(FoundTest<'t>, TestResult)> {
        run_all(
            tests,
            jobs,
            self.args.time_budget,
            |test, turn, begun| self.calibrate_one(test, turn, begun),
            |test, outcome| writer.push(test, outcome.map_err(TestFailure::Calibration)),
        );
        writer.finish()
    }

    /// How a test is calibrated in its turn.
    pub fn settings(&self, test: &FoundTest<'_>, turn: Turn) -> CalibrationSettings {
        let args = self.args;
        CalibrationSettings {
            runs: self.runs.0,
            max_runs: self.runs.1,
            tight: args.tight,
            full: args.makes_all_runs(),
            deadline: turn.deadline,
            timeout: args.timeout,
            base: self.base.clone(),
            accept: args.accept,
            check: args.check,
            variant: self.projects.variant(test).map(str::to_owned),
            alone: turn.alone,
            as_if_by: None,
            shares: self.suites.shares(test),
            pool: self.pool_of(test),
        }
    }

    fn calibrate_one(
        &self,
        test: &FoundTest<'_>,
        turn: Turn,
        begun: Option<Box<Calibrating>>,
    ) -> Result<Ran<TestCalibration, Box<Calibrating>>, CalibrationError> {
        let settings = self.settings(test, turn);
        let program = &test.program.program;
        let bar = self.display.begin(&test.label()).of_calibration(&settings);
        let begun = (begun, turn.last);
        let driven = drive(program, &test.name, &settings, (&self.gate, &bar), begun)?;
        let mut calibration = match driven {
            Driven::Done(calibration) => calibration,
            Driven::Short(begun) => return Ok(Ran::Short(begun)),
        };
        calibration.is_same = self.same.contains(test);
        bar.done("calibrated", calibration.runs, calibration.processes);
        Ok(Ran::Done(*calibration))
    }

    /// What is known of earlier runs.
    fn pool_of(&self, test: &FoundTest<'_>) -> Option<PoolSource> {
        let history = Arc::clone(self.pool.as_ref()?);
        let variant = self.projects.variant(test).map(str::to_owned);
        Some(PoolSource::new(move |test| {
            history.pooled(test, variant.as_deref())
        }))
    }
}
