//! Simulated suites of sound tests, deterministic and stochastic, and what a search says of them.

use flex_detect::record::Role;
use flex_detect::search::SearchRule;
use flex_detect::verdict::{Finding, JudgeRule, judge};

use super::simulated::{Show, Simulated, record};
use crate::distribution::{Distribution, TailKind};
use crate::parallel::in_parallel;

/// Suites of sound tests.
pub const SUITES: u64 = 20;

/// The deterministic tests of a suite, and the stochastic ones.
pub const DETERMINISTIC: usize = 200;
pub const STOCHASTIC: usize = 50;

/// The probability that any assertion of a run of a sound stochastic test fails is below this.
pub const SOUND: f64 = 1e-10;

/// Asks for assertions that may fail with a probability of 1e-3.
const ASKING: JudgeRule = JudgeRule {
    probability: Some(1e-3),
};

/// The results of searches of sound tests.
#[derive(Default)]
pub struct SoundSuites {
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

/// Searches all suites. Seeds are fixed.
pub fn measure(distributions: &[Distribution]) -> SoundSuites {
    let suites: Vec<u64> = (0..SUITES).collect();
    let found = in_parallel(&suites, |suite| search(distributions, *suite));
    found
        .into_iter()
        .fold(SoundSuites::default(), SoundSuites::plus)
}

impl SoundSuites {
    fn plus(self, other: SoundSuites) -> SoundSuites {
        SoundSuites {
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
fn search(all: &[Distribution], suite: u64) -> SoundSuites {
    let mut sound = SoundSuites::default();
    for number in 0..DETERMINISTIC {
        let test = deterministic(number);
        let observed = test.search(SearchRule::default(), suite);
        let found = judge(&record(vec![observed]), &ASKING);
        sound.deterministic += 1;
        sound.false_deterministic += u64::from(found.iter().any(Finding::is_notable));
    }
    let healthy: Vec<&Distribution> = all
        .iter()
        .filter(|d| d.tail != TailKind::Irregular)
        .collect();
    for number in 0..STOCHASTIC {
        let (test, unending) = stochastic(&healthy, number);
        let seed = (suite << 16) + number as u64;
        let observed = record(vec![test.search(SearchRule::default(), seed)]);
        let found = judge(&observed, &JudgeRule::default());
        sound.stochastic += 1;
        sound.runs += observed.tests[0].runs.len() as u64;
        sound.false_stochastic += u64::from(found.has_findings());
        sound.told += u64::from(found.iter().any(Finding::is_notable));
        let risky = judge(&observed, &ASKING);
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
    let mut tails = sites.iter().map(|(values, _)| values.tail);
    let unending = !tails.any(|tail| tail == TailKind::Bounded);
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
    use crate::distribution;

    /// Fixed seeds.
    #[test]
    fn nothing_is_found_in_sound_tests() {
        let sound = search(&distribution::all(), 1 << 32);
        let tests = (sound.deterministic as usize, sound.stochastic as usize);
        assert_eq!(tests, (DETERMINISTIC, STOCHASTIC));
        assert_eq!((sound.false_deterministic, sound.told), (0, 0));
    }
}
