//! Races of somebody who knows both distributions: the sequential probability ratio test (Wald 1945).
//!
//! Nothing that has as many reruns to spend catches more (Wald & Wolfowitz 1948), so this says how much is left to be
//! had.

use super::super::law::{Course, Law, law};
use super::PATIENCE;
use crate::distribution::Distribution;

/// Scores are counted in sixteenths of a nat.
const UNIT: f64 = 16.0;

/// Parts of all runs that may be followed by reruns.
const PARTS: [f64; 9] = [0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.5, 1.0];

/// What one cell of values tells.
struct Cell {
    /// Its probability before the shift, and after it.
    before: f64,
    after: f64,
    score: i32,
}

/// A test that knows what values are like, and by how much they may have moved.
pub struct Oracle {
    /// The most telling first.
    cells: Vec<Cell>,
    fail: i32,
}

impl Oracle {
    /// For a shift, and a false-alarm rate to keep.
    pub fn new(distribution: &Distribution, shift: f64, rate: f64) -> Self {
        let fail = (-UNIT * rate.ln()).ceil() as i32;
        let shares = (1..100).rev().map(|percent| f64::from(percent) / 100.0);
        let mut cuts: Vec<f64> = shares
            .chain([5e-3, 1e-3, 1e-4, 1e-6])
            .flat_map(|share| {
                let quantile = distribution.quantile_above(share);
                [quantile, quantile + shift]
            })
            .collect();
        cuts.sort_by(f64::total_cmp);
        cuts.dedup();
        let beyond = |by: f64| {
            let of_cuts = cuts.iter().map(move |cut| distribution.beyond(cut - by));
            let ends: Vec<f64> = [1.0].into_iter().chain(of_cuts).chain([0.0]).collect();
            ends
        };
        let (before, after) = (beyond(0.0), beyond(shift));
        let cell = |(before, after): (&[f64], &[f64])| {
            let (before, after) = (before[0] - before[1], after[0] - after[1]);
            let score = (UNIT * (after / before).ln()).round();
            Cell {
                before,
                after,
                // What was impossible before is certain to be a change.
                score: score.clamp(f64::from(-fail), f64::from(2 * fail)) as i32,
            }
        };
        let mut cells: Vec<Cell> = before.windows(2).zip(after.windows(2)).map(cell).collect();
        cells.retain(|cell| cell.before > 0.0 || cell.after > 0.0);
        cells.sort_by_key(|cell| std::cmp::Reverse(cell.score));
        Oracle { cells, fail }
    }

    /// The probability that a run after the shift is a regression, if a replay settles what is in doubt: the most telling
    /// part of all runs.
    pub fn power_with_replay(&self, doubted: f64) -> f64 {
        let all: Vec<f64> = self.cells.iter().map(|cell| cell.before).collect();
        self.power(doubted, &all, PATIENCE)
    }

    /// The same if only reruns do, of which there may be so many per run of unchanged code; whichever part of all runs is
    /// best followed by them.
    pub fn power_with_reruns(&self, reruns: f64) -> f64 {
        let of_part = |part: &f64| {
            let entering = self.most_telling(*part, |cell| cell.before);
            self.power(*part, &entering, reruns)
        };
        PARTS.iter().map(of_part).fold(0.0, f64::max)
    }

    /// If reruns are given up as late as so many of them allow per run of unchanged code, of which a part enters.
    fn power(&self, doubted: f64, entering: &[f64], reruns: f64) -> f64 {
        let all = |of: fn(&Cell) -> f64| self.cells.iter().map(of).collect::<Vec<f64>>();
        let (before, after) = (all(|cell| cell.before), all(|cell| cell.after));
        let (mut low, mut high) = (-8 * UNIT as i32, self.fail - 1);
        while low < high {
            let clear = low + (high - low).div_euclid(2);
            match self.law(clear, entering, &before).reruns <= reruns {
                true => high = clear,
                false => low = clear + 1,
            }
        }
        let entering = self.most_telling(doubted, |cell| cell.after);
        self.law(high, &entering, &after).lost
    }

    fn law(&self, clear: i32, entering: &[f64], cells: &[f64]) -> Law {
        let scores: Vec<i32> = self.cells.iter().map(|cell| cell.score).collect();
        let course = Course {
            scores: &scores,
            clear,
            fail: self.fail,
            most: 100,
        };
        law(course, entering, cells)
    }

    /// The probabilities of cells, as far as they are among the most telling part of all runs before the shift.
    fn most_telling(&self, part: f64, of: fn(&Cell) -> f64) -> Vec<f64> {
        let mut left = part;
        let mut telling = |cell: &Cell| {
            let taken = match cell.before > 0.0 {
                true => (left / cell.before).clamp(0.0, 1.0),
                false => 1.0,
            };
            left -= taken * cell.before;
            taken * of(cell)
        };
        self.cells.iter().map(&mut telling).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distribution::named;

    #[test]
    fn an_oracle_catches_more_and_keeps_its_rate() {
        let normal = &named(&["normal"])[0];
        let oracle = Oracle::new(normal, 2.0, 1e-5);
        // Of what is in doubt at the most telling 30 %, next to nothing gets away.
        let doubted = normal.beyond(normal.quantile_above(0.3) - 2.0);
        let power = oracle.power_with_replay(0.3);
        assert!(power < doubted && power > doubted - 0.03, "{power}");
        let before: Vec<f64> = oracle.cells.iter().map(|cell| cell.before).collect();
        assert!(oracle.law(-40, &before, &before).lost < 1e-5);
        assert!(oracle.power_with_reruns(0.3) > 0.8);
    }
}
