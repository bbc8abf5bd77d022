//! Tests that do what they did at calibration: a few runs are replayed before a hundred are made
//! (docs/design/recalibration.md, "Replay first").

use flex_bounds::change::is_refused;
use flex_bounds::file::BoundsFile;

use super::replay_order::ReplayOrder;
use super::settings::CalibrationSettings;
use crate::enforce::{TestBounds, TestReplay};
use crate::model::{ProcessRecord, TestId};

/// The runs by which to see whether a test does what it did at calibration.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplayFirst {
    replay: TestReplay,
    entries: BoundsFile,
    variant: Option<String>,
    /// What all tests of the file spend.
    spent: f64,
}

/// So many times as many samples are worth a new calibration, though nothing changed.
const WORTH: f64 = 1.5;

impl ReplayFirst {
    /// The question for a test of a bounds file; `None` if its entries cannot answer it, or more is asked for than they
    /// say.
    pub fn of(file: &BoundsFile, test: &TestId, settings: &CalibrationSettings) -> Option<Self> {
        if settings.tight {
            return None;
        }
        let variant = settings.variant.clone();
        let mut entries = BoundsFile::default();
        let mut is_complete = true;
        for entry in file.holding(variant.as_deref()) {
            if entry.key.test != *test || entry.unenforced {
                continue;
            }
            let wanted = f64::from(settings.runs.unwrap_or(0));
            is_complete &= entry.key.variant == variant
                && entry.replay.is_some()
                // What was refused is said again, with its reason.
                && !is_refused(entry)
                && !entry.is_edited()
                && wanted < WORTH * f64::from(entry.samples);
            // It was in the file, so it can be in another.
            let _ = entries.insert(entry.clone());
        }
        let replay = TestReplay::of(&entries, variant.as_deref())?;
        is_complete.then(|| ReplayFirst {
            replay,
            entries,
            spent: file.false_alarm_rate(variant.as_deref()),
            variant,
        })
    }

    /// The base seed of the runs.
    pub fn base(&self) -> &str {
        &self.replay.base
    }

    /// The runs to make, in this order, in one process: the first comes again after the others, so that what runs leave
    /// behind is seen too.
    pub fn runs(&self) -> Vec<u32> {
        let runs = self.replay.runs();
        runs.iter().chain(runs.first()).copied().collect()
    }

    /// The runs as an order for a process.
    pub fn order<'a>(&'a self, test: &'a str) -> ReplayOrder<'a> {
        ReplayOrder {
            test,
            base: self.base(),
            runs: self.runs(),
        }
    }

    /// Whether the runs show what they showed at calibration, and the test asks for what it asked for then.
    pub fn is_answered_by(&self, record: &ProcessRecord) -> bool {
        self.is_fine_with(record) && record.runs().count() == self.runs().len()
    }

    /// Whether some of the runs do, so that the others probably do too.
    #[inline]
    pub fn may_be_answered_by(&self, record: &ProcessRecord) -> bool {
        self.is_fine_with(record) && record.runs().next().is_some()
    }

    fn is_fine_with(&self, record: &ProcessRecord) -> bool {
        let test = &record.test;
        let bounds = TestBounds {
            test,
            entries: &self.entries,
            variant: self.variant.as_deref(),
        };
        let is_known = record.sites.iter().all(|site| match site.learns() {
            Some(spec) => bounds.fits(site, &spec, &record.sites),
            None => true,
        });
        let more_runs =
            |samples: u32| f64::from(test.options.runs.unwrap_or(0)) >= WORTH * f64::from(samples);
        let says_the_same = self.entries.entries().iter().all(|entry| {
            entry.fingerprint.as_deref() == Some(&test.fingerprint)
                && entry.effort == test.options.effort
                && !more_runs(entry.samples)
        });
        // Where a suite spends too much, its budget is shared out anew.
        let is_paid = test.suite.is_none_or(|suite| suite.allows(self.spent));
        let asked = test.options.replays_always;
        let same_replay = asked.is_none_or(|always| always == self.replay.always);
        let all_same = record.runs().all(|(run, hits)| {
            let shown = record.run_record(hits);
            run.failure.is_none()
                && self
                    .replay
                    .compare(run.index, Some((&record.sites, &shown)))
                    .is_same()
        });
        is_known && is_paid && says_the_same && same_replay && all_same
    }

    /// How many sites the test has.
    pub fn sites(&self) -> usize {
        self.entries.entries().len()
    }
}
