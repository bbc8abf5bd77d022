//! What ways of rerunning a suite are expected to find and to cost (docs/design/trace.md, "Strategies and their price").
//!
//! In all of them the first two runs of a test that disagree end it, and no test is run more than n times.

mod stop;

use super::reruns::OutcomeRates;
pub use stop::{SearchEnds, Searched};

/// A way of rerunning a suite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RerunStrategy {
    /// Every test.
    Everything,
    /// Tests that call a function which tells of variation; a traced run of all tests says which.
    Selected,
    /// Those, and all tests that take less than a limit.
    Hybrid,
    /// Every test, those that take the least time first.
    SmallestFirst,
    /// Every test under probes: one that touched nothing that can differ is run twice, and one of which the first runs
    /// all failed is given up.
    Probes,
}

impl RerunStrategy {
    /// All strategies, in the order in which they are shown.
    pub const ALL: [RerunStrategy; 5] = [
        RerunStrategy::Everything,
        RerunStrategy::Selected,
        RerunStrategy::Hybrid,
        RerunStrategy::SmallestFirst,
        RerunStrategy::Probes,
    ];

    /// Its name, for people and programs.
    pub fn as_str(self) -> &'static str {
        match self {
            RerunStrategy::Everything => "everything",
            RerunStrategy::Selected => "selected",
            RerunStrategy::Hybrid => "hybrid",
            RerunStrategy::SmallestFirst => "smallest first",
            RerunStrategy::Probes => "probes",
        }
    }
}

/// A test, and how its runs may end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StrategyTest {
    /// The probability that it is flaky.
    pub flaky: f64,
    /// How its runs end if it is.
    pub outcomes: OutcomeRates,
    /// How its runs end if it is not.
    pub otherwise: OutcomeRates,
    /// The mean duration of a run, in seconds.
    pub seconds: f64,
    /// Whether it calls a function that tells of variation.
    pub is_selected: bool,
    /// Whether it touched nothing that can differ.
    pub is_fixed: bool,
}

/// What watching costs, and which tests are short.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Terms {
    /// The time of a run in which all calls are traced, as a multiple of a plain one.
    pub tracing: f64,
    /// The time of a run under probes, as a multiple of a plain one.
    pub probing: f64,
    /// The hybrid always reruns tests that take less than this, in seconds.
    pub short: f64,
    /// Runs after which a test is given up under probes if all of them failed.
    pub give_up: u64,
}

impl Default for Terms {
    /// What our own measurements allow at most, the limit of the published hybrid, and the first runs of a search.
    fn default() -> Self {
        Terms {
            tracing: 1.19,
            probing: 1.02,
            short: 0.004,
            give_up: 30,
        }
    }
}

/// What a strategy is expected to find and to cost.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StrategyPrice {
    /// Tests that are rerun.
    pub tests: usize,
    /// Expected flaky tests that are found.
    pub found: f64,
    /// Expected runs.
    pub runs: f64,
    /// Expected time in seconds, one run after the other.
    pub seconds: f64,
    /// The expected time and the flaky tests found by then, after each test, in the order in which they are rerun.
    pub course: Vec<(f64, f64)>,
}

impl StrategyPrice {
    /// The expected time until so many flaky tests are found; `None` if so many never are.
    pub fn seconds_to(&self, found: f64) -> Option<f64> {
        // Sums in another order may differ in their last bits.
        let enough = found * (1.0 - 1e-12);
        let reached = self.course.iter().find(|(_, so_far)| *so_far >= enough);
        reached.map(|(seconds, _)| *seconds)
    }
}

/// The price of a strategy, with at most `runs` runs of each test.
pub fn price(
    strategy: RerunStrategy,
    tests: &[StrategyTest],
    runs: u64,
    terms: &Terms,
) -> StrategyPrice {
    let is_rerun = |test: &&StrategyTest| match strategy {
        RerunStrategy::Selected => test.is_selected,
        RerunStrategy::Hybrid => test.is_selected || test.seconds < terms.short,
        _ => true,
    };
    let mut price = StrategyPrice::default();
    let is_traced = matches!(strategy, RerunStrategy::Selected | RerunStrategy::Hybrid);
    if is_traced && runs > 0 {
        // The traced run of each test is its first.
        price.runs = tests.len() as f64;
        price.seconds = terms.tracing * tests.iter().map(|test| test.seconds).sum::<f64>();
    }
    let mut rerun: Vec<&StrategyTest> = tests.iter().filter(is_rerun).collect();
    if strategy == RerunStrategy::SmallestFirst {
        rerun.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
    }
    price.tests = rerun.len();
    for test in rerun {
        let (found, expected) = match strategy {
            RerunStrategy::Probes => {
                let runs = if test.is_fixed { runs.min(2) } else { runs };
                test.weighted(|outcomes| giving_up(outcomes, runs, terms.give_up))
            }
            _ => test.weighted(|outcomes| (outcomes.unveiled(runs), outcomes.expected_runs(runs))),
        };
        let new = match is_traced {
            true => (expected - 1.0).max(0.0),
            false => expected,
        };
        let factor = match strategy {
            RerunStrategy::Probes => terms.probing,
            _ => 1.0,
        };
        price.found += found;
        price.runs += new;
        price.seconds += new * test.seconds * factor;
        price.course.push((price.seconds, price.found));
    }
    price
}

impl StrategyTest {
    /// What is found of it, and the runs that this takes: in expectation over whether it is flaky.
    fn weighted(&self, cost: impl Fn(OutcomeRates) -> (f64, f64)) -> (f64, f64) {
        let (found, runs) = cost(self.outcomes);
        let (_, otherwise) = cost(self.otherwise);
        (
            self.flaky * found,
            self.flaky * runs + (1.0 - self.flaky) * otherwise,
        )
    }
}

/// What is found, and the expected runs, if a test is given up when its first runs all fail.
///
/// With probability Fᵍ the first g runs fail; of those that would have followed, none is made and nothing is found. From
/// then on the first pass would have ended it: Σ_{x<n−g} (1 − P)ˣ runs and a disagreement with probability 1 − (1 − P)ⁿ⁻ᵍ.
fn giving_up(outcomes: OutcomeRates, runs: u64, give_up: u64) -> (f64, f64) {
    let (found, expected) = (outcomes.unveiled(runs), outcomes.expected_runs(runs));
    let left = runs.saturating_sub(give_up);
    let lost = outcomes.all_failed(give_up);
    let (missed, saved) = outcomes.until_pass(left);
    ((found - lost * missed).max(0.0), expected - lost * saved)
}

#[cfg(test)]
mod tests;
