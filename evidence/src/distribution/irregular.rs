//! Mixtures: two populations, or values too rare for a sample to show.

use super::exact::{Distribution, TailKind};
use super::families::{normal, normal_beyond, uniform};

/// All of them.
pub fn all() -> Vec<Distribution> {
    use TailKind::Irregular;
    let mixture = |name, rare: f64, centre: f64, spread: f64| {
        Distribution::new(
            name,
            Irregular,
            move |rng| {
                if uniform(rng) < rare {
                    centre + spread * normal(rng)
                } else {
                    normal(rng)
                }
            },
            move |x| (1.0 - rare) * normal_beyond(x) + rare * normal_beyond((x - centre) / spread),
        )
    };
    vec![
        mixture("two modes, half and half", 0.5, 6.0, 1.0),
        mixture("two modes, 1 in 10", 0.1, 6.0, 1.0),
        mixture("contaminated, 1 in 20 three times as wide", 0.05, 0.0, 3.0),
        mixture("contaminated, 1 in 100 ten times as wide", 0.01, 0.0, 10.0),
        mixture("rare jump, 1 in 50", 0.02, 20.0, 1.0),
        mixture("rare jump, 1 in 500", 0.002, 20.0, 1.0),
        mixture("rare jump, 1 in 5000", 0.0002, 20.0, 1.0),
        Distribution::new(
            "Bernoulli 0.02",
            Irregular,
            |rng| if uniform(rng) < 0.02 { 1.0 } else { 0.0 },
            |x: f64| {
                if x < 0.0 {
                    1.0
                } else if x < 1.0 {
                    0.02
                } else {
                    0.0
                }
            },
        ),
    ]
}
