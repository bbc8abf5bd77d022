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
pub fn runs_until_pass(failure_rate: f64, confidence: f64) -> Result<u64, NoTrials> {
    trials(1.0 - probability(failure_rate)?, confidence)
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
pub fn trials_table(failure_rates: &[f64], confidences: &[f64]) -> Vec<Vec<Result<u64, NoTrials>>> {
    let row = |rate: &f64| confidences.iter().map(|c| trials(*rate, *c)).collect();
    failure_rates.iter().map(row).collect()
}

/// How a run of a test can end: pass, fail, or neither (a skip).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outcomes {
    pass: f64,
    fail: f64,
}

impl Outcomes {
    /// Probabilities of passing and failing; what is missing to 1 is the probability of a skip.
    pub fn new(pass: f64, fail: f64) -> Result<Self, NoTrials> {
        let (pass, fail) = (probability(pass)?, probability(fail)?);
        if pass + fail > 1.0 + 1e-12 {
            return Err(NoTrials::NotAProbability(pass + fail));
        }
        Ok(Outcomes { pass, fail })
    }

    /// U(n): the probability that n runs disagree, which unveils a flaky test.
    ///
    /// 1 − (1 − fail)ⁿ − (1 − pass)ⁿ + (1 − pass − fail)ⁿ: neither "no failure" nor "no pass", by inclusion and
    /// exclusion.
    pub fn unveiled(self, runs: u64) -> f64 {
        let some_failure = 1.0 - power_of_rest(self.fail, runs);
        let only_failures =
            power_of_rest(self.pass, runs) - power_of_rest(self.pass + self.fail, runs);
        (some_failure - only_failures).clamp(0.0, 1.0)
    }

    /// Expected runs of at most `runs`, when the first disagreement ends them.
    ///
    /// Σ x (U(x) − U(x−1)) + n (1 − U(n)). The last term is easily left out, and the published formula does: it is the
    /// case that all runs agree, in which every one of the n is spent. For a test that is simply broken every rerun
    /// fails, U is 0, and the formula without that term says that confirming it costs nothing. By summation by parts
    /// the whole is Σ_{x<n} (1 − U(x)), three geometric series.
    pub fn expected_runs(self, runs: u64) -> f64 {
        geometric(self.fail, runs) + geometric(self.pass, runs)
            - geometric(self.pass + self.fail, runs)
    }

    /// Expected reruns of a test that has just failed, of at most `reruns`, when the first pass ends them.
    ///
    /// (1 − (1 − pass)ⁿ)/pass, which counts n for the case that no rerun passes: with a test that never passes, all.
    pub fn expected_reruns_after_failure(self, reruns: u64) -> f64 {
        geometric(self.pass, reruns)
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
    pub outcomes: Outcomes,
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
mod tests {
    use super::*;

    #[test]
    fn what_takes_forever_is_said() {
        assert_eq!(trials(1e-30, 0.99), Err(NoTrials::TooMany));
        assert_eq!(trials(5e-324, 0.5), Err(NoTrials::TooMany));
    }

    #[test]
    fn trials_are_rounded_up() {
        for (failure, confidence, expected) in [
            (0.01, 0.99, 459),
            (0.02, 0.99, 228),
            (0.01, 0.95, 299),
            (0.1, 0.99, 44),
            (0.5, 0.99, 7),
            (0.9, 0.99, 2),
            (0.5, 0.75, 2),
            (0.999, 0.5, 1),
            (1.0, 0.99, 1),
            (1.0, 1.0, 1),
            (0.0, 0.0, 0),
            (1e-9, 0.99, 4_605_170_184),
            (1e-9, 0.95, 2_995_732_273),
        ] {
            assert_eq!(
                trials(failure, confidence),
                Ok(expected),
                "{failure} {confidence}"
            );
        }
    }

    #[test]
    fn trials_suffice_and_one_fewer_would_not() {
        for failure in [0.001, 0.013, 0.2, 0.7] {
            for confidence in [0.5, 0.9, 0.99, 0.9999] {
                let n = trials(failure, confidence).unwrap() as i32;
                let missed = |n: i32| f64::powi(1.0 - failure, n);
                assert!(missed(n) <= (1.0 - confidence) * (1.0 + 1e-9));
                assert!(missed(n - 1) > 1.0 - confidence);
            }
        }
    }

    #[test]
    fn what_no_number_of_runs_can_do_is_said() {
        assert_eq!(trials(0.0, 0.99), Err(NoTrials::NeverHappens));
        assert_eq!(trials(0.5, 1.0), Err(NoTrials::Certainty));
        assert_eq!(trials(1.5, 0.9), Err(NoTrials::NotAProbability(1.5)));
        assert!(trials(f64::NAN, 0.9).is_err());
        assert!(Outcomes::new(0.6, 0.6).is_err());
    }

    #[test]
    fn reruns_hide_a_failure_rate() {
        assert_eq!(runs_until_pass(0.01, 0.9999), Ok(2));
        assert_eq!(runs_until_pass(0.5, 0.9999), Ok(14));
        assert_eq!(runs_until_pass(0.0, 0.9999), Ok(1));
        assert_eq!(runs_until_pass(1.0, 0.9999), Err(NoTrials::NeverHappens));
    }

    #[test]
    fn the_table_has_a_row_for_each_failure_rate() {
        let table = trials_table(&[0.01, 0.1], &[0.9, 0.95, 0.99]);
        assert_eq!(table[0], [Ok(230), Ok(299), Ok(459)]);
        assert_eq!(table[1], [Ok(22), Ok(29), Ok(44)]);
    }

    /// Every sequence of n outcomes, with its probability.
    fn sequences(outcomes: Outcomes, n: u32) -> Vec<(Vec<u8>, f64)> {
        let single = [
            outcomes.pass,
            outcomes.fail,
            1.0 - outcomes.pass - outcomes.fail,
        ];
        (0..3u32.pow(n))
            .map(|mut code| {
                let mut chance = 1.0;
                let mut sequence = Vec::new();
                for _ in 0..n {
                    let outcome = (code % 3) as u8;
                    code /= 3;
                    chance *= single[usize::from(outcome)];
                    sequence.push(outcome);
                }
                (sequence, chance)
            })
            .collect()
    }

    #[test]
    fn formulas_agree_with_counting_all_sequences() {
        for (pass, fail) in [
            (0.7, 0.2),
            (0.98, 0.02),
            (0.0, 0.5),
            (0.3, 0.0),
            (1.0, 0.0),
            (0.0, 1.0),
            (0.0, 0.0),
        ] {
            let outcomes = Outcomes::new(pass, fail).unwrap();
            for n in 0..7 {
                let (mut unveiled, mut expected, mut reruns) = (0.0, 0.0, 0.0);
                for (sequence, chance) in sequences(outcomes, n) {
                    let first = |wanted| sequence.iter().position(|o| *o == wanted);
                    let disagreement = first(0).zip(first(1)).map(|(a, b)| a.max(b) + 1);
                    unveiled += if disagreement.is_some() { chance } else { 0.0 };
                    expected += chance * disagreement.unwrap_or(n as usize) as f64;
                    reruns += chance * first(0).map_or(n as usize, |at| at + 1) as f64;
                }
                let n = u64::from(n);
                assert!(
                    (outcomes.unveiled(n) - unveiled).abs() < 1e-12,
                    "{outcomes:?} {n}"
                );
                assert!(
                    (outcomes.expected_runs(n) - expected).abs() < 1e-12,
                    "{outcomes:?} {n}"
                );
                let got = outcomes.expected_reruns_after_failure(n);
                assert!((got - reruns).abs() < 1e-12, "{outcomes:?} {n}");
            }
        }
    }

    #[test]
    fn a_broken_test_costs_every_rerun() {
        let broken = Outcomes::new(0.0, 1.0).unwrap();
        assert_eq!(broken.unveiled(20), 0.0);
        assert_eq!(broken.expected_runs(20), 20.0);
        let published: f64 = (1..=20)
            .map(|x| x as f64 * (broken.unveiled(x) - broken.unveiled(x - 1)))
            .sum();
        assert_eq!(published, 0.0, "without the case that every rerun fails");
    }

    #[test]
    fn a_campaign_adds_up() {
        let test = |pass, seconds| CampaignTest {
            outcomes: Outcomes::new(pass, 1.0 - pass).unwrap(),
            seconds,
        };
        let cost = campaign(&[test(1.0, 2.0), test(0.5, 1.0)], 10);
        let flaky = 1.0 + 2.0 * (1.0 - 0.5f64.powi(9));
        assert!((cost.runs - (10.0 + flaky)).abs() < 1e-12, "{cost:?}");
        assert!((cost.seconds - (20.0 + flaky)).abs() < 1e-12, "{cost:?}");
    }
}
