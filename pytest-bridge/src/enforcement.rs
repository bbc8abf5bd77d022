//! Enforcement for Python: the machine of `flex-harness`.

use std::path::PathBuf;

use flex_run::enforce::{Ended, FailedTest, Verdict, WantedRun, log_strays};
use flex_run::model::SiteId;
use flex_run::project::github::annotation;
use flex_run::store::Store;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::environment::Environment;
use crate::recorder::Recorder;
use crate::seeds::phase_of;
use crate::test::Test;
use crate::text::Text;

/// The enforcement of one test.
#[pyclass]
#[derive(Debug)]
pub struct Enforcement {
    machine: flex_run::enforce::Enforcement,
    /// Whether failures are shown as JSON too.
    log_json: bool,
    /// The failure, if that is the verdict.
    failure: Option<Box<FailedTest>>,
}

/// What comes after a run: nothing, another run, a run of the calibration, or a report.
#[derive(Debug, IntoPyObject)]
pub enum Answer {
    Rerun(u64),
    Replay(String, u32),
    Fail(String),
}

#[pymethods]
impl Enforcement {
    /// The enforcement of a test by its entries in the bounds file; without one, of a single run.
    #[new]
    #[pyo3(signature = (test, environment, seed, bounds_file))]
    fn new(
        test: &Test,
        environment: &Environment,
        seed: &str,
        bounds_file: Option<PathBuf>,
    ) -> PyResult<Self> {
        let seed = seed.parse().map_err(PyValueError::new_err)?;
        let (test, settings) = (test.test.clone(), environment.settings.clone());
        let machine = match bounds_file {
            Some(path) => {
                let entries = Store::at(&path)
                    .select(&test.id)
                    .map_err(|error| PyValueError::new_err(error.to_string()))?;
                flex_run::enforce::Enforcement::new(test, settings, seed, entries, path)
            }
            None => flex_run::enforce::Enforcement::single(test, settings, seed, PathBuf::new()),
        };
        Ok(Enforcement {
            machine,
            log_json: environment.settings.log_json,
            failure: None,
        })
    }

    /// Takes what the last run showed: `None` is a pass, a number a run to be made, a base seed and a number a run of the
    /// calibration to be made again, a text why the test fails.
    fn see(&mut self, recorder: &Recorder) -> Option<Answer> {
        if !recorder.mistakes.is_empty() {
            let verdict = self.machine.mistaken(&recorder.mistakes);
            return self.answer(verdict);
        }
        let verdict = self.machine.see(&recorder.sites, &recorder.record);
        self.answer(verdict)
    }

    /// Takes a run that no learned bound judges.
    fn see_declared(&mut self, recorder: &Recorder) -> Option<Answer> {
        let verdict = match recorder.mistakes.is_empty() {
            true => self.machine.see_declared(&recorder.sites, &recorder.record),
            false => self.machine.mistaken(&recorder.mistakes),
        };
        self.answer(verdict)
    }

    /// What there is to say without failing the test, once.
    fn take_warnings(&mut self) -> Vec<String> {
        let warnings = self.machine.take_warnings();
        warnings.iter().map(ToString::to_string).collect()
    }

    /// Takes note that a run failed by itself: whether something else comes after it than the test's own failure, and
    /// what.
    fn see_failure(&mut self, recorder: &Recorder) -> (bool, Option<Answer>) {
        match self.machine.see_failure(&recorder.record) {
            Some(verdict) => (true, self.answer(verdict)),
            None => (false, None),
        }
    }

    /// Takes note that a run tells nothing of the code, and why; what comes after it is as for `see`.
    fn see_inconclusive(&mut self, why: Text) -> Option<Answer> {
        let verdict = self.machine.see_inconclusive(&why.0);
        self.answer(verdict)
    }

    /// The time for claims is up; what comes in place of the run that is wanted is as for `see`.
    fn out_of_time(&mut self) -> Option<Answer> {
        let verdict = self.machine.out_of_time();
        self.answer(verdict)
    }

    /// Whether a value is in doubt, which reruns settle.
    fn is_in_doubt(&self) -> bool {
        self.machine.is_in_doubt()
    }

    /// What to say of a test that passes: claims that stay undecided, runs that told nothing.
    fn notes(&self) -> Vec<String> {
        self.machine.notes()
    }

    /// What to say of a test that passes and does not do what it did at calibration.
    fn changed(&self) -> Option<String> {
        self.machine.changed()
    }

    /// Whether values went beyond all calibrated ones and were cleared.
    fn has_strays(&self) -> bool {
        !self.machine.cleared_strays().is_empty()
    }

    /// Adds those to the log in a folder.
    fn log_strays(&self, folder: PathBuf) -> PyResult<()> {
        log_strays(&folder, &self.machine.cleared_strays()).map_err(PyErr::from)
    }

    /// Keeps how the test ended, and what its sites saw, in a folder, if there is one, and in the history; what there is to
    /// say if that is not possible. A test that has no verdict failed by itself.
    #[pyo3(signature = (folder, recorder, passed))]
    fn keep(&self, folder: Option<PathBuf>, recorder: &Recorder, passed: bool) -> Option<String> {
        let ended = self.ended(passed);
        self.machine.keep(folder.as_deref(), &recorder.sites, ended)
    }

    /// The same as a line of JSON.
    fn line(&self, recorder: &Recorder, passed: bool) -> String {
        self.machine.line(&recorder.sites, self.ended(passed))
    }

    /// The line by which GitHub shows the verdict beside the source, at the assertion where that is known; `None` elsewhere
    /// than there, and where the test did not fail by this verdict.
    fn annotation(&self, folder: PathBuf) -> Option<String> {
        let failure = self.failure.as_ref()?;
        let problem = failure.problems().first();
        let place = problem.and_then(|problem| problem.place.as_ref());
        let title = format!("flex: {}", failure.test.id.name());
        let place = place.unwrap_or(&failure.test.place);
        annotation(&folder, place, &title, &failure.to_string())
    }

    /// What to say besides the words of a run that failed by itself.
    fn failed_by_itself(&self) -> String {
        let json = self.machine.error_line().unwrap_or_default();
        self.machine.failed_by_itself() + &json
    }

    /// The verdict of a test that passes.
    fn passed(&self, recorder: &Recorder) -> String {
        self.machine.passed(&recorder.sites)
    }

    /// What a single run showed.
    fn replayed(&self, phase: &str, run: u64, recorder: &Recorder) -> PyResult<String> {
        let run = (phase_of(phase)?, run);
        Ok(self
            .machine
            .replayed(run, &recorder.sites, &recorder.record))
    }

    /// The bounds of a site in words, if it has any.
    #[pyo3(signature = (site, case=None))]
    fn bound_of(&self, site: &str, case: Option<&str>) -> Option<String> {
        let site = SiteId::of_label(site).with_case(case.map(str::to_owned));
        self.machine.bound_of(&site)
    }
}

impl Enforcement {
    fn ended(&self, passed: bool) -> Ended<'_> {
        match &self.failure {
            Some(failure) => Ended::Failed(failure),
            None if passed => Ended::Passed,
            None => Ended::ByItself,
        }
    }

    fn answer(&mut self, verdict: Verdict) -> Option<Answer> {
        match verdict {
            Verdict::Pass => None,
            Verdict::Run(WantedRun::Rerun(run)) => Some(Answer::Rerun(run)),
            Verdict::Run(WantedRun::Replay { base, run }) => Some(Answer::Replay(base, run)),
            Verdict::Fail(failure) => {
                let words = match self.log_json {
                    true => format!("{failure}\n{}", failure.json()),
                    false => failure.to_string(),
                };
                self.failure = Some(failure);
                Some(Answer::Fail(words))
            }
        }
    }
}
