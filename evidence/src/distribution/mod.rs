//! Distributions whose tail probabilities are known exactly.

mod bounded;
mod continuous;
mod discrete;
mod exact;
mod families;
mod irregular;

pub use exact::{Distribution, TailKind};

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
    use rand_chacha::ChaCha8Rng;

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
