//! How long a test is searched: until the stop rule ends it, or its runs disagree
//! (docs/design/search.md, "When a search may stop").
//!
//! Runs may come in any order. Those that were skipped, and a first run under the seeds that the source states, were made
//! and count for nothing. If asked to, a search goes on after that while there may be something to patch.

use std::fmt;

use flex_core::calibration::{PushError, SiteId};
use flex_core::search::convergence::{
    ConvergenceEnd, ConvergenceWatch, Limits, StopRule, Tight, WatchStep, WatchedRun,
};

use crate::record::Outcome;

/// When a search ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SearchRule {
    /// The rule of convergence, with all its numbers.
    pub stop: StopRule,
    /// End at the first two runs that disagree.
    pub fast: bool,
    /// End when so many runs failed and none passed: such a test is broken, and not flaky.
    pub broken_after: Option<u32>,
    /// Go on after that if a run failed, or if the fitted tail does not have the bounds beyond a rate of 1e-4, until
    /// bounds of that rate are tight (docs/design/bound.md, "When a ceiling is tight"). Bounds that are patched into the
    /// source need that.
    pub tight: bool,
    /// Runs to end with at the latest then.
    pub most_tight: u32,
}

impl Default for SearchRule {
    fn default() -> Self {
        SearchRule {
            stop: StopRule::default(),
            fast: false,
            broken_after: None,
            tight: false,
            most_tight: Tight::default().most,
        }
    }
}

impl SearchRule {
    /// The runs that a search makes of a test whose runs all show the same.
    pub fn runs_if_equal(self) -> usize {
        let mut search = Search::new(self);
        let mut made = 0;
        while let SearchStep::Collect(runs) = search.step() {
            made += runs.len();
            for index in runs {
                let equal = SearchedRun {
                    index,
                    as_written: false,
                    outcome: Outcome::Pass,
                    hits: Vec::new(),
                };
                // It has no values, so there is nothing that could not be taken.
                let _ = search.push(equal);
            }
        }
        made
    }
}

/// What a run showed.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchedRun {
    /// Its index.
    pub index: u32,
    /// Whether it had the seeds that the source states: then it says nothing of other seeds. Only ever run 0.
    pub as_written: bool,
    /// How it ended.
    pub outcome: Outcome,
    /// Every hit of a site: its id, the bounds that hold for it, and the value. Bounds that are computed in each run are
    /// given as the distance from them, with a limit of 0.
    pub hits: Vec<(SiteId, Limits, f64)>,
}

/// Why a run was not taken, or not all of it.
#[derive(Debug, Clone, PartialEq)]
pub enum NotTaken {
    /// A site has other bounds than in earlier runs, so only the outcome of this run counts. The search can go on.
    Values {
        /// The index of the run.
        run: u32,
        /// The site.
        site: SiteId,
    },
    /// The run was taken before, and is not taken again.
    Repeated(u32),
}

impl NotTaken {
    fn of(error: PushError, run: u32) -> Self {
        match error {
            PushError::Conflict { site } => NotTaken::Values { run, site },
            PushError::Repeated(run) => NotTaken::Repeated(run),
        }
    }
}

impl fmt::Display for NotTaken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotTaken::Values { run, site } => write!(
                f,
                "run {run}: `{site}` has other bounds than in earlier runs; of this run only the outcome counts"
            ),
            NotTaken::Repeated(run) => write!(f, "run {run} was recorded twice"),
        }
    }
}

impl std::error::Error for NotTaken {}

/// What to do next.
#[derive(Debug, Clone, PartialEq)]
pub enum SearchStep {
    /// Make these runs.
    Collect(Vec<u32>),
    /// Nothing more is needed.
    Done(SearchEnd),
}

/// Why no more runs are needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchEnd {
    /// The rule of convergence says so.
    Rule(ConvergenceEnd),
    /// Two runs disagreed, which is all that was asked.
    Disagreement,
    /// So many runs failed, and none passed, that the test is broken.
    Broken,
    /// All runs were skipped; one is enough.
    Skipped,
    /// A run touched nothing that could differ; whoever searches repeats it once, in another process and under other
    /// hashes.
    Fixed,
}

/// The search for flakiness of one test.
#[derive(Debug, Clone)]
pub struct Search {
    rule: SearchRule,
    watch: ConvergenceWatch,
    passed: bool,
    failed: bool,
    /// How many failed.
    failures: u32,
    skipped: bool,
    as_written: bool,
    fixed: bool,
}

impl Search {
    /// A search that has seen nothing yet.
    pub fn new(rule: SearchRule) -> Self {
        let watch = ConvergenceWatch::new(rule.stop);
        let tight = Tight {
            most: rule.most_tight,
            ..Tight::default()
        };
        Search {
            rule,
            watch: if rule.tight {
                watch.until_tight(tight)
            } else {
                watch
            },
            passed: false,
            failed: false,
            failures: 0,
            skipped: false,
            as_written: false,
            fixed: false,
        }
    }

    /// Takes what a run showed. The error says what of it was not taken.
    pub fn push(&mut self, run: SearchedRun) -> Result<(), NotTaken> {
        let index = run.index;
        let not_taken = |error| NotTaken::of(error, index);
        let skipped = run.outcome == Outcome::Skip;
        if skipped || run.as_written {
            self.watch.set_aside(index).map_err(not_taken)?;
            self.skipped |= skipped;
            self.as_written |= !skipped;
            return Ok(());
        }
        let mut run = WatchedRun {
            index,
            failed: run.outcome == Outcome::Fail,
            hits: run.hits,
        };
        let taken = self.watch.push(&run).map_err(not_taken);
        match taken {
            Ok(()) => {}
            Err(NotTaken::Values { .. }) => {
                run.hits.clear();
                self.watch.push(&run).map_err(not_taken)?;
            }
            Err(NotTaken::Repeated(_)) => return taken,
        }
        self.failed |= run.failed;
        self.failures += u32::from(run.failed);
        self.passed |= !run.failed;
        taken
    }

    /// A run touched nothing that could differ from run to run: no further one can show anything else.
    pub fn shown_fixed(&mut self) {
        self.fixed = true;
    }

    /// Runs that a search makes of a test whose runs are all like this one.
    pub fn runs_if_all_are_like(rule: SearchRule, run: &SearchedRun) -> u32 {
        let mut search = Search::new(rule);
        let mut made = 0;
        while let SearchStep::Collect(wanted) = search.step() {
            for index in wanted {
                let run = SearchedRun {
                    index,
                    ..run.clone()
                };
                if search.push(run).is_err() {
                    return made;
                }
                made += 1;
            }
        }
        made
    }

    /// The time is up: the next step is [`SearchStep::Done`].
    pub fn out_of_time(&mut self) {
        self.watch.out_of_time();
    }

    /// What to do next.
    pub fn step(&mut self) -> SearchStep {
        if self.rule.fast && self.passed && self.failed {
            return SearchStep::Done(SearchEnd::Disagreement);
        }
        if !self.passed
            && self
                .rule
                .broken_after
                .is_some_and(|most| self.failures >= most)
        {
            return SearchStep::Done(SearchEnd::Broken);
        }
        if self.skipped && !self.passed && !self.failed && !self.as_written {
            return SearchStep::Done(SearchEnd::Skipped);
        }
        if self.fixed && (self.passed || self.failed || self.as_written) {
            return SearchStep::Done(SearchEnd::Fixed);
        }
        match self.watch.step() {
            WatchStep::Collect(_) => SearchStep::Collect(self.watch.wanted().collect()),
            WatchStep::Done(watched) => SearchStep::Done(SearchEnd::Rule(watched.end)),
        }
    }
}

#[cfg(test)]
mod tests;
