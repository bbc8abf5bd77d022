//! What becomes of a race whose cells have known probabilities, counted path by path.
//!
//! The engine has its own way to this; here it is gone again, in the simplest words, so that one can be held against
//! the other.

use flex_core::bound::race::Race;

use crate::distribution::Distribution;

/// How a race ends, per run of the test.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Law {
    /// The probability that it is lost.
    pub lost: f64,
    /// Expected reruns.
    pub reruns: f64,
}

/// A distribution whose values moved outward.
#[derive(Clone, Copy)]
pub struct Moved<'a> {
    pub distribution: &'a Distribution,
    pub by: f64,
}

impl Moved<'_> {
    /// P(X > x).
    pub fn beyond(self, x: f64) -> f64 {
        self.distribution.beyond(x - self.by)
    }
}

/// A race without its cuts: the scores of its cells, and its ends.
#[derive(Clone, Copy)]
pub struct Course<'a> {
    pub scores: &'a [i32],
    pub clear: i32,
    pub fail: i32,
    pub most: u32,
}

impl<'a> From<&'a Race> for Course<'a> {
    fn from(race: &'a Race) -> Self {
        Course {
            scores: race.scores(),
            clear: race.clear(),
            fail: race.fail(),
            most: race.most_reruns(),
        }
    }
}

/// The probability of each cell of a race, as far as values are beyond `from`; P(X > x) is `beyond`.
pub fn cells(race: &Race, from: f64, beyond: impl Fn(f64) -> f64) -> Vec<f64> {
    let most = beyond(from);
    let cuts = race.cuts().iter().map(|cut| beyond(cut.value));
    let ends: Vec<f64> = [1.0].into_iter().chain(cuts).chain([0.0]).collect();
    let of_cell = |ends: &[f64]| (ends[0].min(most) - ends[1].min(most)).max(0.0);
    ends.windows(2).map(of_cell).collect()
}

/// The law of a race that first runs enter with these probabilities, cell by cell, and reruns of these.
pub fn law<'a>(race: impl Into<Course<'a>>, entering: &[f64], cells: &[f64]) -> Law {
    let race: Course<'a> = race.into();
    let highest = race
        .scores
        .iter()
        .fold(0, |highest, score| highest.max(*score));
    let farthest = highest as usize * (race.most as usize + 1);
    let wide = (race.fail - race.clear) as usize;
    let mut found = Law::default();
    // The probability to be undecided, by how far the sum is above where the race is cleared.
    let mut now = vec![0.0; wide.min(farthest + 2 + race.clear.unsigned_abs() as usize)];
    for (probability, score) in entering.iter().zip(race.scores) {
        match usize::try_from(score - race.clear) {
            Err(_) | Ok(0) => {}
            Ok(height) if height >= wide => found.lost += probability,
            Ok(height) => now[height] += probability,
        }
    }
    for _ in 0..race.most {
        let undecided: f64 = now.iter().sum();
        if undecided < 1e-14 {
            break;
        }
        found.reruns += undecided;
        let mut next = vec![0.0; now.len()];
        for (probability, score) in cells.iter().zip(race.scores) {
            let reached = now
                .iter()
                .enumerate()
                .filter(|(_, undecided)| **undecided > 0.0);
            for (height, undecided) in reached {
                let height = height as i64 + i64::from(*score);
                match usize::try_from(height) {
                    Err(_) | Ok(0) => {}
                    Ok(height) if height >= wide => found.lost += undecided * probability,
                    Ok(height) => next[height] += undecided * probability,
                }
            }
        }
        now = next;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distribution::named;
    use flex_core::bound::confidence::Confidence;
    use flex_core::bound::{LearnedBound, Question};
    use flex_core::sample::Samples;
    use flex_core::tail::Tail;

    #[test]
    fn the_engine_counts_the_same_paths() {
        let distribution = &named(&["exponential"])[0];
        let values: Vec<f64> = (0..100)
            .map(|i| distribution.quantile_above((f64::from(i) + 0.5) / 100.0))
            .collect();
        let question = Question::new(Tail::Upper, Confidence::DEFAULT);
        let bound = LearnedBound::learn(&Samples::from_values(&values), &question);
        let guard = bound.sides[0].guard.as_ref().unwrap();
        for by in [0.0, 0.5, 1.0, 2.0] {
            let beyond = |x: f64| Moved { distribution, by }.beyond(x);
            let (first, cells) = (
                cells(&guard.race, guard.bound, beyond),
                cells(&guard.race, f64::NEG_INFINITY, beyond),
            );
            assert!((first.iter().sum::<f64>() - beyond(guard.bound)).abs() < 1e-12);
            let (ours, theirs) = (
                law(&guard.race, &first, &cells),
                guard.race.passage(&first, &cells),
            );
            assert!((ours.lost - theirs.regression).abs() < 1e-9 + 1e-6 * ours.lost);
            assert!((ours.reruns - theirs.reruns).abs() < 1e-6, "{ours:?}");
        }
    }
}
