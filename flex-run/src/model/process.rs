//! What the runs of one process showed.

use std::time::Duration;

use flex_core::sample::Extremes;

use super::probe::{FirstStack, Probe};
use super::run::{Draws, Hit, RunRecord};
use super::site::Site;
use super::test::Test;

/// What the runs of one process showed, up to where it ended.
#[derive(Debug, Clone, PartialEq)]
pub struct ProcessRecord {
    /// The test.
    pub test: Test,
    /// The sites that were hit.
    pub sites: Vec<Site>,
    runs: Vec<(RecordedRun, usize)>,
    /// Runs that tell nothing of the code, with why. They are none of [`ProcessRecord::runs`].
    pub inconclusive: Vec<(u32, String)>,
    hits: Vec<RecordedHit>,
    /// What claims drew in the last run, by the index of the site, if anybody asked.
    pub draws: Vec<(u32, Draws)>,
    /// What is wrong with the test itself.
    pub mistakes: Vec<String>,
    /// A run that began and did not end.
    pub begun: Option<u32>,
    /// How long the runs took, if the process came to its end.
    pub took: Option<Duration>,
    /// What the runs touched that can differ; `None` if nobody could watch, or not to the end.
    pub probe: Option<Probe>,
    /// Where they touched it first, if their process knows no lines.
    pub stacks: Vec<FirstStack>,
    /// How long the slowest of them took.
    pub slowest: Option<Duration>,
    /// The run that did not end, by which the process ended itself.
    pub hung: Option<HungRun>,
}

/// A run that had not ended when its process ended itself for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HungRun {
    /// Its index.
    pub run: u32,
    /// How long it was under way.
    pub after: Duration,
    /// Whether that is longer than a run may take. If not, only the time for all runs was up.
    pub is_hang: bool,
}

/// How long runs took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Took {
    /// All of them.
    pub all: Duration,
    /// The slowest; `None` if nobody knows.
    pub slowest: Option<Duration>,
}

/// How one run went.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedRun {
    /// Its index, which decides its seed.
    pub index: u32,
    /// Whether it drew a random number.
    pub drew: bool,
    /// Why it failed: a panic, an error, or values that cannot be compared.
    pub failure: Option<String>,
}

/// What a site saw in a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RecordedHit {
    /// The index of the site.
    pub site: u32,
    /// The most extreme values.
    pub extremes: Extremes,
    /// Whether a declared bound was broken.
    pub broken: bool,
}

impl ProcessRecord {
    /// The record of a process that has made no run yet.
    pub fn new(test: Test) -> Self {
        ProcessRecord {
            test,
            sites: Vec::new(),
            runs: Vec::new(),
            inconclusive: Vec::new(),
            hits: Vec::new(),
            draws: Vec::new(),
            mistakes: Vec::new(),
            begun: None,
            took: None,
            probe: None,
            stacks: Vec::new(),
            slowest: None,
            hung: None,
        }
    }

    /// Adds a run with its hits. One that hits a site nobody knows is refused.
    pub fn push(
        &mut self,
        run: RecordedRun,
        hits: impl IntoIterator<Item = RecordedHit>,
    ) -> Option<()> {
        let before = self.hits.len();
        self.hits.extend(hits);
        let sites = self.sites.len();
        if self.hits[before..]
            .iter()
            .any(|hit| hit.site as usize >= sites)
        {
            self.hits.truncate(before);
            return None;
        }
        self.runs.push((run, self.hits.len()));
        self.begun = None;
        self.draws.clear();
        Some(())
    }

    /// The runs with their hits.
    pub fn runs(&self) -> impl Iterator<Item = (&RecordedRun, &[RecordedHit])> {
        let mut from = 0;
        self.runs.iter().map(move |(run, end)| {
            let hits = &self.hits[from..*end];
            from = *end;
            (run, hits)
        })
    }

    /// What a run showed, by the index of the site.
    pub fn run_record(&self, hits: &[RecordedHit]) -> RunRecord {
        let mut record = RunRecord {
            hits: vec![None; self.sites.len()],
            ..RunRecord::default()
        };
        for hit in hits {
            record.hits[hit.site as usize] = Some(Hit {
                extremes: hit.extremes,
                broken: u32::from(hit.broken),
                message: None,
                draws: Draws::default(),
            });
        }
        record
    }

    /// The site of a hit.
    pub fn site(&self, hit: &RecordedHit) -> &Site {
        &self.sites[hit.site as usize]
    }

    /// Whether a run failed: by itself, or by a declared bound that does not stop it.
    pub fn failed(&self, run: &RecordedRun, hits: &[RecordedHit]) -> bool {
        let breaks = |hit: &RecordedHit| hit.broken && !self.site(hit).is_hard;
        run.failure.is_some() || hits.iter().any(breaks)
    }

    /// The record of a process that makes no run of the same test.
    #[inline]
    pub fn without_runs(&self) -> ProcessRecord {
        ProcessRecord {
            took: self.took,
            mistakes: self.mistakes.clone(),
            ..ProcessRecord::new(self.test.clone())
        }
    }

    /// The same without the runs that are not meant; time is shared out evenly.
    #[inline]
    pub fn only(&self, is_meant: impl Fn(u32) -> bool) -> ProcessRecord {
        let made = self.runs.len() + self.inconclusive.len();
        let mut only = ProcessRecord {
            sites: self.sites.clone(),
            inconclusive: self.inconclusive.clone(),
            mistakes: self.mistakes.clone(),
            begun: self.begun,
            probe: self.probe.clone(),
            stacks: self.stacks.clone(),
            slowest: self.slowest,
            hung: self.hung.filter(|hung| is_meant(hung.run)),
            ..ProcessRecord::new(self.test.clone())
        };
        only.inconclusive.retain(|(run, _)| is_meant(*run));
        for (run, hits) in self.runs().filter(|(run, _)| is_meant(run.index)) {
            // The sites of its hits are known: they are the same.
            let _ = only.push(run.clone(), hits.iter().copied());
        }
        let kept = only.runs.len() + only.inconclusive.len();
        let share = |took: Duration| took.mul_f64(kept as f64 / made.max(1) as f64);
        only.took = self.took.map(share);
        only
    }

    /// The record of a process that makes these runs, all of which show what the first of this one shows.
    pub fn like_the_first(&self, runs: &[u32]) -> ProcessRecord {
        let mut like = ProcessRecord {
            sites: self.sites.clone(),
            probe: self.probe.clone(),
            took: self
                .seconds_per_run()
                .map(|seconds| Duration::from_secs_f64(seconds).saturating_mul(runs.len() as u32)),
            ..ProcessRecord::new(self.test.clone())
        };
        if let Some((first, hits)) = self.runs().next() {
            for &index in runs {
                let run = RecordedRun {
                    index,
                    ..first.clone()
                };
                // The sites of its hits are known: they are the same.
                let _ = like.push(run, hits.iter().copied());
            }
        }
        like
    }

    /// The mean duration of a run, if it is known.
    pub fn seconds_per_run(&self) -> Option<f64> {
        let runs = self.runs.len();
        let took = self.took.filter(|_| runs > 0)?;
        Some(took.as_secs_f64() / runs as f64)
    }
}
