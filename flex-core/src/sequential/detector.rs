//! Values that keep coming: has their law moved, and since when? (docs/design/drift.md)

use super::pit::{Alternative, LawPlace};

/// Evidence that values have moved, after each of them.
///
/// As long as all values have one law, whatever it is, the rank of each among all before it is uniform and independent of
/// the ranks before (Rényi 1962; Vovk, Gammerman & Shafer 2005). So a density over ranks is a fair bet, and a sum of such
/// capital with a new unit begun at every value is an e-detector (Shin, Ramdas & Rinaldo 2023): at any time at which one may
/// stop, its expectation is at most the number of values so far. The capital is bet on shifts of normal scores.
#[derive(Debug, Clone)]
pub struct Detector {
    /// All values so far, in order, each with what decides among equal ones.
    known: Vec<(f64, u64)>,
    weights: [f64; 2],
    /// Up and down, for each of [`SHIFTS`].
    capital: [[f64; SHIFTS.len()]; 2],
    evidence: f64,
    /// The greatest evidence, and after how many values that was.
    peak: (f64, usize),
    /// Rank of each value that was bet on, and the number of values then.
    ranks: Vec<(u32, u32)>,
}

/// Where values that move are feared to move to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Feared {
    /// Up, more than down.
    Up,
    /// Either way.
    Both,
}

/// How a law has moved, as far as values tell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moved {
    /// The first value of the new law, among those that were bet on.
    pub since: usize,
    /// The earliest value that this may be, and the latest.
    pub between: (usize, usize),
    /// How far it moved, in standard deviations of a normal law; negative for down.
    pub shift: f64,
}

/// The shifts that are bet on, in standard deviations.
pub const SHIFTS: [f64; 4] = [0.25, 0.5, 1.0, 2.0];

/// What each of them has of the capital. A share costs ln(1/share) of evidence, which a shift by δ earns at δ²/2 a run: what
/// the smallest has less costs it 32 runs for each nat, and the largest half a run. With these no delay for ¼ to 1 is
/// longer than 1.3 times that of CUSUM with the same average run, as docs/evidence/scale.md measures.
const SHARES: [f64; SHIFTS.len()] = [0.70, 0.17, 0.09, 0.04];

/// The share of the feared direction, where only one is. A move the other way, which makes no bound fail, is found later: by
/// ln(0.92/0.08) nats, 78 runs for a shift by ¼.
const FEARED: f64 = 0.92;

/// More capital than that is as good as this, and does not overflow.
const LARGEST: f64 = 1e250;

/// Changes whose evidence is smaller than that of the likeliest one by less than this may be the true one.
const NEARLY: f64 = 3.0;

impl Detector {
    /// A detector that has seen nothing.
    #[inline]
    pub fn new(feared: Feared) -> Self {
        Detector {
            known: Vec::new(),
            weights: match feared {
                Feared::Up => [FEARED, 1.0 - FEARED],
                Feared::Both => [0.5; 2],
            },
            capital: [[0.0; SHIFTS.len()]; 2],
            evidence: f64::NEG_INFINITY,
            peak: (f64::NEG_INFINITY, 0),
            ranks: Vec::new(),
        }
    }

    /// Evidence at which a number of detectors together raise a false alarm on average after so many steps at the earliest:
    /// at each step, each of them may see a value.
    ///
    /// The mean of e-detectors is one, and reaches `steps` before one of them can reach as many times their number.
    #[inline]
    pub fn level(detectors: usize, steps: f64) -> f64 {
        (detectors.max(1) as f64 * steps).ln()
    }

    /// Takes a value of the law as it was, on which nothing is bet: a sample of a calibration. Equal values are ordered by
    /// `tie`, which must not depend on them.
    #[inline]
    pub fn learn(&mut self, value: f64, tie: u64) {
        self.insert(value, tie);
    }

    /// Takes a value, and returns the evidence that values have moved by now.
    #[inline]
    pub fn push(&mut self, value: f64, tie: u64) -> f64 {
        let rank = self.insert(value, tie);
        let of = self.known.len() as u32;
        self.ranks.push((rank, of));
        let place = place(rank, of);
        let mut all = 0.0;
        for (direction, weight) in self.weights.into_iter().enumerate() {
            for (index, share) in SHARES.into_iter().enumerate() {
                let capital = &mut self.capital[direction][index];
                let bet = shift(direction, index).density(&place);
                *capital = ((*capital + 1.0) * bet).min(LARGEST);
                all += weight * share * *capital;
            }
        }
        self.evidence = all.ln();
        if self.evidence > self.peak.0 {
            self.peak = (self.evidence, self.ranks.len());
        }
        self.evidence
    }

    /// The values that were bet on so far.
    #[inline]
    pub fn pushed(&self) -> usize {
        self.ranks.len()
    }

    /// The logarithm of the capital after the last value.
    #[inline]
    pub fn evidence(&self) -> f64 {
        self.evidence
    }

    /// The logarithm of the greatest capital so far, and after how many values it was that.
    #[inline]
    pub fn peak(&self) -> (f64, usize) {
        self.peak
    }

    /// The likeliest change, by the values up to the greatest evidence; `None` before the first value.
    #[inline]
    pub fn moved(&self) -> Option<Moved> {
        let until = self.peak.1;
        if until == 0 {
            return None;
        }
        let places: Vec<LawPlace> = self.ranks[..until]
            .iter()
            .map(|(rank, of)| place(*rank, *of))
            .collect();
        // For each value, the capital that a bet has which begins there.
        let mut best = vec![f64::NEG_INFINITY; until];
        for (direction, weight) in self.weights.into_iter().enumerate() {
            for (index, share) in SHARES.into_iter().enumerate() {
                let law = shift(direction, index);
                let mut sum = (weight * share).ln();
                for (place, best) in places.iter().zip(&mut best).rev() {
                    sum += law.density(place).ln();
                    *best = best.max(sum);
                }
            }
        }
        let (mut since, mut most) = (0, f64::NEG_INFINITY);
        for (index, capital) in best.iter().enumerate() {
            if *capital > most {
                (since, most) = (index, *capital);
            }
        }
        let near = |capital: &f64| *capital >= most - NEARLY;
        let earliest = best.iter().position(near).unwrap_or(since);
        let latest = best.iter().rposition(near).unwrap_or(since);
        Some(Moved {
            since,
            between: (earliest, latest),
            shift: self.shift(since, until),
        })
    }

    /// The mean normal score of the values of the new law, less that of all before them.
    #[inline]
    fn shift(&self, since: usize, until: usize) -> f64 {
        let scores = |ranks: &[(u32, u32)]| {
            let sum: f64 = ranks
                .iter()
                .map(|(rank, of)| place(*rank, *of).score())
                .sum();
            sum / ranks.len().max(1) as f64
        };
        scores(&self.ranks[since..until]) - scores(&self.ranks[..since])
    }

    /// Puts a value into its place, and returns that.
    #[inline]
    fn insert(&mut self, value: f64, tie: u64) -> u32 {
        // NaN is beyond everything; adding zero makes equal numbers equal bits.
        let value = if value.is_nan() {
            f64::INFINITY
        } else {
            value + 0.0
        };
        let before = |(other, other_tie): &(f64, u64)| {
            *other < value || (*other == value && *other_tie < tie)
        };
        let rank = self.known.partition_point(before);
        self.known.insert(rank, (value, tie));
        rank as u32
    }
}

/// The interval of (0, 1) that a rank stands for.
#[inline]
fn place(rank: u32, of: u32) -> LawPlace {
    let of = f64::from(of);
    LawPlace::new(f64::from(rank) / of, (f64::from(rank) + 1.0) / of)
}

#[inline]
fn shift(direction: usize, index: usize) -> Alternative {
    let mean = match direction {
        0 => SHIFTS[index],
        _ => -SHIFTS[index],
    };
    Alternative::Normal { mean, sd: 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values with what breaks their ties, by a generator of its own: SplitMix64 (Steele, Lea & Flood 2014).
    struct Draws(u64);

    impl Draws {
        fn bits(&mut self) -> u64 {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut bits = self.0;
            bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            bits ^ (bits >> 31)
        }

        fn uniform(&mut self) -> f64 {
            ((self.bits() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
        }
    }

    #[test]
    fn evidence_agrees_with_a_program_of_its_own() {
        // The sum over all starts of the products of mean densities, with statistics.NormalDist of Python 3.11.
        let mut detector = Detector::new(Feared::Up);
        for (tie, value) in [0.3, -1.2, 0.8, 0.1, -0.4].into_iter().enumerate() {
            detector.learn(value, tie as u64);
        }
        let values = [0.2, 1.5, f64::NAN, 1.5, 2.0, -3.0];
        let expected = [
            -0.05253883497844856,
            1.201683496556384,
            2.229018256635551,
            2.329815256641005,
            2.747719697960491,
            1.929496431779169,
        ];
        for (index, (value, expected)) in values.into_iter().zip(expected).enumerate() {
            // The second 1.5 goes below the first.
            let evidence = detector.push(value, 100 - index as u64);
            assert!((evidence - expected).abs() < 1e-10, "{index}: {evidence}");
        }
        assert!((detector.peak().0 - expected[4]).abs() < 1e-10);
        assert_eq!(detector.peak().1, 5);
    }

    #[test]
    fn a_step_is_fair_whatever_was_seen() {
        // Over all ranks that the next value can have, the capital becomes on average what it was and a unit more.
        let mut draws = Draws(3);
        for feared in [Feared::Up, Feared::Both] {
            let mut detector = Detector::new(feared);
            for _ in 0..12 {
                detector.push(draws.uniform(), 0);
            }
            let values: Vec<f64> = detector.known.iter().map(|known| known.0).collect();
            let gap = |rank: usize| match rank {
                0 => values[0] - 1.0,
                rank => values[rank - 1] + 1e-12,
            };
            let next = (0..=values.len()).map(|rank| detector.clone().push(gap(rank), 0).exp());
            let mean = next.sum::<f64>() / (values.len() + 1) as f64;
            let before = detector.evidence().exp();
            assert!((mean - before - 1.0).abs() < 1e-9, "{mean} {before}");
        }
    }

    #[test]
    fn a_change_is_dated_and_sized() {
        let mut draws = Draws(11);
        let mut normal = || (0..12).map(|_| draws.uniform()).sum::<f64>() - 6.0;
        let mut detector = Detector::new(Feared::Both);
        (0..100).for_each(|tie| detector.learn(normal(), tie));
        for tie in 0..300 {
            detector.push(normal(), 1000 + tie);
        }
        let level = Detector::level(1, 1e4);
        assert!(detector.peak().0 < level, "{:?}", detector.peak());
        for tie in 0..60 {
            detector.push(normal() - 1.0, 2000 + tie);
        }
        assert!(detector.peak().0 > level, "{:?}", detector.peak());
        let moved = detector.moved().unwrap();
        assert!((296..=304).contains(&moved.since), "{moved:?}");
        let (earliest, latest) = moved.between;
        assert!(earliest <= 300 && 300 <= latest, "{moved:?}");
        assert!((-1.2..-0.6).contains(&moved.shift), "{moved:?}");
    }

    #[test]
    fn false_alarms_are_rarer_than_stated_also_where_values_are_equal() {
        // Fixed seeds. Shares of streams that reach 100 or 1000 within so many values are at most the number over that.
        const STREAMS: usize = 2000;
        const VALUES: usize = 25;
        let laws: [fn(f64) -> f64; 3] = [
            |u| u.powi(-3),
            |u| (4.0 * u).floor(),
            |u| if u < 0.7 { 1.0 } else { f64::NAN },
        ];
        for (seed, law) in (0..).zip(laws) {
            let mut draws = Draws(seed);
            let mut alarms = [0; 2];
            for _ in 0..STREAMS {
                let mut detector = Detector::new(Feared::Up);
                for _ in 0..20 {
                    detector.learn(law(draws.uniform()), draws.bits());
                }
                for _ in 0..VALUES {
                    detector.push(law(draws.uniform()), draws.bits());
                }
                for (count, size) in alarms.iter_mut().zip([100f64, 1000.0]) {
                    *count += usize::from(detector.peak().0 >= size.ln());
                }
            }
            assert!(alarms[0] <= STREAMS * VALUES / 100, "{seed}: {alarms:?}");
            assert!(alarms[1] <= STREAMS * VALUES / 1000, "{seed}: {alarms:?}");
            assert!(alarms[0] > 0, "{seed}: {alarms:?}");
        }
    }

    #[test]
    fn equal_values_say_nothing_and_long_changes_do_not_overflow() {
        let mut draws = Draws(5);
        let mut equal = Detector::new(Feared::Up);
        for _ in 0..500 {
            equal.push(2.5, draws.bits());
        }
        assert!(equal.peak().0 < Detector::level(1, 1e4));
        let mut rising = Detector::new(Feared::Up);
        for index in 0..3000 {
            rising.push(f64::from(index), 0);
        }
        assert!(rising.evidence().is_finite() && rising.moved().is_some());
        assert!(rising.moved().unwrap().shift.is_finite());
        assert_eq!(Detector::new(Feared::Both).moved(), None);
    }
}
