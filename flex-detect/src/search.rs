//! How long a test is searched: until the stop rule ends it, or its runs disagree
//! (docs/design/search.md, "When a search may stop").
//!
//! Runs may come in any order. Those that were skipped, and a first run under the seeds that the source states, were made
//! and count for nothing. If asked to, a search goes on after that while there may be something to patch.

use flex_core::calibration::{PushError, SiteId};
use flex_core::search::convergence::{End, Limits, StopRule, Tight, Watch, WatchStep, WatchedRun};

use crate::record::Outcome;

/// When a search ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SearchRule {
    /// The rule of convergence, with all its numbers.
    pub stop: StopRule,
    /// End at the first two runs that disagree.
    pub fast: bool,
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
            tight: false,
            most_tight: Tight::default().most,
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
    /// Every hit of a site: its id, the bounds that hold for it, and the value. Bounds that are computed in each run are
    /// given as the distance from them, with a limit of 0.
    pub hits: Vec<(SiteId, Limits, f64)>,
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
    /// All runs were skipped; one is enough.
    Skipped,
}

/// The search for flakiness of one test.
#[derive(Debug, Clone)]
pub struct Search {
    rule: SearchRule,
    watch: Watch,
    passed: bool,
    failed: bool,
    skipped: bool,
    as_written: bool,
}

impl Search {
    /// A search that has seen nothing yet.
    pub fn new(rule: SearchRule) -> Self {
        let watch = Watch::new(rule.stop);
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
            skipped: false,
            as_written: false,
        }
    }

    /// Takes what a run showed.
    ///
    /// Of a run in which a site has other bounds than before, only the outcome is taken, and the error says so; the search
    /// can go on. A run that was taken before is not taken again.
    pub fn push(&mut self, run: SearchedRun) -> Result<(), String> {
        let skipped = run.outcome == Outcome::Skip;
        if skipped || run.as_written {
            let taken = self.watch.set_aside(run.index);
            taken.map_err(|error| error.to_string())?;
            self.skipped |= skipped;
            self.as_written |= !skipped;
            return Ok(());
        }
        let mut run = WatchedRun {
            index: run.index,
            failed: run.outcome == Outcome::Fail,
            hits: run.hits,
        };
        let mut taken = self.watch.push(&run);
        let conflict = match &taken {
            Err(PushError::Conflict { site }) => Some(format!(
                "run {}: `{site}` has other bounds than in earlier runs; of this run only the outcome counts",
                run.index
            )),
            _ => None,
        };
        if conflict.is_some() {
            run.hits.clear();
            taken = self.watch.push(&run);
        }
        taken.map_err(|error| error.to_string())?;
        self.failed |= run.failed;
        self.passed |= !run.failed;
        conflict.map_or(Ok(()), Err)
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
        if self.skipped && !self.passed && !self.failed && !self.as_written {
            return SearchStep::Done(SearchEnd::Skipped);
        }
        match self.watch.step() {
            WatchStep::Collect(_) => SearchStep::Collect(self.watch.wanted().collect()),
            WatchStep::Done(watched) => SearchStep::Done(SearchEnd::Rule(watched.end)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUND: Limits = Limits {
        lower: None,
        upper: Some(0.9),
    };

    /// A value in [0, 1) for each run: multiples of the golden ratio, which are spread evenly.
    fn value(index: u32) -> f64 {
        (f64::from(index) * 0.618_033_988_749_895).fract()
    }

    fn shown(index: u32, outcome: Outcome) -> SearchedRun {
        SearchedRun {
            index,
            as_written: false,
            outcome,
            hits: vec![("x<0.9".into(), BOUND, value(index))],
        }
    }

    /// Drives a search; returns why it ended and after how many runs.
    fn drive(rule: SearchRule, mut show: impl FnMut(u32) -> SearchedRun) -> (SearchEnd, usize) {
        let mut search = Search::new(rule);
        let mut made = 0;
        loop {
            match search.step() {
                SearchStep::Done(end) => return (end, made),
                SearchStep::Collect(wanted) => {
                    // Nobody promises an order.
                    for index in wanted.into_iter().rev() {
                        search.push(show(index)).unwrap();
                        made += 1;
                    }
                }
            }
        }
    }

    fn check(rule: SearchRule, show: impl FnMut(u32) -> SearchedRun, expected: (SearchEnd, usize)) {
        assert_eq!(drive(rule, show), expected);
    }

    #[test]
    fn searches_end_when_enough_is_known() {
        use Outcome::{Fail, Pass, Skip};
        let usual = SearchRule::default();
        let fast = SearchRule {
            fast: true,
            ..usual
        };
        let rule = SearchEnd::Rule;
        check(usual, |i| shown(i, Fail), (rule(End::AlwaysFailed), 30));
        check(usual, |i| shown(i, Skip), (SearchEnd::Skipped, 30));
        let rarely = |i: u32| shown(i, if i % 50 == 3 { Fail } else { Pass });
        check(usual, rarely, (rule(End::MostRuns), 500));
        check(fast, rarely, (SearchEnd::Disagreement, 30));
        let late = |i: u32| shown(i, if i == 65 { Fail } else { Pass });
        check(fast, late, (SearchEnd::Disagreement, 70));
        let mut healthy = drive(usual, |i| shown(i, Pass));
        assert_eq!(healthy.0, rule(End::RareFailures));
        assert!((230..=260).contains(&healthy.1), "{healthy:?}");
        healthy = drive(fast, |i| shown(i, Pass));
        assert_eq!(healthy.0, rule(End::RareFailures));
    }

    #[test]
    fn the_run_as_written_stands_apart() {
        use Outcome::{Fail, Pass, Skip};
        let golden = |i: u32| SearchedRun {
            as_written: i == 0,
            ..shown(i, if i == 0 { Pass } else { Fail })
        };
        for fast in [false, true] {
            let rule = SearchRule {
                fast,
                ..SearchRule::default()
            };
            check(rule, golden, (SearchEnd::Rule(End::AlwaysFailed), 30));
        }
        // Only the seeds of the source are skipped: the search goes on.
        let mut search = Search::new(SearchRule::default());
        search.push(golden(0)).unwrap();
        search.push(shown(1, Skip)).unwrap();
        assert!(matches!(search.step(), SearchStep::Collect(wanted) if wanted.len() == 28));
    }

    #[test]
    fn one_skipped_run_is_enough() {
        let mut search = Search::new(SearchRule::default());
        search.push(shown(0, Outcome::Skip)).unwrap();
        assert_eq!(search.step(), SearchStep::Done(SearchEnd::Skipped));
    }

    #[test]
    fn tight_goes_on_where_something_may_be_patched() {
        let tight = SearchRule {
            tight: true,
            most_tight: 900,
            ..SearchRule::default()
        };
        let exponential = |i: u32, bound: f64| {
            let value = -(1.0 - value(i)).ln();
            let limits = Limits {
                lower: None,
                upper: Some(bound),
            };
            let outcome = if value > bound {
                Outcome::Fail
            } else {
                Outcome::Pass
            };
            SearchedRun {
                hits: vec![("x".into(), limits, value)],
                ..shown(i, outcome)
            }
        };
        let (end, runs) = drive(tight, |i| exponential(i, 3.0));
        assert_eq!(end, SearchEnd::Rule(End::MostRuns));
        assert!((501..=900).contains(&runs), "{runs}");
        let (_, runs) = drive(tight, |i| exponential(i, 1e4));
        assert!(runs < 300, "{runs}");
    }

    #[test]
    fn bounds_that_differ_are_an_error_and_no_end() {
        let mut search = Search::new(SearchRule::default());
        for index in 0..30 {
            let limits = Limits {
                lower: None,
                upper: Some(f64::from(index / 29)),
            };
            let run = SearchedRun {
                hits: vec![("x<y".into(), limits, 0.5)],
                ..shown(index, Outcome::Fail)
            };
            let taken = search.push(run.clone());
            assert_eq!(taken.is_err(), index == 29, "{taken:?}");
            let again = search.push(run).unwrap_err();
            assert!(again.contains("twice"), "{again}");
        }
        let all = SearchStep::Done(SearchEnd::Rule(End::AlwaysFailed));
        assert_eq!(search.step(), all);
    }

    #[test]
    fn time_that_is_up_ends_a_search() {
        let mut search = Search::new(SearchRule::default());
        search.push(shown(0, Outcome::Pass)).unwrap();
        search.out_of_time();
        assert_eq!(
            search.step(),
            SearchStep::Done(SearchEnd::Rule(End::OutOfTime))
        );
    }
}
