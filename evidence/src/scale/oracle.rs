//! The best that is possible: CUSUM (Page 1954) with the true laws before and after, whose delay no other procedure with as
//! long an average run can beat in the worst case (Moustakides 1986).

use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution as _, StandardNormal};

/// CUSUM for a normal law that moves by this many standard deviations.
#[derive(Clone, Copy)]
pub struct Oracle {
    shift: f64,
    height: f64,
}

impl Oracle {
    /// One whose average run until a false alarm is so long, by Siegmund's (1985) approximation, which a
    /// test holds against simulated streams.
    pub fn new(shift: f64, run_length: f64) -> Self {
        let of = |height: f64| {
            // The excess over the boundary counts as 0.583 on either side.
            let x = height + 1.166 * shift;
            (x.exp() - 1.0 - x) / (0.5 * shift * shift)
        };
        let (mut low, mut high) = (0.0, 60.0);
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            match of(middle) < run_length {
                true => low = middle,
                false => high = middle,
            }
        }
        Oracle { shift, height: low }
    }

    /// The mean delay, where so many values came before the change and none of them raised an alarm.
    pub fn delay(self, before: usize, streams: usize, rng: &mut ChaCha8Rng) -> f64 {
        let (mut all, mut counted) = (0.0, 0.0);
        'streams: while counted < streams as f64 {
            let mut sum = 0.0;
            for _ in 0..before {
                sum = self.step(sum, 0.0, rng);
                if sum >= self.height {
                    continue 'streams;
                }
            }
            counted += 1.0;
            while sum < self.height {
                sum = self.step(sum, self.shift, rng);
                all += 1.0;
            }
        }
        all / counted
    }

    /// The logarithm of the likelihood ratio of a value, added up, and never below 0.
    fn step(self, sum: f64, mean: f64, rng: &mut ChaCha8Rng) -> f64 {
        let noise: f64 = StandardNormal.sample(rng);
        let ratio = self.shift * (mean + noise) - 0.5 * self.shift * self.shift;
        (sum + ratio).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    /// The average run until a false alarm.
    fn run_length(oracle: Oracle, streams: usize, rng: &mut ChaCha8Rng) -> f64 {
        let length = |_| {
            let (mut sum, mut steps) = (0.0, 0.0);
            while sum < oracle.height {
                sum = oracle.step(sum, 0.0, rng);
                steps += 1.0;
            }
            steps
        };
        (0..streams).map(length).sum::<f64>() / streams as f64
    }

    #[test]
    fn run_lengths_are_those_that_were_asked_for() {
        // Fixed seed; 2,000 streams tell an average to a fiftieth.
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        for shift in [0.5, 1.0] {
            let length = run_length(Oracle::new(shift, 500.0), 2000, &mut rng);
            assert!((length / 500.0 - 1.0).abs() < 0.15, "{shift}: {length}");
        }
    }
}
