//! How long a test is searched: until the stop rule of DESIGN §4.4 ends it, or its runs disagree.

use flex_core::convergence::{End, Limits, StopRule, Watch, WatchStep, WatchedRun};

use crate::record::Outcome;

/// When a search ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SearchRule {
    /// The rule of convergence, with all its numbers.
    pub stop: StopRule,
    /// End at the first two runs that disagree.
    pub fast: bool,
    /// Go on after that until bounds can be learned that are patched into the source, where there is something to patch.
    pub tight: bool,
    /// Runs to end with at the latest then.
    pub most_tight: u32,
}

impl Default for SearchRule {
    fn default() -> Self {
        SearchRule {
            stop: StopRule::default(),
            fast: false,
            tight: false,
            most_tight: 3000,
        }
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
    /// Every hit of a site: its id, the bounds that hold for it, and the value.
    pub hits: Vec<(String, Limits, f64)>,
}

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
    Rule(End),
    /// Two runs disagreed, which is all that was asked.
    Disagreement,
    /// All runs were skipped.
    Skipped,
}

/// The search for flakiness of one test.
#[derive(Debug, Clone)]
pub struct Search {
    rule: SearchRule,
    watch: Watch,
    passed: bool,
    failed: bool,
    others: bool,
}

impl Search {
    /// A search that has seen nothing yet.
    pub fn new(rule: SearchRule) -> Self {
        Search {
            rule,
            watch: Watch::new(rule.stop),
            passed: false,
            failed: false,
            others: false,
        }
    }

    /// Takes what a run showed. A site whose bounds are others than before is refused.
    pub fn push(&mut self, run: SearchedRun) -> Result<(), String> {
        match run.outcome {
            Outcome::Pass => self.passed = true,
            Outcome::Fail => self.failed = true,
            Outcome::Skip => self.others = true,
        }
        self.watch
            .push(&WatchedRun {
                index: run.index,
                failed: run.outcome == Outcome::Fail,
                hits: run.hits,
            })
            .map_err(|error| error.to_string())
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
        if self.others && !self.passed && !self.failed {
            return SearchStep::Done(SearchEnd::Skipped);
        }
        match self.watch.step() {
            WatchStep::Collect(_) => SearchStep::Collect(self.watch.wanted().collect()),
            WatchStep::Done(watched) => SearchStep::Done(SearchEnd::Rule(watched.end)),
        }
    }
}
