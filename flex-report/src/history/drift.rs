//! Which sites have moved, and since when (docs/design/drift.md).

use std::sync::Arc;

use flex_core::drift::{Drift, LEVEL};
use flex_core::sample::Samples;
use flex_core::sequential::Detector;
use flex_core::tail::Side;
use flex_run::model::Runner;
use flex_run::project::commands::Commands;

use super::series::{Event, Series};
use super::{History, Run, TestHistory};
use crate::kept::TestKey;

/// What is asked.
#[derive(Debug, Clone)]
pub struct DriftSettings {
    /// Runs of the whole suite between two false alarms, on average and at least.
    pub runs: f64,
    /// Only what came later is looked at.
    pub since: Since,
    /// Only tests whose name contains one of these words, if there are any.
    pub filters: Vec<String>,
}

/// From when on runs are looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Since {
    /// From the first one on.
    Ever,
    /// From this second on.
    Time(u64),
    /// From the first run of the commit that begins so.
    Commit(String),
}

/// What came of all sites.
#[derive(Debug)]
pub struct DriftReport {
    /// Sites that are watched, a side and a kind of machine each.
    pub(super) watched: Vec<WatchedSide>,
    pub(super) settings: DriftSettings,
    /// The evidence that is an alarm.
    pub(super) level: f64,
    /// Runs under seeds that other runs had before.
    pub(super) repeated: usize,
}

/// What came of one side of a site, on one kind of machine.
#[derive(Debug)]
pub(super) struct WatchedSide {
    pub test: TestKey,
    pub site: String,
    pub case: Option<String>,
    pub file: String,
    pub line: u32,
    pub platform: Option<Arc<str>>,
    pub side: Side,
    /// Samples of calibrations that values were compared with.
    pub calibrated: usize,
    /// Runs that were looked at.
    pub runs: usize,
    pub evidence: f64,
    pub check: String,
    pub drift: Option<MovedSite>,
}

/// A site that moved.
#[derive(Debug)]
pub(super) struct MovedSite {
    /// The likeliest first run of the new law, and the earliest and the latest that it may be.
    pub since: HistoryRun,
    pub earliest: HistoryRun,
    pub latest: HistoryRun,
    /// The run at which there was enough evidence.
    pub noticed: HistoryRun,
    /// In standard deviations of a normal law; negative for down.
    pub shift: f64,
    pub median_before: f64,
    pub median_after: f64,
    /// All values in the order of time.
    pub values: Vec<f64>,
}

/// A run of the history.
#[derive(Debug, Clone)]
pub(super) struct HistoryRun {
    /// Its number among the values that were looked at, from 0.
    pub index: usize,
    pub at: u64,
    pub commit: Option<Arc<str>>,
}

impl DriftReport {
    /// Looks at a history.
    pub fn of(history: &History, settings: DriftSettings) -> Self {
        let since = history.time_of(&settings.since);
        let is_asked = |key: &TestKey| {
            let mut words = settings.filters.iter();
            settings.filters.is_empty() || words.any(|word| key.id.name().contains(&**word))
        };
        // The level is about all that is watched, whatever is shown of it.
        let all: Vec<(&TestKey, &TestHistory, Vec<Series<'_>>)> = history
            .tests
            .iter()
            .map(|(key, test)| (key, test, test.series(since)))
            .collect();
        let detectors = all.iter().map(|(_, _, series)| series.len()).sum();
        let level = Detector::level(detectors, settings.runs);
        let mut watched = Vec::new();
        for (key, test, series) in &all {
            if is_asked(key) {
                let check = check(key, test);
                watched.extend(series.iter().map(|one| one.watched(key, &check, level)));
            }
        }
        let asked = all.iter().filter(|(key, _, _)| is_asked(key));
        DriftReport {
            watched,
            level,
            repeated: asked.map(|(_, test, _)| test.repeated).sum(),
            settings,
        }
    }

    /// The number of sites that moved.
    pub fn moved(&self) -> usize {
        let moved = |watched: &&WatchedSide| watched.drift.is_some();
        self.watched.iter().filter(moved).count()
    }
}

impl History {
    fn time_of(&self, since: &Since) -> u64 {
        match since {
            Since::Ever => 0,
            Since::Time(at) => *at,
            Since::Commit(begins) => {
                let runs = self.tests.values().flat_map(|test| &test.runs);
                let its = runs.filter(|run| {
                    let commit = run.commit.as_deref();
                    commit.is_some_and(|commit| commit.starts_with(begins))
                });
                its.map(|run| run.at).min().unwrap_or(u64::MAX)
            }
        }
    }
}

/// A detector at work on a series, from the last calibration on after which it began anew.
pub(super) struct Watch<'h> {
    detector: Detector,
    reference: Vec<f64>,
    pub seen: Vec<(&'h Run, f64)>,
    /// How many values it took until there was enough evidence.
    pub alarm: Option<usize>,
}

impl<'h> Watch<'h> {
    /// Looks at a series.
    pub fn over(series: &Series<'h>, level: f64) -> Self {
        let mut watch = Watch::new(series);
        for event in &series.events {
            match event {
                Event::Seen { run, value, tie } => {
                    let evidence = watch.detector.push(*value, *tie);
                    watch.seen.push((run, *value));
                    if evidence >= level && watch.alarm.is_none() {
                        watch.alarm = Some(watch.seen.len());
                    }
                }
                Event::Calibrated { samples } => {
                    if watch.begins_anew(samples) {
                        watch = Watch::new(series);
                    }
                    for (value, tie) in samples {
                        watch.detector.learn(*value, *tie);
                        watch.reference.push(*value);
                    }
                }
            }
        }
        watch
    }

    fn new(series: &Series<'_>) -> Self {
        Watch {
            detector: Detector::new(series.feared),
            reference: Vec::new(),
            seen: Vec::new(),
            alarm: None,
        }
    }

    /// Whether a calibration is of another law than what came before it, or was made because of an alarm.
    fn begins_anew(&self, samples: &[(f64, u64)]) -> bool {
        let seen = self.seen.iter().map(|(_, value)| *value);
        let before: Vec<f64> = self.reference.iter().copied().chain(seen).collect();
        let before = Samples::from_values(&before);
        let new: Vec<f64> = samples.iter().map(|(value, _)| *value).collect();
        let Some(quantiles) = before.quantiles() else {
            return !before.is_empty();
        };
        let counts = (before.finite().len() as u32, before.len() as u32);
        let drift = Drift::between(&quantiles, counts, &Samples::from_values(&new));
        self.alarm.is_some() || drift.is_some_and(|drift| drift.p_value < LEVEL)
    }
}

impl<'h> Series<'h> {
    fn watched(&self, key: &TestKey, check: &str, level: f64) -> WatchedSide {
        let watch = Watch::over(self, level);
        WatchedSide {
            test: key.clone(),
            site: self.site.label.clone(),
            case: self.site.case.clone(),
            file: self.site.file.clone(),
            line: self.site.line,
            platform: self.platform.clone(),
            side: self.side,
            calibrated: watch.reference.len(),
            runs: watch.seen.len(),
            evidence: watch.detector.peak().0,
            check: check.to_owned(),
            drift: watch.alarm.and_then(|alarm| self.found(&watch, alarm)),
        }
    }

    fn found(&self, watch: &Watch<'h>, alarm: usize) -> Option<MovedSite> {
        let moved = watch.detector.moved()?;
        let seen = |index: usize| {
            let (run, _) = watch.seen.get(index)?;
            Some(HistoryRun {
                index,
                at: run.at,
                commit: run.commit.clone(),
            })
        };
        // As people know them.
        let turned = |value: &f64| self.side.orient(*value);
        let reference: Vec<f64> = watch.reference.iter().map(turned).collect();
        let values: Vec<f64> = watch.seen.iter().map(|(_, value)| turned(value)).collect();
        let before: Vec<f64> = reference
            .iter()
            .chain(&values[..moved.since])
            .copied()
            .collect();
        Some(MovedSite {
            since: seen(moved.since)?,
            earliest: seen(moved.between.0)?,
            latest: seen(moved.between.1)?,
            noticed: seen(alarm - 1)?,
            shift: self.side.orient(moved.shift),
            median_before: median(&before),
            median_after: median(&values[moved.since..]),
            values,
        })
    }
}

fn median(values: &[f64]) -> f64 {
    Samples::from_values(values).median().unwrap_or(f64::NAN)
}

/// The command that compares fresh runs of a test with its bounds.
fn check(key: &TestKey, test: &TestHistory) -> String {
    let selection = test.runs.last().map_or("", |run| &run.selection);
    let runner = key.id.runner();
    let commands = Commands { runner, selection };
    match (selection.is_empty(), runner) {
        // What others measured is measured again by them.
        (true, _) => String::new(),
        (false, Runner::Cargo) => {
            let calibrate = commands.cargo_flex_calibrate().unwrap_or_default();
            format!("{calibrate} --check")
        }
        (false, Runner::Pytest) => format!("pytest {selection} --flex=check"),
    }
}
