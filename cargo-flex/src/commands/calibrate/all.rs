//! All tests of a calibration: beside each other where they may be, with what they have in common.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use flex_run::calibrate::{CalibrationError, CalibrationSettings, Gate, calibrate};

use super::ledger::Ledger;
use super::projects::Projects;
use super::suite::SuitePlans;
use super::{CalibrateArgs, Outcome, TestFailure};
use crate::cargo::FoundTest;
use crate::session::{Display, TimeBudget, for_each, locked};

/// What all tests have in common.
pub struct Common<'a> {
    pub args: &'a CalibrateArgs,
    pub base: String,
    pub projects: Projects,
    pub suites: SuitePlans,
    pub gate: Gate,
    pub display: &'a Display,
}

impl Common<'_> {
    /// Calibrates tests beside each other, so many at a time; those that measure time come last, one by one.
    pub fn calibrate<'t>(
        &self,
        tests: Vec<FoundTest<'t>>,
        jobs: usize,
        ledger: Ledger<'t>,
    ) -> Vec<(FoundTest<'t>, Outcome)> {
        let budget = TimeBudget::new(self.args.time_budget, jobs, tests.len());
        let timed = Mutex::new(Vec::new());
        for_each(tests, jobs, |test| {
            let deadline = budget.start();
            match self.one(&test, deadline, false) {
                Err(TestFailure::Calibration(CalibrationError::NotAlone)) => {
                    locked(&timed).push(test);
                }
                outcome => {
                    budget.end();
                    ledger.push(test, outcome);
                }
            }
        });
        let timed = timed.into_inner().unwrap_or_else(PoisonError::into_inner);
        for test in timed {
            let outcome = self.one(&test, budget.start_alone(), true);
            budget.end();
            ledger.push(test, outcome);
        }
        ledger.close()
    }

    /// Calibrates one test.
    fn one(&self, test: &FoundTest<'_>, deadline: Option<Instant>, alone: bool) -> Outcome {
        let args = self.args;
        let settings = CalibrationSettings {
            runs: args.runs,
            max_runs: args.max_runs,
            tight: args.tight,
            deadline,
            base: self.base.clone(),
            accept: args.accept,
            check: args.check,
            variant: self.projects.variant(test).map(str::to_owned),
            alone,
            shares: self.suites.shares(test),
        };
        let program = &test.program.program;
        let bar = self.display.begin(&test.label());
        let calibration = calibrate(program, &test.name, &settings, &self.gate, &|p| bar.show(p))
            .map_err(TestFailure::Calibration)?;
        bar.done("calibrated", calibration.runs, calibration.processes);
        Ok(calibration)
    }
}
