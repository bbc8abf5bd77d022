//! Replays: a calibration run is made again, to see whether anything changed (docs/design/semantics.md, "Replay").
//!
//! Equal values only ever clear, and different ones never fail: they are the beginning of a race.

use flex_bounds::file::{BoundsFile, Entry, Replay};
use flex_core::seed::{Phase, SeedRequest, Seeds};

use crate::model::{RunRecord, Site, SiteId, TestId, value_on};

/// The calibration runs of a test that can be made again.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TestReplay {
    /// The base seed of the runs.
    pub base: String,
    /// Whether one is made in every run of the test.
    pub always: bool,
    runs: Vec<u32>,
    /// The entries that know what their sites showed.
    entries: Vec<Entry>,
}

/// What a replay showed.
#[derive(Debug, Clone, PartialEq)]
pub struct Replayed {
    /// The base seed of the run.
    pub base: String,
    /// Its index.
    pub run: u32,
    /// Sites that showed something else than at calibration; none if nothing changed.
    pub differences: Vec<ReplayDifference>,
    /// Whether the run failed by itself, which it did not at calibration.
    pub failed: bool,
}

/// A site that showed something else than at calibration.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplayDifference {
    /// The site.
    pub site: SiteId,
    /// What it showed then; `None` if the run did not reach it.
    pub then: Option<f64>,
    /// What it shows now.
    pub now: Option<f64>,
}

impl Replayed {
    /// Whether the run showed what it showed at calibration.
    pub fn is_same(&self) -> bool {
        self.differences.is_empty() && !self.failed
    }
}

impl TestReplay {
    /// The runs by which to see whether a test changed; `None` if its entries know none, or not the same.
    pub fn of(entries: &BoundsFile, variant: Option<&str>) -> Option<Self> {
        let mut known: Option<(&Replay, Vec<Entry>)> = None;
        for entry in entries.holding(variant) {
            let Some(replay) = entry.replay.as_ref().filter(|_| !entry.unenforced) else {
                continue;
            };
            let (first, known) = known.get_or_insert((replay, Vec::new()));
            if !replay.is_of_same_runs(first) {
                return None;
            }
            known.push(entry.clone());
        }
        let (first, entries) = known?;
        Some(TestReplay {
            base: first.base.clone(),
            always: first.always,
            runs: first.runs.iter().map(|run| run.run).collect(),
            entries,
        })
    }

    /// Whether a replay can clear a site.
    pub fn knows(&self, site: &SiteId) -> bool {
        self.entries.iter().any(|entry| entry.key.site == *site)
    }

    /// All runs that can be replayed.
    pub fn runs(&self) -> &[u32] {
        &self.runs
    }

    /// The run to replay, drawn by the seed that repeats the verdict.
    pub fn drawn(&self, seed: &SeedRequest, test: &TestId) -> u32 {
        let target = test.target().unwrap_or_default();
        let seeds = Seeds::new(&seed.base, Phase::Enforce, target, test.name());
        let drawn = usize::from(seeds.run(0)[0]);
        self.runs[drawn % self.runs.len()]
    }

    /// Compares what a replay of a run shows with what it showed; `None` if it failed by itself.
    pub fn compare(&self, run: u32, shown: Option<(&[Site], &RunRecord)>) -> Replayed {
        let mut replayed = Replayed {
            base: self.base.clone(),
            run,
            differences: Vec::new(),
            failed: shown.is_none(),
        };
        let Some((sites, record)) = shown else {
            return replayed;
        };
        for entry in &self.entries {
            let is_it = |site: &Site| site.is_learned() && site.id == entry.key.site;
            let index = sites.iter().position(is_it);
            let hit = index.and_then(|index| record.hit(index));
            let now = hit.map(|hit| hit.extremes);
            let known = entry.replay.as_ref().and_then(|replay| replay.run(run));
            let then = known.and_then(|known| known.shown);
            if !entry.is_same(then, now) {
                let side = entry.tail().sides()[0];
                replayed.differences.push(ReplayDifference {
                    site: entry.key.site.clone(),
                    then: then.map(|shown| value_on(side, shown)),
                    now: now.map(|shown| value_on(side, shown)),
                });
            }
        }
        replayed
    }
}
