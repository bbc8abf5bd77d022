//! Simulated tests that fail in 2 % of their runs, for many reasons, and what a search finds of them.

use flex_detect::record::{Outcome, Role};
use flex_detect::search::SearchRule;
use flex_detect::verdict::{Diagnosis, JudgeRule, judge};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::simulated::{Simulated, record};
use crate::distribution::Distribution;
use crate::parallel::in_parallel;

/// The failure rate that is to be found.
pub const RATE: f64 = 0.02;

/// Tests of each planted kind.
pub const TESTS: u64 = 10_000;

/// The results of searches of one kind of flaky tests.
pub struct Planted {
    pub kind: &'static str,
    /// Tests with a finding.
    pub found: u64,
    /// Tests whose gravest verdict is a second mode.
    pub second_mode: u64,
    /// Their mean runs.
    pub runs: f64,
    /// The fewest varied runs after which a test ended that had not failed.
    pub fewest_unseen: u32,
}

/// Searches tests of every kind. Seeds are fixed.
pub fn measure(distributions: &[Distribution]) -> Vec<Planted> {
    let kinds = kinds(distributions);
    let indexed: Vec<(usize, &(&'static str, Simulated))> = kinds.iter().enumerate().collect();
    in_parallel(&indexed, |(index, (kind, test))| {
        search(kind, test, (*index as u64 + 1) << 32, TESTS)
    })
}

fn named<'a>(all: &'a [Distribution], name: &str) -> &'a Distribution {
    let mut all = all.iter();
    all.find(|distribution| distribution.name == name)
        .expect("the truth table has it")
}

/// A test with these upper bounds and values.
fn upper<'a>(
    bounds: &[f64],
    show: impl Fn(&mut ChaCha8Rng) -> (Vec<f64>, bool) + Send + Sync + 'a,
) -> Simulated<'a> {
    Simulated {
        bounds: bounds.iter().map(|bound| (Role::Upper, *bound)).collect(),
        first_as_written: false,
        show: Box::new(show),
    }
}

/// Tests that fail in 2 % of their runs, by kind.
fn kinds(all: &[Distribution]) -> Vec<(&'static str, Simulated<'_>)> {
    let rarely = |rng: &mut ChaCha8Rng| rng.random::<f64>() < RATE;
    let normal = named(all, "normal");
    let beyond = |name: &str| {
        let values = named(all, name);
        upper(&[values.quantile_above(RATE)], |rng| {
            (vec![values.draw(rng)], false)
        })
    };
    let exponential = named(all, "exponential");
    let lower = exponential.quantile_above(1.0 - RATE);
    vec![
        ("normal beyond its bound", beyond("normal")),
        ("exponential beyond its bound", beyond("exponential")),
        (
            "t with 4 degrees beyond its bound",
            beyond("t with 4 degrees"),
        ),
        (
            "exponential below its bound",
            Simulated {
                bounds: vec![(Role::Lower, lower)],
                ..upper(&[], |rng| (vec![exponential.draw(rng)], false))
            },
        ),
        (
            "0, and 1 where it fails",
            upper(&[0.5], move |rng| {
                (vec![f64::from(u8::from(rarely(rng)))], false)
            }),
        ),
        (
            "a far second mode",
            upper(&[50.0], move |rng| {
                let far = if rarely(rng) { 100.0 } else { 0.0 };
                (vec![far + normal.draw(rng)], false)
            }),
        ),
        (
            "a panic, nothing recorded",
            upper(&[], move |rng| (vec![], rarely(rng))),
        ),
        (
            "a panic after a sound assertion",
            upper(&[30.0], move |rng| (vec![normal.draw(rng)], rarely(rng))),
        ),
        (
            "the second of three assertions",
            upper(&[30.0, normal.quantile_above(RATE), 30.0], |rng| {
                ((0..3).map(|_| normal.draw(rng)).collect(), false)
            }),
        ),
        (
            "normal, passing under the seed of the source",
            Simulated {
                first_as_written: true,
                ..beyond("normal")
            },
        ),
    ]
}

fn search(kind: &'static str, test: &Simulated, seeds: u64, tests: u64) -> Planted {
    let mut all = Planted {
        kind,
        found: 0,
        second_mode: 0,
        runs: 0.0,
        fewest_unseen: u32::MAX,
    };
    for seed in seeds..seeds + tests {
        let observed = test.search(SearchRule::default(), seed);
        let runs = observed.runs.len();
        let failed = observed.runs.iter().any(|run| run.outcome == Outcome::Fail);
        let found = judge(&record(vec![observed]), &JudgeRule::default());
        all.runs += runs as f64 / tests as f64;
        all.found += u64::from(found.has_findings());
        let gravest = found.tests[0].gravest().map(|finding| &finding.verdict);
        all.second_mode += u64::from(matches!(gravest, Some(Diagnosis::SecondMode(_))));
        if !failed {
            let varied = runs as u32 - u32::from(test.first_as_written);
            all.fewest_unseen = all.fewest_unseen.min(varied);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distribution;

    /// Fixed seeds.
    #[test]
    fn planted_flakiness_is_found_whatever_its_kind() {
        let distributions = distribution::all();
        for (kind, test) in kinds(&distributions) {
            let found = search(kind, &test, 1 << 48, 100);
            // No test ends unseen before this, so it is found with a probability of at least 1 − 0.98²²⁹ = 0.9902.
            assert!(
                found.fewest_unseen >= 229,
                "{kind}: {}",
                found.fewest_unseen
            );
            assert!(found.found >= 97, "{kind}: {}", found.found);
        }
    }
}
