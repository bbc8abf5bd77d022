//! A cluster of values far from the rest, on strong evidence only: what a search for bugs may claim.
//!
//! The ceiling's gap test refuses a fit on slight suspicion, and does so for a few percent of healthy samples. Here a claim
//! is made to a person, so it must hardly ever be wrong, whatever the distribution. Under a Pareto tail of index α, the
//! ratio of neighbouring order statistics with m samples beyond it is r or more with probability r^(−αm) (Rényi 1953).
//! With α = 1, a tail without a mean, that is less than one in a million for what is called a cluster; and the gap is
//! wider than all the rest together. `cargo xtask detect` measures how often that is wrong.

use crate::sample::{Sample, Samples};
use crate::sorted::sort_runs;
use crate::tail::Side;

/// The probability of so wide a gap under the heaviest tail that is thought of, for a claim to whoever searches hundreds of
/// tests.
pub const CERTAIN: f64 = 1e-6;

/// The same for whoever calibrates a site: there are a hundred runs instead of five hundred, and a claim that is wrong
/// can be waved through.
pub const LIKELY: f64 = 1e-3;

/// The index of that tail.
const INDEX: f64 = 1.0;

/// The gap is at least so many times as wide as the rest.
const WIDTH: f64 = 2.0;

/// The rest has at least so many values: of fewer, half may look like a cluster beside those that crowd at 0.
const FEWEST: usize = 50;

/// The rest has at least so many different values: counts and switches have gaps, and no clusters.
const FEWEST_DIFFERENT: usize = 10;

/// No value is more than this part of the rest: those beside a number that nearly always comes are no clusters.
const MOST_EQUAL: f64 = 0.5;

/// Gaps within the noise of the last bits, as a part of the largest value, are none.
const NOISE: f64 = 1e-9;

/// Values that lie apart from the rest.
#[derive(Debug, Clone, PartialEq)]
pub struct SecondMode {
    /// Their runs, in ascending order.
    pub runs: Vec<u32>,
    /// Their least and greatest value.
    pub range: (f64, f64),
    /// The least and greatest value of the rest.
    pub rest: (f64, f64),
}

impl SecondMode {
    /// Looks for a cluster of two values or more, and at most half of them, above or below the rest.
    pub fn find(samples: &Samples) -> Option<SecondMode> {
        let beyond = |side| SecondMode::beyond(samples, side, CERTAIN);
        beyond(Side::Lower).or_else(|| beyond(Side::Upper))
    }

    /// Looks for such a cluster on one side of the rest, [`CERTAIN`] or [`LIKELY`].
    pub fn beyond(samples: &Samples, side: Side, level: f64) -> Option<SecondMode> {
        let values = samples.finite();
        (2..=values.len() / 2).find_map(|m| match side {
            Side::Lower => SecondMode::apart(&values[..m], &values[m..], level),
            Side::Upper => {
                let (rest, apart) = values.split_at(values.len() - m);
                SecondMode::apart(apart, rest, level)
            }
        })
    }

    /// How far the cluster is from the rest.
    pub fn gap(&self) -> f64 {
        (self.range.0 - self.rest.1).max(self.rest.0 - self.range.1)
    }

    fn apart(apart: &[Sample], rest: &[Sample], level: f64) -> Option<SecondMode> {
        let ends = |samples: &[Sample]| Some((samples.first()?.value, samples.last()?.value));
        let mut found = SecondMode {
            runs: Vec::new(),
            range: ends(apart)?,
            rest: ends(rest)?,
        };
        let size = |(low, high): (f64, f64)| low.abs().max(high.abs());
        let largest = size(found.range).max(size(found.rest));
        let width = found.rest.1 - found.rest.0;
        let gap = found.gap();
        let rarity = (1.0 + gap / width).powf(-INDEX * apart.len() as f64);
        // NaN, where values are so large that differences overflow, is no evidence.
        let is_far = gap >= WIDTH * width && gap > NOISE * largest && rarity <= level;
        if !is_far || rest.len() < FEWEST || !is_spread(rest) {
            return None;
        }
        found.runs = apart.iter().map(|sample| sample.run).collect();
        sort_runs(&mut found.runs);
        Some(found)
    }
}

/// Whether sorted values are different enough to have a width.
fn is_spread(sorted: &[Sample]) -> bool {
    let equal = sorted.chunk_by(|a, b| a.value == b.value);
    let (mut different, mut most) = (0, 0);
    for value in equal {
        different += 1;
        most = most.max(value.len());
    }
    different >= FEWEST_DIFFERENT && most as f64 <= MOST_EQUAL * sorted.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A hundred values evenly in [0, 1], and further ones.
    fn check(further: &[f64], expected: Option<usize>) {
        for (sign, shift) in [(1.0, 0.0), (-1.0, 0.0), (1.0, 1e3), (1e-200, 0.0)] {
            let values: Vec<f64> = (0..100)
                .map(|i| f64::from(i) / 99.0)
                .chain(further.iter().copied())
                .map(|value| sign * value + shift)
                .collect();
            let found = SecondMode::find(&Samples::from_values(&values));
            let count = found.as_ref().map(|found| found.runs.len());
            assert_eq!(count, expected, "{sign} {shift} {further:?}: {found:?}");
            if let Some(found) = found {
                assert!(found.runs.iter().all(|run| *run >= 100), "{found:?}");
            }
        }
    }

    #[test]
    fn the_fewer_values_the_farther_they_must_be() {
        check(&[], None);
        check(&[1e6], None);
        check(&[1001.0, 1002.0], Some(2));
        check(&[900.0, 1e9], None);
        check(&[101.0, 102.0, 102.0], Some(3));
        check(&[90.0, 90.0, 90.0], None);
        check(&[3.1; 13], Some(13));
        check(&[2.9; 13], None);
        check(&[3.1; 11], None);
        check(&[5.0; 100], Some(100));
        check(&[f64::NAN, f64::INFINITY, f64::NEG_INFINITY], None);
    }

    #[test]
    fn whoever_calibrates_needs_fewer_values_and_asks_for_one_side() {
        let values: Vec<f64> = (0..96)
            .map(|i| f64::from(i) / 19.0)
            .chain([50.0; 4])
            .collect();
        let samples = Samples::from_values(&values);
        let found = |side, level| SecondMode::beyond(&samples, side, level).is_some();
        assert!(found(Side::Upper, LIKELY) && !found(Side::Upper, CERTAIN));
        assert!(!found(Side::Lower, LIKELY));
    }

    #[test]
    fn counts_switches_and_noise_are_no_clusters() {
        let none = |values: &[f64]| {
            let found = SecondMode::find(&Samples::from_values(values));
            assert_eq!(found, None);
        };
        none(&[]);
        none(&[1.0]);
        none(&[[0.0; 190].as_slice(), &[1.0; 10]].concat());
        let few: Vec<f64> = (0..200).map(|i| f64::from(i % 9)).collect();
        none(&[few.as_slice(), &[1e3; 10]].concat());
        let atom: Vec<f64> = (0..100).map(|i| f64::from(i.max(60))).collect();
        none(&[atom.as_slice(), &[1e6; 10]].concat());
        let noise: Vec<f64> = (0..100).map(|i| 1.0 + f64::from(i) * 1e-16).collect();
        none(&[noise.as_slice(), &[1.0 + 1e-12; 10]].concat());
        none(&[-f64::MAX, f64::MAX].repeat(50));
    }
}
