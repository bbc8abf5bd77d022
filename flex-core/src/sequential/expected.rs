//! How many runs a claim takes to be decided, if the truth is this: for plans.

use super::{Claim, Decision, Levels, Observation, Process};
use crate::numeric::normal::normal_isf;
use crate::sequential::claim::ClaimError;

/// What is supposed to be true.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Truth<'a> {
    /// Values with this mean and standard deviation; for [`Claim::NoWorse`] the differences, for laws the normal scores of
    /// values in the law that they should have. Normal, or of two points where that does not fit into the domain.
    Spread {
        /// The mean.
        mean: f64,
        /// The standard deviation.
        sd: f64,
    },
    /// A rate.
    Rate(f64),
    /// The values of a calibration, moved by something.
    Values {
        /// The values.
        values: &'a [f64],
        /// What is added to each.
        shift: f64,
    },
}

/// What is expected of a claim.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Expected {
    /// The mean number of runs until it is decided, or the most that are made.
    pub runs: f64,
    /// The share of tests that find it broken.
    pub broken: f64,
    /// The share that find it fine.
    pub fine: f64,
}

/// Tests that are simulated: enough for a tenth.
const TESTS: u64 = 100;

/// The runs that a test of a claim is expected to take, at most `most` each, by simulation. Always the same for the same
/// question.
pub fn expected_runs(
    claim: &Claim,
    levels: Levels,
    truth: Truth<'_>,
    most: u64,
) -> Result<Expected, ClaimError> {
    let mut draws = Draws(0x9e37_79b9_7f4a_7c15);
    let (mut runs, mut broken, mut fine) = (0, 0, 0);
    for _ in 0..TESTS {
        let mut process = Process::new(claim, levels)?;
        while process.decision() == Decision::Undecided && process.runs() < most {
            let (first, second) = draws.run(claim, truth);
            let second = second.as_slice();
            let first = std::slice::from_ref(&first);
            // A value outside of the domain ends the test as a failure.
            if process.push(Observation { first, second }).is_err() {
                broken += 1;
                break;
            }
        }
        runs += process.runs();
        broken += u64::from(process.decision() == Decision::Broken);
        fine += u64::from(process.decision() == Decision::Fine);
    }
    let share = |count: u64| count as f64 / TESTS as f64;
    Ok(Expected {
        runs: share(runs),
        broken: share(broken),
        fine: share(fine),
    })
}

/// Numbers that stand for random ones (Steele, Lea & Flood 2014, SplitMix64).
struct Draws(u64);

impl Draws {
    /// Strictly between 0 and 1.
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 12) as f64 / 4_503_599_627_370_496.0 + 1e-16
    }

    /// What a run shows.
    fn run(&mut self, claim: &Claim, truth: Truth<'_>) -> (f64, Option<f64>) {
        let value = self.value(claim, truth);
        match claim {
            Claim::Mean(_) | Claim::Rate(_) => (value, None),
            Claim::NoWorse(_) => (value, Some(0.0)),
            Claim::Distributed(_) => {
                let place = crate::numeric::normal::normal_sf(-value);
                (place, Some(place))
            }
            Claim::SameDistribution(_) => (value, Some(normal_isf(self.uniform()))),
        }
    }

    fn value(&mut self, claim: &Claim, truth: Truth<'_>) -> f64 {
        let uniform = self.uniform();
        match truth {
            Truth::Rate(rate) => f64::from(uniform < rate),
            Truth::Values { values: [], shift } => shift,
            Truth::Values { values, shift } => {
                let index = (uniform * values.len() as f64) as usize;
                values[index.min(values.len() - 1)] + shift
            }
            Truth::Spread { mean, sd } => {
                let (low, high) = match claim {
                    Claim::Mean(claim) => (claim.domain.lower(), claim.domain.upper()),
                    Claim::Rate(_) => (0.0, 1.0),
                    _ => (f64::NEG_INFINITY, f64::INFINITY),
                };
                if low <= mean - 3.0 * sd && mean + 3.0 * sd <= high {
                    return (mean + sd * normal_isf(uniform)).clamp(low, high);
                }
                // Two points with this mean and standard deviation, one of them at the end that is near.
                let (near, far) = match mean - low < high - mean {
                    true => (low, mean + sd * sd / (mean - low)),
                    false => (high, mean - sd * sd / (high - mean)),
                };
                let at_far = (mean - near) / (far - near);
                if uniform < at_far { far } else { near }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Allowed, LawClaim, MeanClaim, NoWorseClaim, Outside, PairedBy, RateClaim};
    use super::*;
    use crate::tail::Side;

    #[test]
    fn rates_take_about_as_many_runs_as_wald_says() {
        // The least that any test can take on average is ln(1/α) over the relative entropy (Wald 1945): 11.1, 65.9, 446.
        let claim = Claim::Rate(RateClaim {
            allowed: Allowed::AtLeast(0.95),
            margin: 0.03,
        });
        for (rate, least) in [(0.5, 11.1), (0.8, 65.9), (0.9, 446.0)] {
            let expected = expected_runs(&claim, Levels::new(1e-4), Truth::Rate(rate), 100_000);
            let expected = expected.unwrap();
            assert!(
                (1.0..1.6).contains(&(expected.runs / least)),
                "{expected:?}"
            );
            assert!(expected.broken > 0.97, "{expected:?}");
        }
        let expected = expected_runs(&claim, Levels::new(1e-4), Truth::Rate(1.0), 1000).unwrap();
        assert!(expected.fine == 1.0 && expected.runs < 70.0, "{expected:?}");
    }

    #[test]
    fn every_family_is_planned() {
        let mean = Claim::Mean(MeanClaim {
            allowed: Allowed::AtMost(0.01),
            margin: 0.0,
            domain: "0..1".parse().unwrap(),
            outside: Outside::Refused,
        });
        let no_worse = Claim::NoWorse(NoWorseClaim {
            worse: Side::Upper,
            margin: 0.1,
            by: PairedBy::SignedRanks,
        });
        let law = LawClaim::DEFAULT;
        // Near an end of the domain, with two points; and with the values of a calibration.
        let values = [0.0, 0.001, 0.002];
        for (claim, truth, is_broken) in [
            (
                &mean,
                Truth::Spread {
                    mean: 0.02,
                    sd: 0.03,
                },
                true,
            ),
            (
                &mean,
                Truth::Values {
                    values: &values,
                    shift: 0.03,
                },
                true,
            ),
            (
                &mean,
                Truth::Values {
                    values: &values,
                    shift: 0.0,
                },
                false,
            ),
            (&no_worse, Truth::Spread { mean: 0.5, sd: 1.0 }, true),
            (
                &no_worse,
                Truth::Spread {
                    mean: -0.5,
                    sd: 1.0,
                },
                false,
            ),
            (
                &Claim::Distributed(law),
                Truth::Spread { mean: 0.5, sd: 1.0 },
                true,
            ),
            (
                &Claim::SameDistribution(law),
                Truth::Spread { mean: 0.0, sd: 2.0 },
                true,
            ),
        ] {
            let expected = expected_runs(claim, Levels::new(1e-3), truth, 5000).unwrap();
            let share = if is_broken {
                expected.broken
            } else {
                expected.fine
            };
            assert!(share > 0.97, "{claim:?} {truth:?} {expected:?}");
        }
    }
}
