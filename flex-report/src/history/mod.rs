//! What was collected of many test runs (docs/reference/history.md): has anything moved, and what can calibration use of it?
//!
//! [`History`] reads lines, from whatever files and in whatever order; what is there twice counts once. A [`DriftReport`] says
//! which sites have moved and since when, and [`History::pooled`] has the values that a calibration may add to its own.

mod drift;
mod json;
mod measured;
mod picture;
mod pool;
mod series;
mod text;
mod tie;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use flex_bounds::TestId;
use flex_core::sample::Extremes;
use flex_core::seed::sha256;
use serde::Deserialize;

use crate::kept::{About, Calibration, TestKey, ValueLine, parsed};
pub use drift::{DriftReport, DriftSettings, Since};
pub use measured::MeasuredBenchmark;

/// What was collected.
#[derive(Debug, Default)]
pub struct History {
    tests: BTreeMap<TestKey, TestHistory>,
    /// Of the lines that were read, since whoever merges files has many twice.
    known: BTreeSet<[u8; 16]>,
    /// What was left out, and why.
    pub notes: Vec<String>,
}

/// What was collected of one test.
#[derive(Debug, Default)]
struct TestHistory {
    sites: Vec<WatchedSite>,
    /// In the order of time.
    runs: Vec<Run>,
    calibrations: Vec<Calibration>,
    /// Runs under a seed that another run had before; they tell nothing new.
    repeated: usize,
}

/// A site, as the last line about it says.
#[derive(Debug, Clone)]
struct WatchedSite {
    label: String,
    case: Option<String>,
    kind: String,
    tail: Option<String>,
    file: String,
    line: u32,
    /// When that was said.
    at: u64,
}

/// What a run showed.
#[derive(Debug, Clone)]
struct Run {
    at: u64,
    seed: Arc<str>,
    fingerprint: Option<Arc<str>>,
    platform: Option<Arc<str>>,
    commit: Option<Arc<str>>,
    selection: Arc<str>,
    /// Sites by their index, in order.
    values: Vec<(u32, Extremes)>,
    /// Of the line, by which an order is found where nothing else tells one.
    hash: [u8; 16],
}

/// A line about a run.
#[derive(Debug, Deserialize)]
struct RunLine {
    #[serde(default)]
    seed: String,
    #[serde(default)]
    values: Vec<ValueLine>,
}

impl History {
    /// Reads the text of a file, which is called so. A calibration that was kept is a line too.
    pub fn add(&mut self, name: &str, text: Result<&str, &str>) {
        let read = match text {
            Ok(text) => self.add_lines(text),
            Err(error) => Err(error.to_owned()),
        };
        if let Err(why) = read {
            self.notes.push(format!("{name} was left out: {why}"));
        }
    }

    /// Whether nothing was read.
    pub fn is_empty(&self) -> bool {
        self.tests.values().all(|test| test.runs.is_empty())
    }

    /// Brings runs into the order of time, and leaves out those that tell nothing new. To be called when all is read.
    pub fn ordered(mut self) -> Self {
        for test in self.tests.values_mut() {
            test.order();
        }
        self
    }

    fn add_lines(&mut self, text: &str) -> Result<(), String> {
        let (mut unread, mut why) = (0, String::new());
        let mut arcs = BTreeSet::new();
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            if let Err(error) = self.add_line(line, &mut arcs) {
                (unread, why) = (unread + 1, error);
            }
        }
        match unread {
            0 => Ok(()),
            1 => Err(format!("one line of it: {why}")),
            unread => Err(format!("{unread} lines of it: {why}")),
        }
    }

    fn add_line(&mut self, line: &str, arcs: &mut BTreeSet<Arc<str>>) -> Result<(), String> {
        let about = About::read(line)?;
        let hash = sha256(line.as_bytes());
        let hash: [u8; 16] = std::array::from_fn(|index| hash[index]);
        if self.known.contains(&hash) {
            return Ok(());
        }
        let test = self.tests.entry(about.key()).or_default();
        if about.by.as_deref() == Some("calibrate") {
            let calibration: Calibration = parsed(line)?;
            test.calibrations.push(Calibration {
                about,
                ..calibration
            });
        } else {
            let run: RunLine = parsed(line)?;
            let mut shared = |text: &str| match arcs.get(text) {
                Some(known) => Arc::clone(known),
                None => {
                    let new: Arc<str> = text.into();
                    arcs.insert(Arc::clone(&new));
                    new
                }
            };
            let mut values: Vec<(u32, Extremes)> = run
                .values
                .iter()
                .map(|value| (test.place(value, about.at), extremes(value)))
                .collect();
            values.sort_by_key(|(site, _)| *site);
            values.dedup_by_key(|(site, _)| *site);
            test.runs.push(Run {
                at: about.at,
                seed: run.seed.as_str().into(),
                fingerprint: about.fingerprint.as_deref().map(&mut shared),
                platform: about.platform.as_deref().map(&mut shared),
                commit: about.commit.as_deref().map(&mut shared),
                selection: shared(&about.selection),
                values,
                hash,
            });
        }
        self.known.insert(hash);
        Ok(())
    }
}

impl TestHistory {
    /// The index of a site.
    fn place(&mut self, value: &ValueLine, at: u64) -> u32 {
        let is_its = |site: &WatchedSite| {
            site.label == value.site && site.case == value.case && site.kind == value.kind
        };
        let new = WatchedSite {
            label: value.site.clone(),
            case: value.case.clone(),
            kind: value.kind.clone(),
            tail: value.tail.clone(),
            file: value.file.clone(),
            line: value.line,
            at,
        };
        let place = self.sites.iter().position(is_its);
        match place {
            Some(place) => {
                let known = &mut self.sites[place];
                // Whichever line comes first, the newest counts.
                if (known.at, known.line) < (new.at, new.line) {
                    *known = new;
                }
            }
            None => self.sites.push(new),
        }
        place.unwrap_or(self.sites.len() - 1) as u32
    }

    fn order(&mut self) {
        // Runs of one second come in an order that no value decides.
        self.runs
            .sort_by(|a, b| (a.at, &a.seed, a.hash).cmp(&(b.at, &b.seed, b.hash)));
        self.calibrations
            .sort_by(|a, b| (a.about.at, &a.base).cmp(&(b.about.at, &b.base)));
        let mut bases = BTreeSet::new();
        self.calibrations.retain(|calibration| {
            let about = &calibration.about;
            // A JUnit file and a history may tell of one calibration at different seconds.
            bases.insert((
                calibration.base.clone(),
                about.fingerprint.clone(),
                about.platform.clone(),
            ))
        });
        let before = self.runs.len();
        let mut seen = BTreeSet::new();
        self.runs.retain(|run| {
            // What others measured has no seed.
            run.seed.is_empty()
                || seen.insert((
                    Arc::clone(&run.seed),
                    run.fingerprint.clone(),
                    run.platform.clone(),
                ))
        });
        self.repeated = before - self.runs.len();
    }

    /// The source that the test has now, as far as is known: that of the newest line.
    fn fingerprint(&self) -> Option<&str> {
        let run = self
            .runs
            .last()
            .map(|run| (run.at, run.fingerprint.as_deref()));
        let calibration = self.calibrations.last();
        let calibration =
            calibration.map(|seen| (seen.about.at, seen.about.fingerprint.as_deref()));
        run.max(calibration)?.1
    }
}

impl TestKey {
    /// The test, for people.
    fn label(&self) -> String {
        let mut words: Vec<&str> = Vec::new();
        words.extend(self.package.as_deref());
        if let TestId::Cargo { target, .. } = &self.id {
            words.push(target);
        }
        words.push(self.id.name());
        let variant = self.variant.as_ref().map(|variant| format!("({variant})"));
        words.extend(variant.as_deref());
        words.join(" ")
    }
}

fn extremes(value: &ValueLine) -> Extremes {
    Extremes {
        least: value.least.0,
        greatest: value.greatest.0,
    }
}

#[cfg(test)]
mod tests;
