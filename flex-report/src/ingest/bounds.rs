//! Bounds for what others measure: a benchmark's median time of a run, learned from the runs of a history.

use flex_bounds::file::{BoundsFile, Entry, Key, Provenance};
use flex_core::bound::confidence::Confidence;
use flex_core::calibration::{Calibration, CalibrationPlan, Run, SiteId, SiteSpec, Step};
use flex_core::sequential::Detector;
use flex_core::tail::{Side, Tail};
use flex_core::words::{count, short};
use flex_run::history::platform;
use flex_run::model::TestId;
use flex_run::project::date::today;

use super::measured::SITE;
use crate::history::{History, MeasuredBenchmark};

/// How bounds are learned.
#[derive(Debug, Clone)]
pub struct BoundsSettings {
    /// The confidence of each benchmark.
    pub confidence: Confidence,
    /// The kind of machine that the bounds are for.
    pub variant: Option<String>,
}

/// Runs that a bound needs.
const LEAST: usize = 20;

/// So many times as many runs are worth a new bound.
const WORTH: f64 = 1.5;

/// Runs between false alarms of the question whether a benchmark moved.
const RUNS: f64 = 10_000.0;

/// What came of a comparison with a bound.
#[derive(Debug, Clone, PartialEq)]
pub enum Checked {
    /// It is kept.
    Kept,
    /// There is none.
    Unknown,
    /// It is not kept, as these words say.
    Beyond(String),
}

/// All benchmarks of a history, on this kind of machine.
pub fn benchmarks(history: &History) -> Vec<MeasuredBenchmark> {
    history.measured(SITE, &platform(), Detector::level(1, RUNS))
}

impl MeasuredBenchmark {
    /// Learns a bound, if there are runs enough and what the file has is much older; what is to be said of it.
    pub fn learn(&self, file: &mut BoundsFile, settings: &BoundsSettings) -> String {
        let key = self.key(settings);
        let runs = self.seconds.len();
        let made = count(runs, "run", "runs");
        let known = file.get(&key);
        if let Some(known) = known
            && (runs as f64) < WORTH * f64::from(known.samples)
        {
            return format!(
                "{}: kept, of {}",
                self.name,
                count(known.samples as usize, "run", "runs")
            );
        }
        if self.has_moved {
            return format!(
                "{}: moved, so that nothing is learned; see `drift`",
                self.name
            );
        }
        if runs < LEAST {
            return format!("{}: {made} so far; a bound needs {LEAST}", self.name);
        }
        let entry = match self.entry(key, settings) {
            Ok(entry) => entry,
            Err(why) => return format!("{}: {why}", self.name),
        };
        let ceiling = entry
            .sides
            .get(Side::Upper)
            .and_then(|learned| learned.ceiling());
        let words = match ceiling {
            Some(ceiling) => format!("below {}, from {made}", time(ceiling)),
            None => {
                let reason = entry
                    .sides
                    .get(Side::Upper)
                    .and_then(|learned| learned.reason());
                return format!("{}: no bound: {}", self.name, reason.unwrap_or("no reason"));
            }
        };
        match file.insert(entry) {
            Ok(_) => format!("{}: {words}", self.name),
            Err(error) => format!("{}: no bound: {error}", self.name),
        }
    }

    /// Holds the last run against its bound.
    pub fn check(&self, file: &BoundsFile, settings: &BoundsSettings) -> Checked {
        let entry = file.get(&self.key(settings));
        let learned = entry.and_then(|entry| entry.sides.get(Side::Upper));
        let (Some(ceiling), Some(seconds)) = (
            learned.and_then(|learned| learned.ceiling()),
            self.seconds.last(),
        ) else {
            return Checked::Unknown;
        };
        match Side::Upper.is_beyond(*seconds, ceiling) {
            false => Checked::Kept,
            true => Checked::Beyond(format!(
                "{}: took {}, beyond {}",
                self.name,
                time(*seconds),
                time(ceiling)
            )),
        }
    }

    fn key(&self, settings: &BoundsSettings) -> Key {
        Key {
            test: TestId::cargo(&self.by, &self.name),
            site: SiteId::new(SITE),
            variant: settings.variant.clone(),
        }
    }

    fn entry(&self, key: Key, settings: &BoundsSettings) -> Result<Entry, String> {
        let runs = self.seconds.len() as u32;
        // There is nobody who could run it again, so all of the confidence is the ceiling's.
        let plan = CalibrationPlan {
            confidence: settings.confidence,
            effort: 0.0,
            min_runs: runs,
            max_runs: runs,
            ..CalibrationPlan::default()
        };
        let mut calibration = Calibration::new(plan);
        for (index, seconds) in (0..).zip(&self.seconds) {
            let run = Run {
                index,
                panicked: false,
                hits: vec![(key.site.clone(), SiteSpec::new(Tail::Upper), *seconds)],
            };
            calibration.push(&run).map_err(|error| error.to_string())?;
        }
        let Ok(Step::Done(calibrated)) = calibration.step() else {
            return Err("nothing could be learned".to_owned());
        };
        let site = calibrated.sites.first().ok_or("nothing was measured")?;
        let provenance = Provenance {
            calibrated: Some(today()),
            effort: Some(0.0),
            ..Provenance::default()
        };
        let mut entry = Entry::of_calibration(key, site, provenance);
        entry.seal();
        Ok(entry)
    }
}

/// A time for people: benchmarks may take nanoseconds.
fn time(seconds: f64) -> String {
    let units = [(1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")];
    let unit = units.iter().find(|(unit, _)| seconds >= *unit);
    let (unit, name) = unit.unwrap_or(&units[3]);
    format!("{} {name}", short(seconds / unit))
}
