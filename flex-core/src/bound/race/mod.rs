//! The race: what reruns say of a value that is in doubt (docs/design/bound.md, "The race").
//!
//! Cuts at order statistics of the samples divide the line into cells, and each cell has a score: negative where values
//! are common, positive where they are rare. The scores of the first run and of its reruns add up, until the sum has
//! fallen to where the value is cleared or risen to where it is a regression. [`Race`] is what a bounds file keeps,
//! [`Walk`] what a harness drives.

mod design;
mod passage;

use crate::numeric::linear_form::probability_at_most_zero;
use crate::numeric::normal::{normal_isf, normal_sf};
use crate::sample::Samples;
use crate::tail::Side;
use design::beyond;
pub(crate) use design::{Design, QUICK, SHARES, cells, entering};
pub use passage::Passage;
use passage::{Course, Sums};

/// Where values are cut into cells, what each cell is worth, and where the sum of scores decides.
#[derive(Debug, Clone, PartialEq)]
pub struct Race {
    cuts: Vec<Cut>,
    scores: Vec<i32>,
    clear: i32,
    fail: i32,
    most: u32,
}

/// An order statistic of the samples, on its own side.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cut {
    /// A value beyond this is in a cell further out.
    pub value: f64,
    /// The samples that are beyond it.
    pub above: u32,
}

/// What the harness does next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WalkStep {
    /// Run the test once more, with a fresh seed.
    Rerun,
    /// The first value was chance: the test passes.
    Cleared,
    /// The values have moved: the test fails.
    Regression,
}

impl Race {
    /// A race from its parts; what is wrong with them, if something is.
    ///
    /// Cuts go outward, with ever fewer samples beyond them. There is a score for what is beyond none of them, beyond the
    /// first, and so on; scores do not fall.
    pub fn new(
        cuts: Vec<Cut>,
        scores: Vec<i32>,
        (clear, fail): (i32, i32),
        most: u32,
    ) -> Result<Self, String> {
        if cuts.is_empty() {
            return Err("a race needs at least one cut".to_owned());
        }
        if scores.len() != cuts.len() + 1 {
            return Err(format!(
                "{} cuts make {} cells, and there are {} scores",
                cuts.len(),
                cuts.len() + 1,
                scores.len()
            ));
        }
        if !cuts.windows(2).all(|pair| pair[0].above > pair[1].above) {
            return Err("beyond each cut there must be fewer samples than before".to_owned());
        }
        if !scores.is_sorted() {
            return Err("the scores must not fall".to_owned());
        }
        if clear >= fail {
            return Err(format!(
                "a race that is cleared at {clear} cannot be lost at {fail}"
            ));
        }
        if most == 0 {
            return Err("a race needs at least one rerun".to_owned());
        }
        Ok(Race {
            cuts,
            scores,
            clear,
            fail,
            most,
        })
    }

    /// The cuts, going outward.
    pub fn cuts(&self) -> &[Cut] {
        &self.cuts
    }

    /// The scores of the cells, going outward.
    pub fn scores(&self) -> &[i32] {
        &self.scores
    }

    /// A sum that has fallen to this is cleared.
    pub fn clear(&self) -> i32 {
        self.clear
    }

    /// A sum that has risen to this is a regression.
    pub fn fail(&self) -> i32 {
        self.fail
    }

    /// After so many reruns a sum that is still between the two is cleared.
    pub fn most_reruns(&self) -> u32 {
        self.most
    }

    /// The cell of a value: how many cuts it is beyond. NaN is beyond all.
    pub fn cell(&self, side: Side, value: f64) -> usize {
        let is_beyond = |cut: &&Cut| side.is_beyond(value, cut.value);
        self.cuts.iter().take_while(is_beyond).count()
    }

    /// The score of what a run showed; a site that it did not reach has the lowest.
    pub fn score(&self, side: Side, value: Option<f64>) -> i32 {
        self.scores[value.map_or(0, |value| self.cell(side, value))]
    }

    /// What becomes of a run, if the probability of each cell is known; `entering` is that of a first run that is in the
    /// cell and begins a race.
    pub fn passage(&self, entering: &[f64], cells: &[f64]) -> Passage {
        let course = Course {
            scores: &self.scores,
            clear: self.clear,
            fail: self.fail,
            most: self.most,
        };
        course.follow(entering, cells, NEGLIGIBLE, &mut Sums::default())
    }

    /// The probability that a run of normal values is lost after these moved by so many standard deviations, if the
    /// outermost part `doubted` of n samples begins a race; another value does so with the probability `elsewhere`, such
    /// as that of a replay for the sake of another site.
    #[inline]
    pub fn power(&self, n: u32, (doubted, elsewhere): (f64, f64), shift: f64) -> f64 {
        let moved = |q: f64| normal_sf(normal_isf(q) - shift);
        let above: Vec<u32> = self.cuts.iter().map(|cut| cut.above).collect();
        let beyond: Vec<f64> = beyond(&above, n).into_iter().map(moved).collect();
        let cells = cells(&beyond);
        let mut entering = entering(&beyond, moved(doubted));
        for (in_doubt, all) in entering.iter_mut().zip(&cells) {
            *in_doubt += elsewhere * (all - *in_doubt);
        }
        self.passage(&entering, &cells).regression
    }

    /// The probability, by what fresh samples show, that code like theirs loses this race with no more than this rate.
    ///
    /// The samples that the race was laid out by have no say in it: they are of code as it was then.
    pub(crate) fn assurance(&self, side: Side, samples: &Samples, rate: f64) -> f64 {
        let mut above = samples.len();
        let theta = -rate.ln() / f64::from(self.fail);
        let gain = |score: &i32| (theta * f64::from(*score)).exp_m1();
        let (mut shapes, mut gains) = (Vec::new(), Vec::new());
        let beyond = self
            .cuts
            .iter()
            .map(|cut| samples.count_beyond(side, cut.value));
        for (beyond, score) in beyond.zip(&self.scores) {
            // A cell that no sample is in has no part in the law.
            if above > beyond {
                shapes.push((above - beyond) as f64);
                gains.push(gain(score));
            }
            above = beyond;
        }
        shapes.push((above + 1) as f64);
        gains.extend(self.scores.last().map(gain));
        // Whether e^(θ·score) is at most 1 on average.
        probability_at_most_zero(&shapes, &gains)
    }

    /// The same race with cuts that are changed one by one, such as rounded.
    pub fn map_cuts(&self, change: impl Fn(f64) -> f64) -> Race {
        let mut race = self.clone();
        for cut in &mut race.cuts {
            cut.value = change(cut.value);
        }
        race
    }
}

/// Walks that are undecided with no more than this probability are not followed any further.
const NEGLIGIBLE: f64 = 1e-9;

/// A race under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Walk {
    sum: i32,
    reruns: u32,
}

impl Walk {
    /// Starts with the value of the first run.
    pub fn start(race: &Race, side: Side, value: f64) -> Self {
        Walk {
            sum: race.score(side, Some(value)),
            reruns: 0,
        }
    }

    /// Takes what a rerun showed. Once the race has ended, further runs change nothing.
    pub fn add(&mut self, race: &Race, side: Side, value: Option<f64>) -> WalkStep {
        if self.step(race) == WalkStep::Rerun {
            self.sum += race.score(side, value);
            self.reruns += 1;
        }
        self.step(race)
    }

    /// Where the race stands.
    pub fn step(&self, race: &Race) -> WalkStep {
        if self.sum >= race.fail {
            WalkStep::Regression
        } else if self.sum <= race.clear || self.reruns >= race.most {
            WalkStep::Cleared
        } else {
            WalkStep::Rerun
        }
    }

    /// The sum of scores so far.
    pub fn sum(&self) -> i32 {
        self.sum
    }
}

#[cfg(test)]
mod tests;
