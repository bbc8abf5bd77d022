//! The values that one number of an assertion is compared with, and what follows from them for any number there.

use flex_core::bound::ceiling::TailFit;
use flex_core::bound::confidence::{Confidence, Share};
use flex_core::bound::declared::DeclaredRate;
use flex_core::bound::{LearnedBound, Question, SideBound};
use flex_core::sample::Samples;
use flex_core::search::convergence::Tight;
use flex_core::tail::{Domain, Side, Tail};

use super::Rate;
use crate::domain::{is_p_value, recognised};
use crate::limit;
use crate::record::{ObservedSite, ObservedTest, Role, Series};

/// A rate at which nobody waits for a failure: bounds that keep it are looser than needed.
pub const NEVER: f64 = 1e-9;

/// Values of one series.
#[derive(Debug, Clone)]
pub struct Values {
    /// One value of each varied run.
    pub samples: Samples,
    /// The side on which they fail.
    pub side: Side,
    /// The range that they can take.
    pub domain: Option<Domain>,
    /// Whether a value that equals the number fails.
    pub is_strict: bool,
    /// The step between values that lie on a lattice.
    pub step: Option<f64>,
    /// The tail, where one can be fitted.
    pub fit: Option<TailFit>,
    /// The mean.
    pub mean: f64,
    /// The standard deviation.
    pub deviation: f64,
    /// Values beyond the present number in a whole run, for each that was seen: see [`cut_off`].
    cut_off: f64,
    /// The present number.
    present: Option<f64>,
    /// The runs that were made until the last of them.
    runs: u32,
}

impl Values {
    /// The values of a series. The run with the seeds of the source is none of them: whoever chose the seed saw its value.
    pub fn new(
        test: &ObservedTest,
        site: &ObservedSite,
        series: &Series,
        declared: Option<Domain>,
    ) -> Values {
        let varied = |run: u32| !(test.first_as_written && run == 0);
        let values = series.values.iter().filter(|(run, _)| varied(*run));
        let samples = Samples::new(values.copied());
        let side = match series.role {
            Role::Lower => Side::Lower,
            _ => Side::Upper,
        };
        let (mean, deviation) = moments(&samples);
        let of_p_values = || match is_p_value(&site.text, &samples) && !series.is_margin {
            true => Domain::new(0.0, 1.0).ok(),
            false => None,
        };
        let domain = declared
            .or_else(|| recognised(series, &samples))
            .or_else(of_p_values);
        let mut values = Values {
            is_strict: limit::is_strict(site, series),
            samples,
            side,
            domain,
            step: None,
            fit: None,
            mean,
            deviation,
            cut_off: 1.0,
            present: series.bound,
            runs: series
                .values
                .iter()
                .map(|(run, _)| run + 1)
                .max()
                .unwrap_or(0),
        };
        if site.is_hard {
            let failed = site.failed.iter().filter(|run| varied(**run)).count();
            values.cut_off = cut_off(failed, values.samples.len());
        }
        let learned = values.learn(NEVER, 0.0);
        values.step = learned.lattice_step;
        values.fit = learned.ceiling.ok().and_then(|ceiling| ceiling.fit);
        values
    }

    /// Whether `detect --tight` would make more runs than these.
    pub fn more_runs_would_help(&self) -> bool {
        self.runs < Tight::default().most
    }

    /// A bound that keeps a false-alarm rate; without effort nothing reruns.
    pub fn learn(&self, rate: f64, effort: f64) -> SideBound {
        let tail = match self.side {
            Side::Upper => Tail::Upper,
            Side::Lower => Tail::Lower,
        };
        let mut question = Question::new(tail, Confidence::DEFAULT);
        question.domain = self.domain;
        if let Ok(confidence) = Confidence::new(1.0 - rate / self.cut_off) {
            question.share = Share { confidence, effort };
        }
        let mut learned = LearnedBound::learn(&self.samples, &question);
        // A tail of one side has one.
        learned.sides.swap_remove(0)
    }

    /// The outermost value that passes if `number` stands in the source.
    pub fn limit(&self, number: f64) -> f64 {
        limit::outermost(self.side, number, self.is_strict)
    }

    /// How often values are beyond `limit`: counted, and where none is, by the tail.
    pub fn rate(&self, limit: f64) -> Rate {
        if limit::is_out_of_reach(self.domain, self.side, limit) {
            return Rate {
                estimate: 0.0,
                low: 0.0,
                high: 0.0,
            };
        }
        let counted = DeclaredRate::count(&self.samples, self.side, limit);
        let rate = match counted.from_tail {
            Some(tail) => Rate {
                estimate: tail.estimate,
                low: 0.0,
                high: tail.upper_limit.min(counted.interval.1),
            },
            None => Rate {
                estimate: counted.failures as f64 / counted.samples.max(1) as f64,
                low: counted.interval.0,
                high: counted.interval.1,
            },
        };
        let is_farther = |present: f64| self.side.is_beyond(limit, present);
        match self.present.is_some_and(is_farther) {
            true => Rate {
                estimate: (rate.estimate * self.cut_off).min(1.0),
                low: rate.low,
                high: (rate.high * self.cut_off).min(1.0),
            },
            false => rate,
        }
    }

    /// The probability that a run is beyond `limit` after all values have moved by 1, 2 and 3 standard deviations.
    pub fn power(&self, limit: f64) -> [f64; 3] {
        [1.0, 2.0, 3.0].map(|shifts| {
            let shift = self.side.orient(shifts * self.deviation);
            self.beyond(limit - shift)
        })
    }

    /// The probability of values beyond `limit`: the tail's where it is fitted, else counted.
    fn beyond(&self, limit: f64) -> f64 {
        let n = self.samples.len().max(1) as f64;
        match self.fit {
            Some(fit) if self.side.is_beyond(limit, fit.threshold) => {
                let excess = self.side.orient(limit) - self.side.orient(fit.threshold);
                fit.exceedances as f64 / n * fit.excess.survival(excess)
            }
            _ => self.samples.count_beyond(self.side, limit) as f64 / n,
        }
    }

    /// The median.
    pub fn median(&self) -> f64 {
        self.samples.median().unwrap_or(f64::NAN)
    }

    /// The runs whose values are so.
    pub fn runs_where(&self, series: &Series, is_it: impl Fn(f64) -> bool) -> Vec<u32> {
        let runs = series.values.iter().filter(|(_, value)| is_it(*value));
        runs.map(|(run, _)| *run).collect()
    }
}

/// How many values beyond the present number a run would have, for each that was seen, if a failure did not end it.
///
/// A hard assertion in a loop is cut off at its first failure. If a share p of the runs fails and hits are alike, a whole
/// run has −ln(1 − p) failing hits on average, of which p are seen. Where it is hit once a run, this errs to the careful
/// side.
fn cut_off(failed: usize, reached: usize) -> f64 {
    let share = (failed as f64 / reached.max(1) as f64).min(0.999);
    match share > 0.0 {
        true => -(-share).ln_1p() / share,
        false => 1.0,
    }
}

fn moments(samples: &Samples) -> (f64, f64) {
    let values: Vec<f64> = samples.finite().iter().map(|s| s.value).collect();
    let n = values.len() as f64;
    let mean = values.iter().map(|value| value / n).sum::<f64>();
    let squares = values.iter().map(|value| (value - mean).powi(2));
    (mean, (squares.sum::<f64>() / (n - 1.0).max(1.0)).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_failure_cuts_off_is_made_up_for() {
        let check = |failed, reached, expected: f64| {
            let got = cut_off(failed, reached);
            assert!(
                (got - expected).abs() < 1e-3,
                "{failed} of {reached}: {got}"
            );
        };
        check(0, 500, 1.0);
        check(0, 0, 1.0);
        // −ln(1 − p)/p, by hand.
        check(80, 500, 1.0897);
        check(250, 500, 1.3863);
        check(495, 500, 4.6517);
        check(500, 500, 6.9147);
    }
}
