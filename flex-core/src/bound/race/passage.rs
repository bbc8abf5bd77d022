//! Where a walk of scores comes to: how often it is lost, and how many reruns it takes on average.

/// What becomes of a walk whose steps have known probabilities.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Passage {
    /// The probability that it ends in a regression.
    pub regression: f64,
    /// The expected number of reruns.
    pub reruns: f64,
}

/// A walk of scores: what each cell adds, and the sums that clear it and that lose it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Course<'a> {
    pub scores: &'a [i32],
    pub clear: i32,
    pub fail: i32,
    /// Reruns after which it is cleared.
    pub most: u32,
}

/// The probabilities of undecided sums, from the lowest on, before and after a rerun: room that is used again.
#[derive(Debug, Default)]
pub(super) struct Sums {
    now: Vec<f64>,
    next: Vec<f64>,
}

impl Sums {
    /// Room for so many sums, as far as anybody knows.
    pub fn with_room(width: usize) -> Self {
        Sums {
            now: Vec::with_capacity(width),
            next: Vec::with_capacity(width),
        }
    }

    /// Room for so many sums, all of which are impossible so far.
    fn clear(&mut self, width: usize) {
        for sums in [&mut self.now, &mut self.next] {
            sums.clear();
            sums.resize(width, 0.0);
        }
    }
}

impl Course<'_> {
    /// Follows all walks at once, until those that are undecided have no more than the probability `negligible`. A first
    /// run in a cell begins one with the probability `entering`, and each rerun is in a cell with that of `cells`. What
    /// begins where it is cleared makes no rerun.
    pub fn follow(
        &self,
        entering: &[f64],
        cells: &[f64],
        negligible: f64,
        sums: &mut Sums,
    ) -> Passage {
        let width = self.width();
        sums.clear(width);
        let Sums { now, next } = sums;
        // Nothing lies at `end` or beyond it.
        let mut end = 0;
        let mut found = Passage {
            regression: 0.0,
            reruns: 0.0,
        };
        for (score, probability) in self.scores.iter().zip(entering) {
            let Ok(place) = usize::try_from(score - self.clear - 1) else {
                continue;
            };
            match now.get_mut(place) {
                Some(sum) => {
                    *sum += probability;
                    end = end.max(place + 1);
                }
                None => found.regression += probability,
            }
        }
        for _ in 0..self.most {
            let total: f64 = now[..end].iter().sum();
            if total <= negligible {
                break;
            }
            found.reruns += total;
            found.regression += self.rerun(cells, &now[..end], next);
            std::mem::swap(now, next);
            end = width;
            while end > 0 && now[end - 1] <= 1e-3 * negligible {
                end -= 1;
            }
        }
        found
    }

    /// How many sums are undecided. Where the walk is lost farther out than its scores can add up to, those are left out
    /// that it never comes to.
    fn width(&self) -> usize {
        let highest = self
            .scores
            .iter()
            .fold(0, |highest, score| highest.max(*score));
        let farthest = i64::from(highest) * (i64::from(self.most) + 1);
        let end = i64::from(self.fail).min(farthest + 1);
        (end - i64::from(self.clear) - 1).max(1) as usize
    }

    /// Moves undecided sums by one rerun; the probability that it loses one of them.
    fn rerun(&self, cells: &[f64], from: &[f64], to: &mut [f64]) -> f64 {
        to.fill(0.0);
        let mut lost = 0.0;
        for (score, probability) in self.scores.iter().zip(cells) {
            let step = score.unsigned_abs() as usize;
            let (from, to) = match *score < 0 {
                true => (&from[step.min(from.len())..], &mut *to),
                false => {
                    let room = to.len().saturating_sub(step);
                    let (stay, lose) = from.split_at(room.min(from.len()));
                    lost += probability * lose.iter().sum::<f64>();
                    let step = step.min(to.len());
                    (stay, &mut to[step..])
                }
            };
            for (to, from) in to.iter_mut().zip(from) {
                *to += probability * from;
            }
        }
        lost
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A walk that is lost at ten.
    fn follow(scores: &[i32], clear: i32, most: u32, entering: &[f64], cells: &[f64]) -> Passage {
        let course = Course {
            scores,
            clear,
            fail: 10,
            most,
        };
        course.follow(entering, cells, 1e-12, &mut Sums::default())
    }

    #[test]
    fn what_is_lost_out_of_reach_is_never_lost() {
        let (scores, cells) = ([-3, 5], [0.5, 0.5]);
        let lost_at = |fail: i32| {
            let course = Course {
                scores: &scores,
                clear: -20,
                fail,
                most: 10,
            };
            course.follow(&cells, &cells, 0.0, &mut Sums::default())
        };
        // Eleven fives are 55.
        assert_eq!(lost_at(55).regression, 0.5f64.powi(11));
        assert_eq!(lost_at(56).regression, 0.0);
        assert_eq!(lost_at(i32::MAX), lost_at(56));
    }

    #[test]
    fn a_fair_walk_is_the_gamblers_ruin() {
        // From 3, between 0 and 10, steps of one: lost with probability 3/10 after 3 · 7 steps on average.
        let found = follow(&[-1, 1, 3], 0, 10_000, &[0.0, 0.0, 1.0], &[0.5, 0.5, 0.0]);
        assert!((found.regression - 0.3).abs() < 1e-6, "{found:?}");
        assert!((found.reruns - 21.0).abs() < 1e-4, "{found:?}");
    }

    #[test]
    fn an_unfair_walk_is_the_gamblers_ruin_too() {
        // ((q/p)^3 − 1) / ((q/p)^10 − 1) with p = 0.4.
        let found = follow(&[-1, 1, 3], 0, 10_000, &[0.0, 0.0, 1.0], &[0.6, 0.4, 0.0]);
        let odds: f64 = 1.5;
        let expected = (odds.powi(3) - 1.0) / (odds.powi(10) - 1.0);
        assert!((found.regression - expected).abs() < 1e-8, "{found:?}");
    }

    #[test]
    fn what_begins_beyond_an_end_is_lost_or_cleared() {
        let found = follow(&[-9, 20], 0, 50, &[0.0, 0.25], &[1.0, 0.0]);
        assert_eq!((found.regression, found.reruns), (0.25, 0.0));
        let found = follow(&[-9, 20], 0, 50, &[0.75, 0.0], &[1.0, 0.0]);
        assert_eq!((found.regression, found.reruns), (0.0, 0.0));
        let found = follow(&[-9, 1, 20], 0, 50, &[0.25, 0.5, 0.0], &[0.5, 0.0, 0.5]);
        assert_eq!((found.regression, found.reruns), (0.25, 0.5));
    }

    #[test]
    fn the_most_reruns_end_it() {
        let found = follow(&[0, 1], -1, 4, &[1.0, 0.0], &[1.0, 0.0]);
        assert_eq!((found.regression, found.reruns), (0.0, 4.0));
    }
}
