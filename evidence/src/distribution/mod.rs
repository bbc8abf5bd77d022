//! Distributions whose tail probabilities are known exactly.

mod bounded;
mod continuous;
mod discrete;
mod families;
mod irregular;

use rand_chacha::ChaCha8Rng;

/// The upper tail of a distribution, which decides what may be asked of a ceiling.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TailKind {
    /// Falls at least as fast as an exponential one.
    Light,
    /// Falls more slowly than an exponential one.
    Heavy,
    /// Ends somewhere.
    Bounded,
    /// Values repeat.
    Discrete,
    /// Two populations, or values that appear too rarely for a sample to show them: no single-run bound can know.
    Irregular,
}

impl TailKind {
    /// The word for it in tables.
    pub fn as_str(self) -> &'static str {
        match self {
            TailKind::Light => "light",
            TailKind::Heavy => "heavy",
            TailKind::Bounded => "bounded",
            TailKind::Discrete => "discrete",
            TailKind::Irregular => "irregular",
        }
    }
}

/// A distribution on the upper tail: how to draw from it, and P(X > x).
pub struct Distribution {
    /// Its name in tables.
    pub name: &'static str,
    /// The kind of its upper tail.
    pub tail: TailKind,
    draw: Box<dyn Fn(&mut ChaCha8Rng) -> f64 + Send + Sync>,
    beyond: Box<dyn Fn(f64) -> f64 + Send + Sync>,
}

impl Distribution {
    fn new(
        name: &'static str,
        tail: TailKind,
        draw: impl Fn(&mut ChaCha8Rng) -> f64 + Send + Sync + 'static,
        beyond: impl Fn(f64) -> f64 + Send + Sync + 'static,
    ) -> Self {
        Distribution {
            name,
            tail,
            draw: Box::new(draw),
            beyond: Box::new(beyond),
        }
    }

    /// Draws one value.
    pub fn draw(&self, rng: &mut ChaCha8Rng) -> f64 {
        (self.draw)(rng)
    }

    /// P(X > x), exactly.
    pub fn beyond(&self, x: f64) -> f64 {
        (self.beyond)(x)
    }

    /// The least x with P(X > x) ≤ p, by bisection.
    pub fn quantile_above(&self, p: f64) -> f64 {
        let (mut low, mut high) = (-1.0, 1.0);
        while self.beyond(high) > p {
            high *= 2.0;
        }
        while self.beyond(low) <= p && low > -1e12 {
            low *= 2.0;
        }
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            if self.beyond(middle) > p {
                low = middle;
            } else {
                high = middle;
            }
        }
        high
    }

    /// The standard deviation, from equally likely quantiles: exact enough for a unit of shift.
    pub fn standard_deviation(&self) -> f64 {
        const QUANTILES: usize = 4000;
        // Sums around the median keep their digits far from zero.
        let median = self.quantile_above(0.5);
        let low = self.quantile_above(1.0 - 1e-9);
        let mut high = self.quantile_above(1e-9);
        let (mut sum, mut squares) = (0.0, 0.0);
        for i in 0..QUANTILES {
            let p = (i as f64 + 0.5) / QUANTILES as f64;
            let mut bottom = low;
            for _ in 0..50 {
                let middle = 0.5 * (bottom + high);
                if self.beyond(middle) > p {
                    bottom = middle;
                } else {
                    high = middle;
                }
            }
            // Quantiles only fall from here, so the next search begins where this one ended.
            sum += high - median;
            squares += (high - median).powi(2);
        }
        let mean = sum / QUANTILES as f64;
        (squares / QUANTILES as f64 - mean * mean).max(0.0).sqrt()
    }
}

/// All distributions of the truth table.
pub fn all() -> Vec<Distribution> {
    let mut all = continuous::all();
    all.extend(bounded::all());
    all.extend(discrete::all());
    all.extend(irregular::all());
    all
}

/// Those of these names, in the order of the truth table.
pub fn named(names: &[&str]) -> Vec<Distribution> {
    let mut all = all();
    all.retain(|distribution| names.contains(&distribution.name));
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    #[test]
    fn standard_deviations_are_known_ones() {
        for (name, sd) in [
            ("normal", 1.0),
            ("normal, far from 0", 1.0),
            ("exponential", 1.0),
            ("uniform", 12f64.sqrt().recip()),
            ("Poisson 4", 2.0),
            ("t with 8 degrees", (8.0f64 / 6.0).sqrt()),
        ] {
            let found = all().into_iter().find(|d| d.name == name);
            let got = found.map_or(f64::NAN, |d| d.standard_deviation());
            assert!((got / sd - 1.0).abs() < 0.01, "{name}: {got}");
        }
    }

    /// The stated tail probabilities are those of the draws. Fixed seed.
    #[test]
    fn draws_have_the_stated_tail_probabilities() {
        const DRAWS: usize = 200_000;
        for distribution in all() {
            let mut rng = ChaCha8Rng::seed_from_u64(7);
            let mut draws: Vec<f64> = (0..DRAWS).map(|_| distribution.draw(&mut rng)).collect();
            draws.sort_by(f64::total_cmp);
            for p in [0.9, 0.5, 0.1, 0.01, 0.001] {
                let x = draws[((1.0 - p) * DRAWS as f64) as usize];
                let observed = (DRAWS - draws.partition_point(|d| *d <= x)) as f64 / DRAWS as f64;
                let stated = distribution.beyond(x);
                let error = 5.0 * (stated.max(1e-5) / DRAWS as f64).sqrt();
                assert!(
                    (observed - stated).abs() < error,
                    "{}: P(X > {x}) is {stated}, seen {observed}",
                    distribution.name
                );
            }
        }
    }
}
