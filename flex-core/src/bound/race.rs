//! The race: how a sample beyond the guard is confirmed or cleared (docs/design/bound.md, "The guard").
//!
//! The first run beyond the guard is the first hit. Reruns with fresh seeds add hits and misses, until either twice
//! the misses reach the hits (cleared) or the hits reach K (regression). [`Race`] is what a harness drives; the
//! functions below it are the probabilities of its ends.
//!
//! Every path through the race is a lattice path over (hits, misses), so its probabilities are polynomials in the
//! probability q that one run is beyond, with path counts as coefficients.

use std::fmt;

/// The most hits that a guard may ask for.
pub const MAX_HITS: usize = 12;

/// K: how many hits make a regression, from 1 to [`MAX_HITS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hits(u8);

impl Hits {
    /// A checked number of hits.
    pub fn new(hits: u32) -> Option<Self> {
        let small = u8::try_from(hits).ok()?;
        (1..=MAX_HITS)
            .contains(&usize::from(small))
            .then_some(Hits(small))
    }

    /// The number.
    pub fn get(self) -> u32 {
        u32::from(self.0)
    }

    /// The most reruns that a race for so many hits can take.
    pub fn most_reruns(self) -> u32 {
        // The longest way leads to K − 1 hits, with as many misses as leave the race undecided, and one run further.
        let hits = self.get() - 1;
        match hits {
            0 => 0,
            _ => (hits - 1) + (hits - 1) / 2 + 1,
        }
    }

    /// All of them, the most first.
    pub(crate) fn descending() -> impl Iterator<Item = Hits> {
        (1..=MAX_HITS as u8).rev().map(Hits)
    }

    pub(crate) fn index(self) -> usize {
        usize::from(self.0) - 1
    }
}

impl fmt::Display for Hits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A confirmation under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Race {
    hits: u32,
    misses: u32,
    needed: Hits,
}

/// What the harness does next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RaceStep {
    /// Run the test once more, with a fresh seed.
    Rerun,
    /// The first value was chance: the test passes.
    Cleared,
    /// The values have moved: the test fails.
    Regression,
}

impl Race {
    /// Starts with the first run beyond a guard that asks for `needed` hits.
    pub fn start(needed: Hits) -> Self {
        Race {
            hits: 1,
            misses: 0,
            needed,
        }
    }

    /// A rerun was beyond the guard.
    pub fn hit(&mut self) -> RaceStep {
        if self.step() == RaceStep::Rerun {
            self.hits += 1;
        }
        self.step()
    }

    /// A rerun was not beyond the guard, or did not reach the site.
    pub fn miss(&mut self) -> RaceStep {
        if self.step() == RaceStep::Rerun {
            self.misses += 1;
        }
        self.step()
    }

    /// Where the race stands. Once it has ended, further runs change nothing.
    pub fn step(&self) -> RaceStep {
        if self.hits >= self.needed.get() {
            RaceStep::Regression
        } else if cleared(self.hits as usize, self.misses as usize) {
            RaceStep::Cleared
        } else {
            RaceStep::Rerun
        }
    }

    /// Runs beyond the guard so far, the first included.
    pub fn hits(&self) -> u32 {
        self.hits
    }

    /// Reruns that were not beyond the guard.
    pub fn misses(&self) -> u32 {
        self.misses
    }
}

const fn cleared(hits: usize, misses: usize) -> bool {
    2 * misses >= hits
}

/// Misses that an undecided race can hold: 2·misses < hits < MAX_HITS.
const MAX_MISSES: usize = (MAX_HITS - 1) / 2;

/// `PATHS[h][m]`: the ways from the first hit to the undecided state of h hits and m misses.
const PATHS: [[f64; MAX_MISSES + 1]; MAX_HITS] = {
    let mut paths = [[0.0; MAX_MISSES + 1]; MAX_HITS];
    paths[1][0] = 1.0;
    let mut hits = 2;
    while hits < MAX_HITS {
        let mut misses = 0;
        while !cleared(hits, misses) {
            paths[hits][misses] = paths[hits - 1][misses];
            if misses > 0 {
                paths[hits][misses] += paths[hits][misses - 1];
            }
            misses += 1;
        }
        hits += 1;
    }
    paths
};

/// The path counts of the undecided states with `hits` hits, by misses.
fn undecided(hits: usize) -> &'static [f64] {
    &PATHS[hits][..hits.div_ceil(2)]
}

/// F(q): the probability that a run ends in a regression, if each run is beyond with probability q.
pub fn regression_rate(needed: Hits, q: f64) -> f64 {
    q * lost(needed, q)
}

/// The probability that a race which has begun ends in a regression.
fn lost(needed: Hits, q: f64) -> f64 {
    if needed.0 == 1 {
        return 1.0;
    }
    let polynomial = undecided(needed.index())
        .iter()
        .rev()
        .fold(0.0, |sum, paths| sum * (1.0 - q) + paths);
    q.powi(needed.index() as i32) * polynomial
}

/// Expected reruns per run of the test, if each run is beyond with probability q.
pub fn extra_runs(needed: Hits, q: f64) -> f64 {
    // An undecided state is left by exactly one rerun, and is passed with the probability of its paths: those with h
    // hits together as often as a race for h + 1 would be lost from there.
    (2..=needed.0).fold(0.0, |sum, hits| sum + lost(Hits(hits), q))
}

/// [`extra_runs`] averaged over q ~ Beta(a, b), in closed form.
pub(crate) fn mean_extra_runs(needed: Hits, a: f64, b: f64) -> f64 {
    let mut total = 0.0;
    let mut all_hits = 1.0;
    for hits in 1..=needed.index() {
        let h = (hits - 1) as f64;
        all_hits *= (a + h) / (a + b + h);
        let mut moment = all_hits;
        for (misses, paths) in undecided(hits).iter().enumerate() {
            total += paths * moment;
            let m = misses as f64;
            moment *= (b + m) / (a + b + hits as f64 + m);
        }
    }
    total
}

/// The level a with F(a) = `budget`: a guard that is passed with probability 1 − a keeps the budget.
pub(crate) fn level(needed: Hits, budget: f64) -> f64 {
    if needed.0 == 1 {
        return budget;
    }
    // ln F is nearly linear in ln q, so Newton's method in logarithms needs a handful of steps. F is increasing:
    // every path to K hits is a path on which more hits help.
    let paths: f64 = undecided(needed.index()).iter().sum();
    let ln_budget = budget.ln();
    let mut ln_q = ((budget / paths).ln() / f64::from(needed.0)).min(-1e-3);
    for _ in 0..50 {
        let q = ln_q.exp();
        let p = 1.0 - q;
        let (value, slope) = undecided(needed.index())
            .iter()
            .rev()
            .fold((0.0, 0.0), |(value, slope), paths| {
                (value * p + paths, slope * p + value)
            });
        let ln_rate = f64::from(needed.0) * ln_q + f64::ln(value);
        let derivative = f64::from(needed.0) - q * slope / value;
        let step = (ln_rate - ln_budget) / derivative;
        ln_q = (ln_q - step).min(-1e-9);
        if step.abs() < 1e-11 {
            break;
        }
    }
    ln_q.exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The race as a recursion over hits and misses, written down as it stands (docs/design/bound.md, "The guard").
    fn recursion(needed: Hits, q: f64) -> (f64, f64) {
        fn from(hits: usize, misses: usize, needed: usize, q: f64) -> (f64, f64) {
            if hits >= needed {
                return (1.0, 0.0);
            }
            if 2 * misses >= hits {
                return (0.0, 0.0);
            }
            let hit = from(hits + 1, misses, needed, q);
            let miss = from(hits, misses + 1, needed, q);
            (
                q * hit.0 + (1.0 - q) * miss.0,
                1.0 + q * hit.1 + (1.0 - q) * miss.1,
            )
        }
        let (regression, reruns) = from(1, 0, needed.get() as usize, q);
        (q * regression, q * reruns)
    }

    #[test]
    fn the_polynomials_are_the_recursion() {
        for needed in Hits::descending() {
            for q in [1e-6, 0.01, 0.2, 0.5, 0.8, 1.0] {
                let (rate, reruns) = recursion(needed, q);
                assert!((regression_rate(needed, q) / rate - 1.0).abs() < 1e-12);
                assert!((extra_runs(needed, q) - reruns).abs() < 1e-12 * reruns.max(1.0));
            }
        }
    }

    #[test]
    fn the_state_machine_walks_the_recursion() {
        // All 2^k continuations: their weights add up to F(q) and to the expected reruns.
        let q: f64 = 0.3;
        for needed in Hits::descending().skip(5) {
            let mut undecided = vec![(Race::start(needed), q)];
            let (mut rate, mut reruns) = (0.0, 0.0);
            while let Some((race, weight)) = undecided.pop() {
                match race.step() {
                    RaceStep::Regression => rate += weight,
                    RaceStep::Cleared => {}
                    RaceStep::Rerun => {
                        reruns += weight;
                        let (mut hit, mut miss) = (race, race);
                        hit.hit();
                        miss.miss();
                        undecided.push((hit, weight * q));
                        undecided.push((miss, weight * (1.0 - q)));
                    }
                }
            }
            let expected = recursion(needed, q);
            assert!((rate - expected.0).abs() < 1e-15);
            assert!((reruns - expected.1).abs() < 1e-15);
        }
    }

    #[test]
    fn no_race_takes_longer_than_it_says() {
        fn longest(race: Race) -> u32 {
            match race.step() {
                RaceStep::Rerun => {
                    let (mut hit, mut miss) = (race, race);
                    hit.hit();
                    miss.miss();
                    1 + longest(hit).max(longest(miss))
                }
                _ => 0,
            }
        }
        for needed in Hits::descending() {
            assert_eq!(
                needed.most_reruns(),
                longest(Race::start(needed)),
                "{needed}"
            );
        }
    }

    #[test]
    fn only_possible_numbers_of_hits_exist() {
        assert_eq!(Hits::new(0), None);
        assert_eq!(Hits::new(13), None);
        assert_eq!(Hits::new(300), None);
        assert_eq!(Hits::new(12).map(Hits::get), Some(12));
    }

    #[test]
    fn what_never_happens_costs_nothing() {
        for needed in Hits::descending() {
            assert_eq!(regression_rate(needed, 0.0), 0.0);
            assert_eq!(extra_runs(needed, 0.0), 0.0);
        }
    }

    #[test]
    fn one_miss_clears_a_single_hit_and_an_ended_race_stays_ended() {
        let mut race = Race::start(Hits(3));
        assert_eq!(race.miss(), RaceStep::Cleared);
        assert_eq!(race.hit(), RaceStep::Cleared);
        assert_eq!((race.hits(), race.misses()), (1, 1));
        assert_eq!(Race::start(Hits(1)).step(), RaceStep::Regression);
    }

    #[test]
    fn the_level_solves_for_the_budget() {
        for needed in Hits::descending() {
            for budget in [0.4, 0.005, 5e-5, 1e-9, 1e-14] {
                let a = level(needed, budget);
                let rate = recursion(needed, a).0;
                assert!(
                    (rate / budget - 1.0).abs() < 1e-10,
                    "{needed} {budget} {rate}"
                );
            }
        }
    }

    #[test]
    fn averages_over_a_beta_are_integrals() {
        let (a, b): (f64, f64) = (5.0, 40.0);
        let steps = 200_000;
        for needed in [1, 2, 5, 12].map(Hits) {
            let (mut sum, mut mass) = (0.0, 0.0);
            for i in 0..steps {
                let q = (i as f64 + 0.5) / steps as f64;
                let density = q.powf(a - 1.0) * (1.0 - q).powf(b - 1.0);
                sum += density * recursion(needed, q).1;
                mass += density;
            }
            let got = mean_extra_runs(needed, a, b);
            assert!((got - sum / mass).abs() < 1e-9, "{got}");
        }
    }
}
