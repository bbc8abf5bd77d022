//! A distribution whose upper tail is known exactly.

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
    pub(super) fn new(
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
