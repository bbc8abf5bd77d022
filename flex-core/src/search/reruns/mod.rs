//! The arithmetic of reruns: how many, how likely to show something, how long (the MXNet flakiness bot;
//! docs/design/search.md, "Reruns").
//!
//! "Flaky" means that runs of unchanged code disagree: one passes and one fails. Everything here assumes runs that are
//! independent and alike. Probabilities of 0 and 1 and zero runs are answered, never NaN.

use std::fmt;

/// Why no number of runs will do.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum NoTrials {
    /// What never happens is never seen.
    NeverHappens,
    /// No number of runs makes certain of anything that happens by chance.
    Certainty,
    /// More runs than can be counted.
    TooMany,
    /// Not a probability.
    NotAProbability(f64),
}

impl fmt::Display for NoTrials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoTrials::NeverHappens => {
                f.write_str("a failure rate of 0 is never seen, however many runs there are; ask for a rate above 0")
            }
            NoTrials::Certainty => {
                f.write_str("no number of runs gives a confidence of 1; ask for less, like 0.99")
            }
            NoTrials::TooMany => {
                f.write_str("so rare a failure takes more than 10¹⁵ runs to see; ask for a larger rate")
            }
            NoTrials::NotAProbability(value) => {
                write!(f, "{value} is not a probability: it must lie between 0 and 1")
            }
        }
    }
}

impl std::error::Error for NoTrials {}

/// Runs needed to see a failure at least once, with this confidence: ⌈ln(1 − c)/ln(1 − f)⌉ for the failure rate f.
///
/// The same number, read the other way, is how many runs without a failure show that the rate is below f.
#[inline]
pub fn trials(failure_rate: f64, confidence: f64) -> Result<u64, NoTrials> {
    let failure = probability(failure_rate)?;
    let confidence = probability(confidence)?;
    if confidence == 0.0 {
        return Ok(0);
    }
    if failure == 0.0 {
        return Err(NoTrials::NeverHappens);
    }
    if failure == 1.0 {
        return Ok(1);
    }
    if confidence == 1.0 {
        return Err(NoTrials::Certainty);
    }
    ceil_of_ratio(failure, confidence)
}

/// Runs of a test, the first included, so that all of them fail with probability at most 1 − c: ⌈ln(1 − c)/ln f⌉.
#[inline]
pub fn runs_until_pass(failure_rate: f64, confidence: f64) -> Result<u64, NoTrials> {
    trials(1.0 - probability(failure_rate)?, confidence)
}

/// The probability that fewer than `passes` of so many runs pass, of a test that fails a run with this probability: what
/// flaky's `max_runs` and `min_passes` leave. The terms of the binomial distribution, added up from the one without a
/// pass.
#[inline]
pub fn passes_too_seldom(failure_rate: f64, passes: u64, runs: u64) -> f64 {
    if runs < passes {
        return 1.0;
    }
    if failure_rate >= 1.0 {
        return 1.0;
    }
    if failure_rate <= 0.0 {
        return 0.0;
    }
    let odds = ((1.0 - failure_rate) / failure_rate).ln();
    let mut term = runs as f64 * failure_rate.ln();
    let mut sum = 0.0;
    for passed in 0..passes {
        sum += term.exp();
        term += odds + ((runs - passed) as f64 / (passed + 1) as f64).ln();
    }
    sum.min(1.0)
}

/// Runs of a test of which so many pass with at least this probability.
#[inline]
pub fn runs_until_passes(failure_rate: f64, passes: u64, confidence: f64) -> Result<u64, NoTrials> {
    let one = runs_until_pass(failure_rate, confidence)?;
    // So many times as many are enough, if each of the passes has its own.
    let (mut low, mut high) = (passes.saturating_sub(1), one.saturating_mul(passes.max(1)));
    while passes_too_seldom(failure_rate, passes, high) > 1.0 - confidence {
        high = high
            .checked_mul(2)
            .filter(|runs| *runs < 1 << 50)
            .ok_or(NoTrials::TooMany)?;
    }
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        match passes_too_seldom(failure_rate, passes, middle) <= 1.0 - confidence {
            true => high = middle,
            false => low = middle,
        }
    }
    Ok(high)
}

/// ⌈ln(1 − c)/ln(1 − f)⌉, where a quotient that is a whole number but for the rounding of c and f counts as that number:
/// 0.9999 and 0.1 are not quite what they say.
fn ceil_of_ratio(failure: f64, confidence: f64) -> Result<u64, NoTrials> {
    let (a, b) = ((-confidence).ln_1p(), (-failure).ln_1p());
    let ratio = a / b;
    let nearest = ratio.round();
    // What half a last bit of c and of f does to the quotient, twice over.
    let rounding = confidence / (1.0 - confidence) + ratio * failure / (1.0 - failure);
    let whole = if (ratio - nearest).abs() <= 2.0 * f64::EPSILON * (rounding / -b + ratio) {
        nearest
    } else {
        ratio.ceil()
    };
    // From here on floats are no longer whole numbers, and nobody makes so many runs.
    if whole < 9e15 {
        Ok(whole.max(1.0) as u64)
    } else {
        Err(NoTrials::TooMany)
    }
}

fn probability(value: f64) -> Result<f64, NoTrials> {
    if (0.0..=1.0).contains(&value) {
        Ok(value)
    } else {
        Err(NoTrials::NotAProbability(value))
    }
}

/// Runs needed for every failure rate (a row each) and every confidence (a column each).
#[inline]
pub fn trials_table(failure_rates: &[f64], confidences: &[f64]) -> Vec<Vec<Result<u64, NoTrials>>> {
    let row = |rate: &f64| confidences.iter().map(|c| trials(*rate, *c)).collect();
    failure_rates.iter().map(row).collect()
}

/// How a run of a test can end: pass, fail, or neither (a skip).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OutcomeRates {
    pass: f64,
    fail: f64,
}

impl OutcomeRates {
    /// Probabilities of passing and failing; what is missing to 1 is the probability of a skip.
    #[inline]
    pub fn new(pass: f64, fail: f64) -> Result<Self, NoTrials> {
        let (pass, fail) = (probability(pass)?, probability(fail)?);
        if pass + fail > 1.0 + 1e-12 {
            return Err(NoTrials::NotAProbability(pass + fail));
        }
        Ok(OutcomeRates { pass, fail })
    }

    /// U(n): the probability that n runs disagree, which unveils a flaky test.
    ///
    /// 1 − (1 − fail)ⁿ − (1 − pass)ⁿ + (1 − pass − fail)ⁿ: neither "no failure" nor "no pass", by inclusion and
    /// exclusion.
    #[inline]
    pub fn unveiled(self, runs: u64) -> f64 {
        let some_failure = 1.0 - power_of_rest(self.fail, runs);
        let only_failures =
            power_of_rest(self.pass, runs) - power_of_rest(self.pass + self.fail, runs);
        (some_failure - only_failures).clamp(0.0, 1.0)
    }

    /// Expected runs of at most `runs`, when the first disagreement ends them.
    ///
    /// Σ x (U(x) − U(x−1)) + n (1 − U(n)). The last term is easily left out; it is the
    /// case that all runs agree, in which every one of the n is spent. For a test that is simply broken every rerun
    /// fails, U is 0, and the formula without that term says that confirming it costs nothing. By summation by parts
    /// the whole is Σ_{x<n} (1 − U(x)), three geometric series.
    #[inline]
    pub fn expected_runs(self, runs: u64) -> f64 {
        geometric(self.fail, runs) + geometric(self.pass, runs)
            - geometric(self.pass + self.fail, runs)
    }

    /// The probability that a run fails.
    #[inline]
    pub fn fail(self) -> f64 {
        self.fail
    }

    /// The probability that so many runs all fail.
    #[inline]
    pub fn all_failed(self, runs: u64) -> f64 {
        power_of_rest(1.0 - self.fail, runs)
    }

    /// The probability of a pass within so many runs, and the expected runs if the first one ends them.
    #[inline]
    pub fn until_pass(self, runs: u64) -> (f64, f64) {
        (
            1.0 - power_of_rest(self.pass, runs),
            geometric(self.pass, runs),
        )
    }

    /// Expected reruns of a test that has just failed, of at most `reruns`, when the first pass ends them.
    ///
    /// (1 − (1 − pass)ⁿ)/pass, which counts n for the case that no rerun passes: with a test that never passes, all.
    #[inline]
    pub fn expected_reruns_after_failure(self, reruns: u64) -> f64 {
        self.until_pass(reruns).1
    }
}

/// (1 − q)ⁿ, with (1 − 1)⁰ = 1.
fn power_of_rest(q: f64, n: u64) -> f64 {
    if n == 0 {
        1.0
    } else {
        (n as f64 * (-q.min(1.0)).ln_1p()).exp()
    }
}

/// Σ_{x<n} (1 − q)ˣ = (1 − (1 − q)ⁿ)/q, which is n for q = 0.
#[inline]
fn geometric(q: f64, n: u64) -> f64 {
    let q = q.min(1.0);
    if n == 0 || q == 0.0 {
        return n as f64;
    }
    -(n as f64 * (-q).ln_1p()).exp_m1() / q
}

/// A test of a campaign of reruns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CampaignTest {
    /// How its runs end.
    pub outcomes: OutcomeRates,
    /// The mean duration of a run, in seconds.
    pub seconds: f64,
}

/// What a campaign costs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cost {
    /// Expected runs.
    pub runs: f64,
    /// Expected time in seconds, one run after the other.
    pub seconds: f64,
}

/// The expected cost of running each test at most `runs` times, until its first disagreement.
///
/// By Wald's identity the expected time is the expected runs times the mean duration of a run, also where failing
/// runs take longer than passing ones.
#[inline]
pub fn campaign(tests: &[CampaignTest], runs: u64) -> Cost {
    let mut cost = Cost {
        runs: 0.0,
        seconds: 0.0,
    };
    for test in tests {
        let expected = test.outcomes.expected_runs(runs);
        cost.runs += expected;
        cost.seconds += expected * test.seconds;
    }
    cost
}

#[cfg(test)]
mod tests;
