//! What a search finds of planted flakiness, and in sound tests: the real search and verdicts over simulated tests.

use flex_detect::record::{Outcome, Role};
use flex_detect::search::SearchRule;
use flex_detect::verdict::{Finding, JudgeRule, Verdict, judge};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::simulated::{Show, Simulated, record};
use crate::truth::distribution::{self, Distribution, Kind};
use crate::truth::in_parallel;

/// The failure rate that is to be found.
pub const RATE: f64 = 0.02;

/// Tests of each planted kind.
pub const TESTS: u64 = 10_000;

/// Suites of sound tests.
pub const SUITES: u64 = 20;

/// The deterministic tests of a suite, and the stochastic ones.
pub const DETERMINISTIC: usize = 200;
pub const STOCHASTIC: usize = 50;

/// The probability that any assertion of a run of a sound stochastic test fails is below this.
pub const SOUND: f64 = 1e-10;

/// What was measured.
pub struct Measured {
    pub planted: Vec<Planted>,
    pub sound: Sound,
}

/// What became of flaky tests of one kind.
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

/// What became of sound tests.
#[derive(Default)]
pub struct Sound {
    pub deterministic: u64,
    pub stochastic: u64,
    /// Tests with a finding, by kind.
    pub false_deterministic: u64,
    pub false_stochastic: u64,
    /// Stochastic tests of which something is told that is no finding.
    pub told: u64,
    /// Stochastic tests that are called risky if a probability of 1e-3 is asked for.
    pub risky: u64,
    /// Those of them whose values have no end near their bounds.
    pub unending: u64,
    pub risky_unending: u64,
    /// Runs of stochastic tests.
    pub runs: u64,
}

/// Simulates everything. Seeds are fixed.
pub fn measure() -> Measured {
    let distributions = distribution::all();
    let kinds = planted(&distributions);
    let indexed: Vec<(usize, &(&'static str, Simulated))> = kinds.iter().enumerate().collect();
    let planted = in_parallel(&indexed, |(place, (kind, test))| {
        search_planted(kind, test, (*place as u64 + 1) << 32, TESTS)
    });
    let suites: Vec<u64> = (0..SUITES).collect();
    let sound = in_parallel(&suites, |suite| search_sound(&distributions, *suite));
    Measured {
        planted,
        sound: sound.into_iter().fold(Sound::default(), Sound::plus),
    }
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

/// Tests that fail in 2 % of their runs.
fn planted(all: &[Distribution]) -> Vec<(&'static str, Simulated<'_>)> {
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

fn search_planted(kind: &'static str, test: &Simulated, seeds: u64, tests: u64) -> Planted {
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
        all.second_mode += u64::from(matches!(gravest, Some(Verdict::SecondMode(_))));
        if !failed {
            let varied = runs as u32 - u32::from(test.first_as_written);
            all.fewest_unseen = all.fewest_unseen.min(varied);
        }
    }
    all
}

impl Sound {
    fn plus(self, other: Sound) -> Sound {
        Sound {
            deterministic: self.deterministic + other.deterministic,
            stochastic: self.stochastic + other.stochastic,
            false_deterministic: self.false_deterministic + other.false_deterministic,
            false_stochastic: self.false_stochastic + other.false_stochastic,
            told: self.told + other.told,
            risky: self.risky + other.risky,
            unending: self.unending + other.unending,
            risky_unending: self.risky_unending + other.risky_unending,
            runs: self.runs + other.runs,
        }
    }
}

/// One suite: 200 deterministic tests and 50 stochastic ones.
fn search_sound(all: &[Distribution], suite: u64) -> Sound {
    let mut sound = Sound::default();
    for number in 0..DETERMINISTIC {
        let test = deterministic(number);
        let observed = test.search(SearchRule::default(), suite);
        let found = judge(
            &record(vec![observed]),
            &JudgeRule {
                probability: Some(1e-3),
            },
        );
        sound.deterministic += 1;
        sound.false_deterministic += u64::from(found.iter().any(Finding::is_notable));
    }
    let healthy: Vec<&Distribution> = all.iter().filter(|d| d.kind != Kind::Irregular).collect();
    for number in 0..STOCHASTIC {
        let (test, unending) = stochastic(&healthy, number);
        let seed = (suite << 16) + number as u64;
        let observed = record(vec![test.search(SearchRule::default(), seed)]);
        let found = judge(&observed, &JudgeRule::default());
        sound.stochastic += 1;
        sound.runs += observed.tests[0].runs.len() as u64;
        sound.false_stochastic += u64::from(found.has_findings());
        sound.told += u64::from(found.iter().any(Finding::is_notable));
        let risky = judge(
            &observed,
            &JudgeRule {
                probability: Some(1e-3),
            },
        );
        let is_risky = u64::from(risky.has_findings());
        sound.risky += is_risky;
        if unending {
            sound.unending += 1;
            sound.risky_unending += is_risky;
        }
    }
    sound
}

/// Tests that show the same in every run: numbers of all sizes, at their bound or far from it, one to three, or none.
fn deterministic(number: usize) -> Simulated<'static> {
    let size = 10f64.powi(number as i32 % 41 - 20);
    let values: Vec<f64> = (0..number % 4)
        .map(|site| size * [1.0, 0.0, -1.0][(number + site) % 3])
        .collect();
    let far = if number.is_multiple_of(5) { 0.0 } else { size };
    let bounds = values.iter().map(|value| (Role::Upper, value + far));
    Simulated {
        bounds: bounds.collect(),
        first_as_written: number.is_multiple_of(7),
        show: Box::new(move |_| (values.clone(), false)),
    }
}

/// Tests of one to three assertions over values of every healthy kind, above and below, of any unit; and whether none of
/// those ends near its bound.
fn stochastic<'a>(healthy: &[&'a Distribution], number: usize) -> (Simulated<'a>, bool) {
    let sites: Vec<(&Distribution, f64)> = (0..1 + number % 3)
        .map(|site| {
            let values = healthy[(number + 7 * site) % healthy.len()];
            let unit = [1.0, -1.0, 1e-6, -1e6][(number + site) % 4];
            (values, unit)
        })
        .collect();
    let rate = SOUND / sites.len() as f64;
    let mut kinds = sites.iter().map(|(values, _)| values.kind);
    let unending = !kinds.any(|kind| kind == Kind::Bounded);
    let bound = |(values, unit): &(&Distribution, f64)| {
        let role = if *unit < 0.0 {
            Role::Lower
        } else {
            Role::Upper
        };
        (role, unit * values.quantile_above(rate))
    };
    let bounds = sites.iter().map(bound).collect();
    let show: Show<'a> = Box::new(move |rng| {
        let value = |(values, unit): &(&Distribution, f64)| unit * values.draw(rng);
        (sites.iter().map(value).collect(), false)
    });
    let test = Simulated {
        bounds,
        first_as_written: false,
        show,
    };
    (test, unending)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fixed seeds.
    #[test]
    fn planted_flakiness_is_found_whatever_its_kind() {
        let distributions = distribution::all();
        for (kind, test) in planted(&distributions) {
            let found = search_planted(kind, &test, 1 << 48, 100);
            // No test ends unseen before this, so it is found with a probability of at least 1 − 0.98²²⁹ = 0.9902.
            assert!(
                found.fewest_unseen >= 229,
                "{kind}: {}",
                found.fewest_unseen
            );
            assert!(found.found >= 97, "{kind}: {}", found.found);
        }
    }

    /// Fixed seeds.
    #[test]
    fn nothing_is_found_in_sound_tests() {
        let sound = search_sound(&distribution::all(), 1 << 32);
        let tests = (sound.deterministic as usize, sound.stochastic as usize);
        assert_eq!(tests, (DETERMINISTIC, STOCHASTIC));
        assert_eq!((sound.false_deterministic, sound.told), (0, 0));
    }
}
