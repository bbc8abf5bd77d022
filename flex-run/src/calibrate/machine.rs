//! A calibration as a machine without IO: what runs showed goes in, and which runs are wanted next comes out.
//!
//! Whoever makes the runs asks for the [`Next`] step until there is an outcome. After the runs that the bounds are
//! learned from, a few of them are wanted again, in another process, to see whether they depend on their seed alone.

use flex_core::calibration::{Calibrated, Step};

use super::checks;
use super::collector::Collector;
use super::fixed::{FixedRun, RUNS_IF_FIXED};
use super::outcome::{TestCalibration, Uncontrolled, outcome};
use super::process::Recorded;
use super::settings::{CalibrationError, CalibrationSettings, plan};
use super::so_far::SoFar;
use crate::model::{ProcessRecord, SiteKey, Test};

/// The calibration of one test.
#[derive(Debug)]
pub struct Calibrating {
    collector: Collector,
    settings: CalibrationSettings,
    calibrated: Option<Calibrated>,
    /// What was repeated so far, in the order of the questions.
    repeated: Vec<ProcessRecord>,
    /// What was made twice, elsewhere, and was not the same twice.
    differing: Vec<(Option<SiteKey>, Uncontrolled)>,
    fixed: Fixed,
}

/// Whether the test is fixed.
#[derive(Debug)]
enum Fixed {
    /// Nothing shows it.
    No,
    /// A run touched nothing that could differ; it is wanted once more.
    Shown(FixedRun),
    /// It showed the same. Further runs are not made.
    Confirmed(FixedRun),
}

/// What a calibration needs.
#[derive(Debug)]
pub enum Next {
    /// These runs.
    Collect(Vec<u32>),
    /// These runs again, in this order, in one process of their own.
    Repeat(Vec<u32>),
    /// Nothing more.
    Done(Box<TestCalibration>),
}

impl Calibrating {
    /// The calibration of a test whose first runs have been made.
    pub fn new(
        first: &ProcessRecord,
        settings: &CalibrationSettings,
    ) -> Result<Self, CalibrationError> {
        let (plan, shares) = (plan(first, settings)?, settings.shares.clone());
        let mut collector = Collector::new(plan, shares, first.test.clone());
        collector.as_if_by = settings.as_if_by;
        Ok(Calibrating {
            collector,
            settings: settings.clone(),
            calibrated: None,
            repeated: Vec::new(),
            differing: Vec::new(),
            fixed: match FixedRun::of(first) {
                Some(run) if !settings.full => Fixed::Shown(run),
                _ => Fixed::No,
            },
        })
    }

    /// Takes what runs showed that one process made.
    pub fn take(&mut self, record: &ProcessRecord) -> Result<(), CalibrationError> {
        self.collector.take_record(record)
    }

    /// Takes what a part of the runs showed.
    pub fn take_all(&mut self, recorded: &Recorded) -> Result<(), CalibrationError> {
        self.collector.take(recorded)
    }

    /// Takes what the runs showed that were wanted again.
    pub fn take_repeated(&mut self, record: ProcessRecord) {
        match std::mem::replace(&mut self.fixed, Fixed::No) {
            Fixed::Shown(run) if run.is_confirmed_by(&record) => self.fixed = Fixed::Confirmed(run),
            Fixed::Shown(_) => {}
            other => {
                self.fixed = other;
                self.repeated.push(record);
            }
        }
    }

    /// A run that two processes made was not the same twice: a site saw two values, or the run failed once (`None`).
    #[inline]
    pub fn differs(&mut self, site: Option<SiteKey>, values: Uncontrolled) {
        self.fixed = Fixed::No;
        self.differing.push((site, values));
    }

    /// No more runs will come, except those that are repeated.
    pub fn out_of_time(&mut self) {
        self.collector.out_of_time();
    }

    /// The test.
    pub fn test(&self) -> &Test {
        &self.collector.observed.test
    }

    /// Whether a run showed that nothing in the test can differ, and it is wanted once more.
    #[inline]
    pub fn is_fixed(&self) -> bool {
        matches!(self.fixed, Fixed::Shown(_))
    }

    /// Processes that have made runs.
    pub fn processes(&self) -> usize {
        self.collector.observed.processes.len()
    }

    /// Seconds that a run takes.
    pub fn seconds_per_run(&self) -> f64 {
        self.collector.observed.seconds_per_run()
    }

    /// Runs that have been taken.
    pub fn runs(&self) -> u32 {
        self.collector.observed.runs().len() as u32
    }

    /// What it has so far, for those who watch: runs that are under way can be added to it.
    #[inline]
    pub fn so_far(&self) -> SoFar {
        let calibration = self.collector.calibration().clone();
        SoFar::new(calibration, self.collector.plan.only_passed)
    }

    /// What to do next.
    pub fn step(&mut self) -> Result<Next, CalibrationError> {
        if self.calibrated.is_none() {
            if self.collector.observed.measures_time() && !self.settings.alone {
                return Err(CalibrationError::NotAlone);
            }
            let inconclusive = self.collector.observed.inconclusive();
            if inconclusive.are_too_many(&self.test().options) {
                let words = inconclusive.in_words().unwrap_or_default();
                return Err(CalibrationError::Test(vec![format!(
                    "nothing was learned: {words}"
                )]));
            }
            if let Fixed::Shown(run) = &self.fixed {
                return Ok(Next::Repeat(vec![run.index()]));
            }
            match self.collected()? {
                Err(wanted) => return Ok(Next::Collect(wanted)),
                Ok(calibrated) if calibrated.runs == 0 => return Err(CalibrationError::NoTime),
                Ok(calibrated) => self.calibrated = Some(calibrated),
            }
        }
        let Some(calibrated) = &self.calibrated else {
            return Err(CalibrationError::NoTime);
        };
        // The questions follow from the answers, so that asking again comes to the first that has none yet.
        let mut answers = self.repeated.iter();
        let checked = checks::check(
            &self.collector,
            calibrated,
            &self.differing,
            |runs| match &self.fixed {
                Fixed::Confirmed(run) => Ok(run.made(runs)),
                _ => answers.next().cloned().ok_or_else(|| runs.to_vec()),
            },
        );
        let checked = match checked {
            Ok(checked) => checked,
            Err(unanswered) => return Ok(Next::Repeat(unanswered)),
        };
        // What cannot be replayed has other guards, for the same runs.
        self.collector.set_uncontrolled(&checked.irreproducible);
        if let Some(source) = self.settings.pool.as_ref().filter(|_| !self.settings.check) {
            self.collector.pool(source);
        }
        let calibrated = match self.collected()? {
            Ok(calibrated) => calibrated,
            Err(wanted) => return Ok(Next::Collect(wanted)),
        };
        Ok(Next::Done(Box::new(outcome(
            &self.collector,
            &calibrated,
            checked,
            &self.settings,
        ))))
    }

    /// What the runs teach, or which are wanted. Those of a fixed test are taken as equal to the one that was made.
    fn collected(&mut self) -> Result<Result<Calibrated, Vec<u32>>, CalibrationError> {
        loop {
            let wanted = match self.collector.step()? {
                Step::Done(calibrated) => return Ok(Ok(calibrated)),
                Step::Collect(_) => self.collector.wanted(),
            };
            let Fixed::Confirmed(run) = &self.fixed else {
                return Ok(Err(wanted));
            };
            // One of those that are taken as equal stands for the run that was repeated.
            let made = self
                .collector
                .observed
                .runs()
                .len()
                .max(RUNS_IF_FIXED as usize);
            self.collector.take_record(&run.made(&wanted))?;
            let taken = self.collector.observed.runs().len();
            self.collector.saved += taken.saturating_sub(made) as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use flex_bounds::file::Entry;
    use flex_core::sample::Extremes;
    use flex_core::tail::Tail;

    use super::*;
    use crate::model::{
        Asks, Cause, Place, Probe, RecordedHit, RecordedRun, Site, SiteId, SiteSpec, TestId, Touch,
    };

    /// What a process shows whose runs all see this value.
    fn record(runs: &[u32], value: f64, probe: Option<Probe>) -> ProcessRecord {
        let test = Test {
            fingerprint: "9f2c4e1a".to_owned(),
            place: Place::new("a.rs", 1),
            ..Test::new(TestId::cargo("lib", "fixed"))
        };
        let asks = Asks::Learned(SiteSpec::new(Tail::Upper));
        let mut record = ProcessRecord::new(test);
        record.sites = vec![Site::new(SiteId::new("x"), asks, Place::new("a.rs", 7))];
        record.took = Some(Duration::from_millis(runs.len() as u64));
        record.probe = probe;
        for &index in runs {
            let run = RecordedRun {
                index,
                drew: false,
                failure: None,
            };
            let hit = RecordedHit {
                site: 0,
                extremes: Extremes::new(value),
                broken: false,
            };
            record.push(run, [hit]).unwrap();
        }
        record
    }

    #[test]
    fn what_never_ended_a_run_is_not_asked_to_repeat_one() {
        let first = record(&[], 0.0, None);
        let mut calibrating = Calibrating::new(&first, &CalibrationSettings::default()).unwrap();
        let mut next = 0;
        // The machine ends after so many deaths, or after all runs.
        for _ in 0..1000 {
            match calibrating.step() {
                Ok(Next::Collect(runs)) => {
                    let ended = |run: &u32| (*run, "ended the process (exit status: 3)".to_owned());
                    let recorded = Recorded {
                        hung: None,
                        records: vec![first.clone()],
                        deaths: runs.iter().map(ended).collect(),
                        vanished: None,
                    };
                    calibrating.take_all(&recorded).unwrap();
                    next += runs.len();
                }
                Ok(Next::Repeat(runs)) => assert!(!runs.is_empty()),
                Ok(Next::Done(_)) | Err(_) => {
                    assert!(next > 0);
                    return;
                }
            }
        }
        panic!("no end after {next} runs");
    }

    /// Drives a calibration whose first process shows this, and whose runs see another value once they are repeated; what
    /// came of it, and the runs that it asked for.
    fn driven(first: &ProcessRecord, again: f64) -> (TestCalibration, usize) {
        let mut calibrating = Calibrating::new(first, &CalibrationSettings::default()).unwrap();
        calibrating.take(first).unwrap();
        let mut asked = first.runs().count();
        loop {
            match calibrating.step().unwrap() {
                Next::Done(calibration) => return (*calibration, asked),
                Next::Collect(runs) => {
                    asked += runs.len();
                    calibrating.take(&record(&runs, 1.5, None)).unwrap();
                }
                Next::Repeat(runs) => {
                    asked += runs.len();
                    calibrating.take_repeated(record(&runs, again, None));
                }
            }
        }
    }

    fn entries(calibration: &TestCalibration) -> Vec<Entry> {
        let entry = |site: &super::super::LearnedSite| site.entry.clone();
        calibration.sites.iter().map(entry).collect()
    }

    #[test]
    fn a_fixed_test_is_run_twice_and_learns_what_all_its_runs_would_teach() {
        let (all, asked) = driven(&record(&[0], 1.5, None), 1.5);
        assert_eq!((asked, all.saved), (106, 0));
        let (fixed, asked) = driven(&record(&[0], 1.5, Some(Probe::default())), 1.5);
        assert_eq!((asked, fixed.runs, fixed.saved), (2, 100, 98));
        assert_eq!(entries(&fixed), entries(&all));
        let words = fixed.to_string();
        let line = "  2 runs, 1 ms each; nothing in it varies: 98 runs saved\n";
        assert!(words.contains(line), "{words}");
    }

    #[test]
    fn a_test_that_differs_in_spite_of_its_probe_is_calibrated_as_usual() {
        let (differs, asked) = driven(&record(&[0], 1.5, Some(Probe::default())), 1.6);
        assert!(asked > 106 && differs.saved == 0, "{asked}");
        assert!(differs.uncontrolled.is_some());
    }

    #[test]
    fn what_touches_anything_is_not_fixed() {
        let clock = Touch {
            cause: Cause::Time,
            what: "wall clock".to_owned(),
            seeded: false,
            count: 1,
            place: None,
        };
        let probe: Probe = [clock].into_iter().collect();
        let (touches, asked) = driven(&record(&[0], 1.5, Some(probe)), 1.5);
        assert_eq!((asked, touches.saved), (106, 0));
    }
}
