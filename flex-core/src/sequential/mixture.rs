//! Capital that is spread over several bets: the mean of e-processes, kept in the logarithm.

/// A weighted sum of products, one factor a step and component. If each factor has an expectation of at most 1 given what
/// came before, so has the sum relative to the last one; it begins at 1, and ever reaches c with probability 1/c at most
/// (Ville 1939).
#[derive(Debug, Clone)]
pub(super) struct Mixture {
    /// The capital of each component, divided by e^`scale`.
    parts: Vec<f64>,
    scale: f64,
    ln_value: f64,
    ln_peak: f64,
}

/// Components that hold so small a part of the capital are given up, before numbers become denormal and slow.
const LOST: f64 = 1e-200;

impl Mixture {
    /// A capital of 1, divided by weights, which need not add up to 1.
    pub fn new(weights: impl IntoIterator<Item = f64>) -> Self {
        let mut parts = Vec::new();
        let mut total = 0.0;
        for weight in weights {
            parts.push(weight);
            total += weight;
        }
        for part in &mut parts {
            *part /= total;
        }
        Mixture {
            parts,
            scale: 0.0,
            ln_value: 0.0,
            ln_peak: 0.0,
        }
    }

    /// Multiplies each component by its factor.
    pub fn step(&mut self, mut factor: impl FnMut(usize) -> f64) {
        let mut total = 0.0;
        for (index, part) in self.parts.iter_mut().enumerate() {
            *part *= factor(index);
            total += *part;
        }
        self.ln_value = total.ln() + self.scale;
        self.ln_peak = self.ln_peak.max(self.ln_value);
        if !(1e-50..=1e50).contains(&total) && total > 0.0 {
            for part in &mut self.parts {
                let share = *part / total;
                *part = if share < LOST { 0.0 } else { share };
            }
            self.scale = self.ln_value;
        }
    }

    /// The logarithm of the capital.
    pub fn ln_value(&self) -> f64 {
        self.ln_value
    }

    /// The logarithm of the largest capital so far.
    pub fn ln_peak(&self) -> f64 {
        self.ln_peak
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capital_is_the_weighted_mean_of_products() {
        let mut mixture = Mixture::new([1.0, 3.0]);
        assert_eq!(mixture.ln_value(), 0.0);
        for _ in 0..3 {
            mixture.step(|index| [2.0, 0.5][index]);
        }
        let expected: f64 = 0.25 * 8.0 + 0.75 * 0.125;
        assert!((mixture.ln_value() - expected.ln()).abs() < 1e-15);
    }

    #[test]
    fn long_products_neither_overflow_nor_vanish() {
        let mut mixture = Mixture::new([1.0, 1.0]);
        for _ in 0..10_000 {
            mixture.step(|index| [4.0, 0.25][index]);
        }
        let expected = 10_000.0 * 4f64.ln() - 2f64.ln();
        assert!((mixture.ln_value() / expected - 1.0).abs() < 1e-12);
        for _ in 0..10_000 {
            mixture.step(|_| 0.25);
        }
        assert!((mixture.ln_value() + 2f64.ln()).abs() < 1e-6);
        assert!((mixture.ln_peak() / expected - 1.0).abs() < 1e-12);
        // Ruined for good.
        mixture.step(|_| 0.0);
        mixture.step(|_| 2.0);
        assert_eq!(mixture.ln_value(), f64::NEG_INFINITY);
    }
}
