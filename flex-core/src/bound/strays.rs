//! Strays: values beyond all samples, which a few runs of a hundred may give, and a new mode of many runs does
//! (docs/design/bound.md, "Strays").
//!
//! A replay cannot clear them: a bug that hits a part of the seeds may miss the one that is replayed. So they have a race
//! of their own, with a single cut at the largest sample: is it passed again, and again?

use crate::bound::confidence::RacePromise;
use crate::bound::race::{Cut, QUICK, Race};
use crate::numeric::root::crossing;
use crate::numeric::special::{beta_quantile, binomial_cdf};
use crate::sample::Samples;
use crate::tail::Side;

/// The parts of all runs that a new mode is looked for with: scores are likelihood ratios of such a part. The first one is
/// taken with which the bet is won soon enough; of few samples, only large ones can be told.
const MODES: [f64; 3] = [0.3, 0.5, 0.7];

/// Scores are counted in eighths of a nat, as in every race.
const UNIT: f64 = 8.0;

/// The race of values beyond `cut`, which some of n samples may be themselves; `None` if the samples are so few that even
/// a mode of many runs could be what they are like.
pub(crate) fn race(cut: Cut, n: u32, promise: RacePromise, most: u32) -> Option<Race> {
    let common = upper_limit(cut.above, n, promise.assurance);
    let bets = MODES.iter().filter_map(|mode| Bet::on(*mode, common));
    let bet = bets.reduce(
        |best, bet| match best.theta < QUICK && bet.theta > best.theta {
            true => bet,
            false => best,
        },
    )?;
    // The race begins with a first value beyond the cut.
    let fail = f64::from(bet.hit) + ((common / promise.rate).ln() / bet.theta).max(0.0);
    let scores = vec![bet.miss, bet.hit];
    Race::new(vec![cut], scores, (0, fail.ceil() as i32), most).ok()
}

/// A bet on a new mode, which unchanged code does not win on average.
struct Bet {
    hit: i32,
    miss: i32,
    /// Σ p e^(θ·score) is 1 for the most that unchanged code is beyond the cut, and so it is below 1 for anything less
    /// (Ville 1939).
    theta: f64,
}

impl Bet {
    /// The bet that a part of all runs is beyond the cut, and not only the most that is common; `None` if they are too
    /// close to each other.
    fn on(mode: f64, common: f64) -> Option<Bet> {
        let hit = (UNIT * (mode / common).ln()).round() as i32;
        let miss = (UNIT * ((1.0 - mode) / (1.0 - common)).ln()).round() as i32;
        let mean = common * f64::from(hit) + (1.0 - common) * f64::from(miss);
        if hit < 3 || miss > -1 || mean >= 0.0 {
            return None;
        }
        let gain = |theta: f64| {
            common * (theta * f64::from(hit)).exp_m1()
                + (1.0 - common) * (theta * f64::from(miss)).exp_m1()
        };
        // The gain falls from 0, and rises again through 0 somewhere; it is convex.
        let mut low = 1e-3;
        while gain(2.0 * low) < 0.0 {
            low *= 2.0;
        }
        let theta = crossing(low, 2.0 * low, 1e-12, gain);
        Some(Bet { hit, miss, theta })
    }
}

/// Expected reruns per run of unchanged code.
pub(crate) fn expected_reruns(race: &Race, n: u32) -> f64 {
    let q = f64::from(race.cuts()[0].above + 1) / f64::from(n + 1);
    race.passage(&[0.0, q], &[1.0 - q, q]).reruns
}

/// The probability, by what fresh samples show, that code like theirs loses this race with no more than this rate.
pub(crate) fn assurance(race: &Race, side: Side, samples: &Samples, rate: f64) -> f64 {
    let beyond = samples.count_beyond(side, race.cuts()[0].value);
    let lost = |q: f64| race.passage(&[0.0, q], &[1.0 - q, q]).regression;
    let most = crossing(0.0, 1.0, 1e-6, |q| lost(q) - rate);
    1.0 - binomial_cdf(samples.len(), most, beyond)
}

/// With the assurance, a run is beyond a cut with this probability at most (Wilks 1941).
fn upper_limit(above: u32, n: u32, assurance: f64) -> f64 {
    match above {
        0 => 1.0 - (1.0 - assurance).powf(1.0 / f64::from(n)),
        _ => beta_quantile(f64::from(above + 1), f64::from(n - above), assurance),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bound::confidence::ASSURANCE;

    fn one(n: u32, rate: f64) -> Option<Race> {
        race(
            Cut {
                value: 1.0,
                above: 0,
            },
            n,
            RacePromise {
                rate,
                assurance: ASSURANCE,
            },
            100,
        )
    }

    /// The probability that a run is lost if so many runs pass the cut.
    fn lost(race: &Race, q: f64) -> f64 {
        race.passage(&[0.0, q], &[1.0 - q, q]).regression
    }

    #[test]
    fn unchanged_code_keeps_the_budget_with_the_assurance() {
        for n in [30, 50, 100, 300, 1000, 3000] {
            for budget in [1e-3, 1e-5, 1e-7] {
                let race = one(n, budget).unwrap();
                let rate = lost(&race, upper_limit(0, n, ASSURANCE));
                assert!(rate <= budget, "{n} {budget}: {rate}");
                assert!(
                    rate > 0.02 * budget,
                    "{n} {budget}: {rate}, and it could be nearer"
                );
            }
        }
    }

    #[test]
    fn modes_of_many_runs_are_caught() {
        // Half of all runs can be caught at most where half of them show nothing.
        let race = one(100, 1e-5).unwrap();
        let caught = [0.1, 0.2, 0.3, 0.5].map(|mode| lost(&race, mode));
        assert!(
            caught[1] > 0.07 && caught[2] > 0.22 && caught[3] > 0.48,
            "{caught:?}"
        );
    }

    #[test]
    fn few_samples_tell_large_modes() {
        // They are looked for with larger parts, or the race would not come to an end.
        let race = one(20, 1e-5).unwrap();
        assert!(lost(&race, 0.5) > 0.3 && lost(&race, 0.7) > 0.6, "{race:?}");
    }

    #[test]
    fn few_samples_say_nothing_of_modes() {
        assert_eq!(one(5, 1e-5), None);
        let nan = Cut {
            value: 1.0,
            above: 40,
        };
        let promise = RacePromise {
            rate: 1e-5,
            assurance: ASSURANCE,
        };
        assert_eq!(race(nan, 100, promise, 100), None);
    }
}
