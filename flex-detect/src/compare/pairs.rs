//! The pairs of one test: what both versions showed under the same seeds, and how many more are wanted.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use flex_run::model::{Place, TestId};

use super::decided::{ComparedTest, DecidedSeries};
use super::matching::{self, Renamed};
use super::pair::Pair;
use super::seen::{SeenRun, SeenTest, SeriesFacts, SeriesKey, Value};
use super::series::{Margin, SeriesPairs, SeriesRule};
use super::shares::Shares;
use super::verdict::SeriesVerdict;

/// The pairs of one test.
#[derive(Debug, Clone)]
pub struct TestPairs {
    rule: SeriesRule,
    id: TestId,
    package: Option<String>,
    place: Place,
    /// What each version asserts.
    old: BTreeMap<SeriesKey, SeriesFacts>,
    new: BTreeMap<SeriesKey, SeriesFacts>,
    /// Sites of the old version that have another identity in the new one.
    renamed: Vec<Renamed>,
    series: BTreeMap<SeriesKey, SeriesPairs>,
    /// Pairs that were asked for so far.
    made: u32,
    /// Runs of both versions that were there.
    paired: u32,
    has_begun: bool,
    out_of_time: bool,
    uncontrolled: Option<String>,
    notes: BTreeSet<String>,
}

impl TestPairs {
    /// The first pairs of a test.
    pub fn new(rule: SeriesRule, old: &SeenTest, new: &SeenTest) -> Self {
        let mut pairs = TestPairs {
            rule,
            id: new.id.clone(),
            package: new.package.clone(),
            place: new.place.clone(),
            old: BTreeMap::new(),
            new: BTreeMap::new(),
            renamed: matching::renamed(old, new),
            series: BTreeMap::new(),
            made: rule.first,
            paired: 0,
            has_begun: false,
            out_of_time: false,
            uncontrolled: None,
            notes: BTreeSet::new(),
        };
        pairs.add(old, new);
        pairs
    }

    /// Which test it is.
    pub fn id(&self) -> &TestId {
        &self.id
    }

    /// The number of series that differ so far, each of which needs a share of α.
    pub fn differing(&self) -> usize {
        self.series
            .values()
            .filter(|series| series.differs())
            .count()
    }

    /// Bets on the first pairs, now that the shares are known.
    pub fn begin(&mut self, shares: &Shares) {
        for series in self.series.values_mut() {
            series.decide(Shares::first, shares);
        }
        self.has_begun = true;
    }

    /// Takes further runs of both versions.
    pub fn take(&mut self, old: &SeenTest, new: &SeenTest, shares: &Shares) {
        self.add(old, new);
        for series in self.series.values_mut() {
            series.decide(Shares::late, shares);
        }
    }

    /// Takes how long runs of both versions took, in seconds, as pairs that were made for that alone.
    pub fn take_seconds(&mut self, pairs: &[(f64, f64)], shares: &Shares) {
        // A margin in the unit of the values says nothing of seconds.
        let is_in_sd = |margin: &Margin| matches!(margin, Margin::Sd(_));
        let (margin, key) = (self.rule.margin.filter(is_in_sd), SeriesKey::SECONDS);
        let series = self.series.entry(key.clone());
        let series = series.or_insert_with(|| SeriesPairs::new(key.worse(), margin));
        for (old, new) in pairs {
            let run = series.pairs.len() as u32;
            let (old, new) = (*old, *new);
            series.pairs.push(Pair { run, old, new });
        }
        series.decide(Shares::first, shares);
    }

    /// What is known of a series so far.
    pub fn verdict(&self, key: &SeriesKey) -> Option<SeriesVerdict> {
        self.series.get(key).map(SeriesPairs::verdict)
    }

    /// Whether a series is worse or better.
    pub fn has_direction(&self) -> bool {
        let decided = |series: &SeriesPairs| {
            matches!(
                series.verdict(),
                SeriesVerdict::Worse | SeriesVerdict::Better
            )
        };
        self.series.values().any(decided)
    }

    /// The runs to make next, of both versions; `None` if all is decided that can be.
    pub fn wanted(&mut self) -> Option<Range<u32>> {
        let is_open = |(key, series): (&SeriesKey, &SeriesPairs)| {
            *key != SeriesKey::SECONDS && series.verdict() == SeriesVerdict::Undecided
        };
        let is_over = self.out_of_time || self.made >= self.rule.most;
        if is_over || !self.has_begun || !self.series.iter().any(is_open) {
            return None;
        }
        let (from, to) = (self.made, self.rule.next(self.made));
        self.made = to;
        Some(from..to)
    }

    /// Runs that were wanted were not made, from this one on: they are wanted again.
    pub fn not_made(&mut self, from: u32) {
        self.made = self.made.min(from);
    }

    /// No more runs can be made.
    pub fn out_of_time(&mut self) {
        self.out_of_time = true;
    }

    /// Adds what the reader should know.
    pub fn note(&mut self, words: impl Into<String>) {
        self.notes.insert(words.into());
    }

    /// Compares runs of a version with what they showed when they were made once more under the same seeds. If that is
    /// something else, no seed controls the test, and pairs are just two samples.
    pub fn repeated(&mut self, version: &str, once: &SeenTest, again: &SeenTest) {
        let both = |(run, once)| Some((run, once, again.runs.get(run)?));
        let differing = once.runs.iter().filter_map(both).find_map(|(run, once, again)| {
            let (what, values) = once.differs_from(again)?;
            Some(format!(
                "{what} of the {version} code saw {values} when run {run} was made twice under the same seed"
            ))
        });
        self.uncontrolled = self.uncontrolled.take().or(differing);
    }

    /// All that came of it.
    pub fn compared(&self) -> ComparedTest {
        let (gone, added) = matching::unmatched(&self.old, &self.new, &self.renamed);
        let facts = |key: &SeriesKey| {
            let facts = self.new.get(key).or_else(|| self.old.get(key));
            facts.map_or_else(
                || (self.place.clone(), String::new()),
                |facts| (facts.place.clone(), facts.text.clone()),
            )
        };
        let decided = |(key, series): (&SeriesKey, &SeriesPairs)| {
            let (place, text) = facts(key);
            DecidedSeries::of(key, place, text, series)
        };
        let is_told = |(key, series): &(&SeriesKey, &SeriesPairs)| {
            **key != SeriesKey::FAILED || series.pairs.iter().any(|pair| pair.old + pair.new > 0.0)
        };
        ComparedTest {
            id: self.id.clone(),
            package: self.package.clone(),
            place: self.place.clone(),
            pairs: self.paired,
            series: self.series.iter().filter(is_told).map(decided).collect(),
            gone,
            added,
            renamed: self.renamed.clone(),
            uncontrolled: self.uncontrolled.clone(),
            notes: self.notes.iter().cloned().collect(),
            error: None,
        }
    }

    fn add(&mut self, old: &SeenTest, new: &SeenTest) {
        for (key, facts) in &old.series {
            self.old.entry(key.clone()).or_insert_with(|| facts.clone());
        }
        for (key, facts) in &new.series {
            self.new.entry(key.clone()).or_insert_with(|| facts.clone());
        }
        for (run, was) in &old.runs {
            let Some(is) = new.runs.get(run) else {
                continue;
            };
            self.paired += 1;
            let failed = |run: &SeenRun| f64::from(u8::from(run.failure.is_some()));
            self.push(&SeriesKey::FAILED, *run, failed(was), failed(is));
            for (key, value) in &was.values {
                let now = Renamed::new_key(&self.renamed, key);
                let other = is.values.get(now).copied();
                if let (Some(other), false) = (other, *key == SeriesKey::SECONDS) {
                    let now = now.clone();
                    let (old, new) = in_one_unit(*value, other);
                    self.push(&now, *run, old, new);
                }
            }
        }
    }

    fn push(&mut self, key: &SeriesKey, run: u32, old: f64, new: f64) {
        let margin = self.rule.margin.filter(|_| key.site.is_some());
        let series = self.series.entry(key.clone());
        let series = series.or_insert_with(|| SeriesPairs::new(key.worse(), margin));
        series.pairs.push(Pair { run, old, new });
    }
}

/// The values of both versions; distances from their bounds, if one of them is such.
fn in_one_unit(old: Value, new: Value) -> (f64, f64) {
    match (old.bound, new.bound) {
        (Some(_), Some(_)) | (None, None) => (old.value, new.value),
        (old_bound, new_bound) => (
            old.value - old_bound.unwrap_or(0.0),
            new.value - new_bound.unwrap_or(0.0),
        ),
    }
}
