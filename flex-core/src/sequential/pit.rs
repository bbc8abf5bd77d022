//! Alternatives to the uniform law on (0, 1), as densities that can be averaged over an interval.

use std::f64::consts::PI;

use crate::numeric::normal::{normal_isf, normal_sf};

/// Where a value lies in its law: between the distribution function before it and at it, which are equal for a continuous
/// law.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Place {
    before: f64,
    at: f64,
    /// The normal quantiles of both.
    z: (f64, f64),
}

/// Narrower intervals are points: the difference of two distribution functions would have no digits left.
const POINT: f64 = 1e-9;

/// Points keep this distance from the ends, where densities have poles.
const EDGE: f64 = 1e-300;

impl Place {
    /// A place from checked ends, 0 ≤ before ≤ at ≤ 1.
    pub fn new(before: f64, at: f64) -> Self {
        let (before, at) = match at - before < POINT {
            true => {
                let middle = (before + 0.5 * (at - before)).max(EDGE);
                (middle, middle)
            }
            false => (before, at),
        };
        Place {
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

    /// The part of the interval in each of `bins` equal bins of (0, 1), as (bin, part).
    pub fn bins(&self, bins: usize) -> impl Iterator<Item = (usize, f64)> + use<> {
        let count = bins as f64;
        let Place { before, at, .. } = *self;
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
    /// The density 1 + size · cos(kπu), |size| ≤ 1.
    Wave { k: f64, size: f64 },
    /// The density u^(−3/4)/4: far too many values near 0 or even below all that are possible; `mirrored` near 1.
    Pole { mirrored: bool },
}

impl Alternative {
    /// The mean density over a place: an e-value, since under the uniform law the mean of a density is 1.
    pub fn density(&self, place: &Place) -> f64 {
        match (place.is_point(), *self) {
            (true, Alternative::Normal { mean, sd }) => {
                let (z, y) = (place.z.0, (place.z.0 - mean) / sd);
                (0.5 * (z * z - y * y)).exp() / sd
            }
            (false, Alternative::Normal { mean, sd }) => {
                let (low, high) = ((place.z.0 - mean) / sd, (place.z.1 - mean) / sd);
                // Differences of small numbers: in the tail that is nearer.
                let mass = match low > 0.0 {
                    true => normal_sf(low) - normal_sf(high),
                    false => normal_sf(-high) - normal_sf(-low),
                };
                mass / place.width()
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
}
