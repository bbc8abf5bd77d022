//! Alternatives to the uniform law on (0, 1), as densities that can be averaged over an interval.

use std::f64::consts::PI;

use crate::numeric::normal::{normal_isf, normal_sf};

/// Where a value lies in its law: between the distribution function before it and at it, which are equal for a continuous
/// law.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct LawPlace {
    before: f64,
    at: f64,
    /// The normal quantiles of both.
    z: (f64, f64),
}

/// Narrower intervals are points: the difference of two distribution functions would have no digits left.
const POINT: f64 = 1e-9;

/// Points keep this distance from the ends, where densities have poles.
const EDGE: f64 = 1e-300;

impl LawPlace {
    /// A place from checked ends, 0 ≤ before ≤ at ≤ 1.
    pub fn new(before: f64, at: f64) -> Self {
        let (before, at) = match at - before < POINT {
            true => {
                let middle = (before + 0.5 * (at - before)).max(EDGE);
                (middle, middle)
            }
            false => (before, at),
        };
        LawPlace {
            before,
            at,
            z: (quantile(before), quantile(at)),
        }
    }

    pub fn is_point(&self) -> bool {
        self.before == self.at
    }

    pub fn width(&self) -> f64 {
        self.at - self.before
    }

    /// The normal score of its middle.
    pub fn score(&self) -> f64 {
        quantile(0.5 * (self.before + self.at))
    }

    /// The part of the interval in each of `bins` equal bins of (0, 1), as (bin, part).
    pub fn bins(&self, bins: usize) -> impl Iterator<Item = (usize, f64)> + use<> {
        let count = bins as f64;
        let LawPlace { before, at, .. } = *self;
        let bin = move |u: f64| ((u * count) as usize).min(bins - 1);
        (bin(before)..=bin(at)).map(move |index| {
            if before == at {
                return (index, 1.0);
            }
            let (low, high) = (index as f64 / count, (index + 1) as f64 / count);
            (
                index,
                (at.min(high) - before.max(low)).max(0.0) / (at - before),
            )
        })
    }
}

/// The normal quantile, finite at the ends.
fn quantile(u: f64) -> f64 {
    match u <= 0.5 {
        true => -normal_isf(u.max(EDGE)),
        false => normal_isf((1.0 - u).max(1e-17)),
    }
}

/// A law on (0, 1) that is not uniform.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Alternative {
    /// The normal quantile has this mean and this standard deviation.
    Normal { mean: f64, sd: f64 },
    /// The normal quantile has a mean of 0, a standard deviation of 1, and another shape: what a normal variable becomes by
    /// sinh((asinh z + skew)/tail), brought back to these (Jones & Pewsey 2009).
    Shape {
        skew: f64,
        tail: f64,
        mean: f64,
        sd: f64,
    },
    /// The density 1 + size · cos(kπu), |size| ≤ 1.
    Wave { k: f64, size: f64 },
    /// The density u^(−3/4)/4: far too many values near 0 or even below all that are possible; `mirrored` near 1.
    Pole { mirrored: bool },
}

impl Alternative {
    /// Another shape: lighter tails for `tail` above 1, heavier ones below.
    pub fn shape(skew: f64, tail: f64) -> Self {
        const POINTS: usize = 40;
        let (mut sum, mut squares) = (0.0, 0.0);
        for point in 0..POINTS {
            let z = normal_isf((point as f64 + 0.5) / POINTS as f64);
            let x = ((z.asinh() + skew) / tail).sinh();
            sum += x;
            squares += x * x;
        }
        let mean = sum / POINTS as f64;
        let sd = (squares / POINTS as f64 - mean * mean).sqrt();
        Alternative::Shape {
            skew,
            tail,
            mean,
            sd,
        }
    }

    /// The mean density over a place: an e-value, since under the uniform law the mean of a density is 1.
    pub fn density(&self, place: &LawPlace) -> f64 {
        match (place.is_point(), *self) {
            (true, Alternative::Normal { mean, sd }) => {
                let (z, y) = (place.z.0, (place.z.0 - mean) / sd);
                (0.5 * (z * z - y * y)).exp() / sd
            }
            (false, Alternative::Normal { mean, sd }) => {
                mass((place.z.0 - mean) / sd, (place.z.1 - mean) / sd) / place.width()
            }
            (true, Alternative::Shape { tail, sd, .. }) => {
                let (z, y) = (place.z.0, self.unshaped(place.z.0));
                let x = self.spread(z);
                let slope = sd * tail * ((1.0 + y * y) / (1.0 + x * x)).sqrt();
                // Far out, the squares overflow: the other shape has nothing there.
                (0.5 * (z * z - y * y)).exp() * slope
            }
            (false, Alternative::Shape { .. }) => {
                mass(self.unshaped(place.z.0), self.unshaped(place.z.1)) / place.width()
            }
            (true, Alternative::Wave { k, size }) => 1.0 + size * (k * PI * place.at).cos(),
            (false, Alternative::Wave { k, size }) => {
                let rise = (k * PI * place.at).sin() - (k * PI * place.before).sin();
                1.0 + size * rise / (k * PI * place.width())
            }
            (true, Alternative::Pole { mirrored }) => {
                let u = match mirrored {
                    true => (1.0 - place.at).max(1e-17),
                    false => place.at,
                };
                0.25 * u.powf(-0.75)
            }
            (false, Alternative::Pole { mirrored: false }) => {
                (place.at.powf(0.25) - place.before.powf(0.25)) / place.width()
            }
            (false, Alternative::Pole { mirrored: true }) => {
                ((1.0 - place.before).powf(0.25) - (1.0 - place.at).powf(0.25)) / place.width()
            }
        }
    }

    /// A normal quantile before it was brought to a mean of 0 and a standard deviation of 1.
    fn spread(&self, z: f64) -> f64 {
        match *self {
            Alternative::Shape { mean, sd, .. } => mean + sd * z,
            _ => z,
        }
    }

    /// The normal variable that became this quantile.
    fn unshaped(&self, z: f64) -> f64 {
        match *self {
            Alternative::Shape { skew, tail, .. } => (tail * self.spread(z).asinh() - skew).sinh(),
            _ => z,
        }
    }
}

/// The probability of a normal variable between two values. Differences of small numbers: in the tail that is nearer.
fn mass(low: f64, high: f64) -> f64 {
    match low > 0.0 {
        true => normal_sf(low) - normal_sf(high),
        false => normal_sf(-high) - normal_sf(-low),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alternatives() -> Vec<Alternative> {
        vec![
            Alternative::Normal { mean: 0.4, sd: 1.0 },
            Alternative::Normal { mean: 0.0, sd: 0.7 },
            Alternative::shape(0.3, 1.0),
            Alternative::shape(0.0, 1.2),
            Alternative::shape(0.0, 0.8),
            Alternative::Wave { k: 3.0, size: -0.9 },
            Alternative::Pole { mirrored: false },
            Alternative::Pole { mirrored: true },
        ]
    }

    #[test]
    fn densities_have_a_mean_of_one_over_any_discrete_law() {
        // The masses of a law, however uneven, times the mean densities over them, add up to 1.
        let ends = [0.0, 1e-6, 0.003, 0.2, 0.25, 0.9, 0.999, 1.0];
        for alternative in alternatives() {
            let mean: f64 = ends
                .windows(2)
                .map(|ends| {
                    (ends[1] - ends[0]) * alternative.density(&LawPlace::new(ends[0], ends[1]))
                })
                .sum();
            assert!((mean - 1.0).abs() < 1e-9, "{alternative:?}: {mean}");
        }
    }

    #[test]
    fn a_narrow_place_is_like_a_point() {
        for alternative in alternatives() {
            for u in [0.01, 0.3, 0.5, 0.77, 0.99] {
                let point = alternative.density(&LawPlace::new(u, u));
                let narrow = alternative.density(&LawPlace::new(u - 1e-6, u + 1e-6));
                assert!(
                    (point / narrow - 1.0).abs() < 1e-4,
                    "{alternative:?} at {u}"
                );
            }
        }
    }

    #[test]
    fn places_at_the_ends_have_finite_densities() {
        for alternative in alternatives() {
            for (before, at) in [
                (0.0, 0.0),
                (1.0, 1.0),
                (0.0, 1.0),
                (0.0, 1e-320),
                (0.0, 0.5),
            ] {
                let density = alternative.density(&LawPlace::new(before, at));
                assert!(
                    density.is_finite() && density >= 0.0,
                    "{alternative:?}: {density}"
                );
            }
        }
    }
}
