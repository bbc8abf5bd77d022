//! The session of a calibration: all tests, with what they have in common.

use flex_run::calibrate::{
    Calibrating, CalibrationError, CalibrationSettings, Driven, Gate, TestCalibration, drive,
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
    pub projects: Projects,
    pub suites: SuitePlans,
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

    fn calibrate_one(
        &self,
        test: &FoundTest<'_>,
        turn: Turn,
        begun: Option<Box<Calibrating>>,
    ) -> Result<Ran<TestCalibration, Box<Calibrating>>, CalibrationError> {
        let args = self.args;
        let settings = CalibrationSettings {
            runs: args.runs,
            max_runs: args.max_runs,
            tight: args.tight,
            full: args.full,
            deadline: turn.deadline,
            timeout: args.timeout,
            base: self.base.clone(),
            accept: args.accept,
            check: args.check,
            variant: self.projects.variant(test).map(str::to_owned),
            alone: turn.alone,
            shares: self.suites.shares(test),
        };
        let program = &test.program.program;
        let bar = self.display.begin(&test.label());
        let show = |progress| bar.show(progress);
        let begun = (begun, turn.last);
        let driven = drive(program, &test.name, &settings, &self.gate, &show, begun)?;
        let mut calibration = match driven {
            Driven::Done(calibration) => calibration,
            Driven::Short(begun) => return Ok(Ran::Short(begun)),
        };
        calibration.is_same = self.same.contains(test);
        bar.done("calibrated", calibration.runs, calibration.processes);
        Ok(Ran::Done(*calibration))
    }
}
