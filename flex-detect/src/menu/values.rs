//! The values that one number of an assertion is compared with, and what follows from them for any number there.

use flex_core::bound::ceiling::{Ceiling, NoCeiling, TailFit};
use flex_core::bound::confidence::{Confidence, Share};
use flex_core::bound::declared::DeclaredRate;
use flex_core::bound::{LearnedBound, Question, SideBound};
use flex_core::sample::Samples;
use flex_core::search::convergence::Tight;
use flex_core::sorted::sort_numbers;
use flex_core::tail::{Domain, Side, Tail};

use super::Rate;
use crate::domain::{recognised, suspected};
use crate::limit;
use crate::p_value::PValue;
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
    /// What is known of them if they are p-values.
    pub p_value: Option<PValue>,
    /// The range that they can take.
    pub domain: Option<Domain>,
    /// The range that they seem to have, where none is known.
    suspected: Option<Domain>,
    /// Whether a value that equals the number fails.
    pub is_strict: bool,
    /// The step between values that lie on a lattice.
    pub step: Option<f64>,
    /// The mean.
    pub mean: f64,
    /// The standard deviation.
    pub deviation: f64,
    /// Their logarithms where that is the scale on which they differ, else the values.
    pub measured: Samples,
    is_logarithmic: bool,
    /// Whether logarithms fall off exponentially, or faster.
    has_light_tail: bool,
    /// The tail of what is measured, where one can be fitted.
    fit: Option<TailFit>,
    /// The standard deviation of what is measured.
    spread: f64,
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
        let p_value = match series.is_margin {
            true => None,
            false => PValue::recognised(site, &samples),
        };
        let of_p_values = || p_value.and_then(|_| Domain::new(0.0, 1.0).ok());
        let domain = declared
            .or_else(|| recognised(series, &samples))
            .or_else(of_p_values);
        let is_logarithmic =
            p_value.is_some() && side == Side::Lower && spans_powers_of_ten(&samples);
        let measured = match is_logarithmic {
            true => Samples::new(
                samples
                    .by_run()
                    .into_iter()
                    .map(|(run, value)| (run, value.ln())),
            ),
            false => samples.clone(),
        };
        let mut values = Values {
            is_strict: limit::is_strict(site, series),
            side,
            p_value,
            domain,
            suspected: match domain {
                Some(_) => None,
                None => suspected(series, &samples),
            },
            samples,
            step: None,
            mean,
            deviation,
            is_logarithmic,
            has_light_tail: false,
            fit: None,
            spread: moments(&measured).1,
            measured,
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
        values.step = learned.lattice_step.filter(|_| !is_logarithmic);
        values.fit = learned.ceiling.ok().and_then(|ceiling| ceiling.fit);
        // Small p-values of most statistics come by a power law, so that their logarithms fall off exponentially. The shape of
        // a tail is off by 1 in the root of its exceedances (Smith 1987), twice which those of the others exceed.
        let is_light = |fit: TailFit| fit.excess.shape() <= 2.0 / (fit.exceedances as f64).sqrt();
        values.has_light_tail = is_logarithmic && values.fit.is_some_and(is_light);
        values
    }

    /// Whether `detect --tight` would make more runs than these.
    pub fn more_runs_would_help(&self) -> bool {
        self.runs < Tight::default().most
    }

    /// The tail, where one can be fitted to the values as they are.
    pub fn tail(&self) -> Option<TailFit> {
        self.fit.filter(|_| !self.is_logarithmic)
    }

    /// Whether values are told apart by their powers of ten.
    pub fn is_logarithmic(&self) -> bool {
        self.is_logarithmic
    }

    /// The value that a number of standard deviations, of what is measured, is farther out.
    pub fn shifted(&self, value: f64, shifts: f64) -> f64 {
        self.value(self.measure(value) + self.side.orient(shifts * self.spread))
    }

    fn measure(&self, value: f64) -> f64 {
        match self.is_logarithmic {
            true => value.ln(),
            false => value,
        }
    }

    fn value(&self, measure: f64) -> f64 {
        match self.is_logarithmic {
            true => measure.exp(),
            false => measure,
        }
    }

    /// The number that keeps a false-alarm rate without reruns.
    pub fn ceiling(&self, rate: f64) -> Result<Ceiling, NoCeiling> {
        let ceiling = self.learn(rate, 0.0).ceiling?;
        Ok(Ceiling {
            bound: self.value(ceiling.bound),
            typical: self.value(ceiling.typical),
            ..ceiling
        })
    }

    /// A bound of what is measured that keeps a false-alarm rate; without effort nothing reruns.
    pub fn learn(&self, rate: f64, effort: f64) -> SideBound {
        let tail = match self.side {
            Side::Upper => Tail::Upper,
            Side::Lower => Tail::Lower,
        };
        let mut question = Question::new(tail, Confidence::DEFAULT);
        question.domain = match self.is_logarithmic {
            true => Domain::new(f64::NEG_INFINITY, 0.0).ok(),
            false => self.domain,
        };
        question.light = self.has_light_tail;
        if let Ok(confidence) = Confidence::new(1.0 - rate / self.cut_off) {
            question.share = Share { confidence, effort };
        }
        let mut learned = LearnedBound::learn(&self.measured, &question);
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
        let counted = DeclaredRate::count(&self.measured, self.side, self.measure(limit));
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

    /// Whether nothing fails at `limit` if values can lie nowhere else than where they seem to.
    pub fn seems_out_of_reach(&self, limit: f64) -> bool {
        limit::is_at_end(self.suspected, self.side, limit)
    }

    /// The probability that a run is beyond `limit` after all values have moved by 1, 2 and 3 standard deviations of what
    /// is measured; none if they cannot be there, or do not seem to.
    pub fn power(&self, limit: f64) -> [f64; 3] {
        let is_out_of_reach = limit::is_out_of_reach(self.domain, self.side, limit);
        if is_out_of_reach || self.seems_out_of_reach(limit) {
            return [0.0; 3];
        }
        [1.0, 2.0, 3.0].map(|shifts| {
            let shift = self.side.orient(shifts * self.spread);
            self.beyond(self.measure(limit) - shift)
        })
    }

    /// The probability of measures beyond `limit`: the tail's where it is fitted, else counted.
    fn beyond(&self, limit: f64) -> f64 {
        let n = self.measured.len().max(1) as f64;
        match self.fit {
            Some(fit) if self.side.is_beyond(limit, fit.threshold) => {
                let excess = self.side.orient(limit) - self.side.orient(fit.threshold);
                fit.exceedances as f64 / n * fit.excess.survival(excess)
            }
            _ => self.measured.count_beyond(self.side, limit) as f64 / n,
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

/// Whether values are so far apart that their powers of ten tell them apart: p-values crowd at 0, and a share that is called
/// `p` does not.
fn spans_powers_of_ten(samples: &Samples) -> bool {
    let mut values: Vec<f64> = samples.finite().iter().map(|sample| sample.value).collect();
    sort_numbers(&mut values);
    match (values.first(), values.get(values.len() / 2)) {
        (Some(&least), Some(&median)) => least > 0.0 && least <= 0.1 * median,
        _ => false,
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
