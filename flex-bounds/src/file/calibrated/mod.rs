//! From a calibration to an entry: the numbers are rounded here, and nowhere else.

use super::{Bounds, Entry, Fit, GuardBound, Key, Learned, Reached, Sides};
use crate::round::{nearest, outward};
use flex_core::bound::SideBound;
use flex_core::bound::ceiling::TailFit;
use flex_core::calibration::CalibratedSite;
use flex_core::tail::Side;

/// Where and when a calibration was made, as far as the entry tells it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Provenance {
    /// The hash of the test's source.
    pub fingerprint: Option<String>,
    /// The day, as `YYYY-MM-DD`.
    pub calibrated: Option<String>,
    /// The calibration's base seed.
    pub base: Option<String>,
    /// What computed the bounds and drew the random numbers.
    pub engine: Option<String>,
}

impl Entry {
    /// The entry of a calibrated site. Bounds are rounded outward, what is only information to the nearest.
    pub fn of_calibration(key: Key, site: &CalibratedSite, provenance: Provenance) -> Entry {
        let learned = |side| learned(site, side);
        let sides = match site.bound.sides.as_slice() {
            [lower, upper] => Sides::Both {
                lower: learned(lower),
                upper: learned(upper),
            },
            [side] if side.side == Side::Lower => Sides::Lower(learned(side)),
            [side, ..] => Sides::Upper(learned(side)),
            [] => Sides::Upper(Learned::Refuse {
                reason: "the site has no side to bound".to_owned(),
            }),
        };
        let spread = site
            .quantiles
            .map_or(0.0, |quantiles| quantiles[MIDDLE.1] - quantiles[MIDDLE.0]);
        Entry {
            key,
            confidence: site.share.confidence,
            domain: site.spec.domain,
            light: site.spec.light,
            sides,
            samples: site.bound.samples as u32,
            not_finite: (site.samples.len() - site.samples.finite().len()) as u32,
            quantiles: site
                .quantiles
                .map(|quantiles| quantiles.map(|quantile| nearest(quantile, spread))),
            reached: if site.missed == 0 {
                Reached::Always
            } else {
                Reached::Sometimes
            },
            fingerprint: provenance.fingerprint,
            calibrated: provenance.calibrated,
            base: provenance.base,
            engine: provenance.engine,
            unenforced: false,
        }
    }
}

/// The places of the 20 % and the 80 % quantile, whose distance is the resolution of what is only information.
const MIDDLE: (usize, usize) = (5, 11);

fn learned(site: &CalibratedSite, side: &SideBound) -> Learned {
    let round = |bound| {
        let median = side.median;
        outward(
            side.side,
            bound,
            median,
            side.lattice_step,
            site.spec.domain,
        )
    };
    let guard = side.guard.as_ref().ok().map(|guard| GuardBound {
        bound: round(guard.bound),
        hits: guard.plan.hits,
    });
    match (&side.ceiling, guard) {
        (Ok(ceiling), guard) => {
            let bounds = Bounds {
                ceiling: round(ceiling.bound),
                guard,
                fit: ceiling.fit.map(fit),
            };
            if ceiling.fit.is_some() {
                Learned::Tail(bounds)
            } else {
                Learned::Order(bounds)
            }
        }
        (Err(reason), Some(guard)) => Learned::Guard {
            guard,
            fit: None,
            reason: Some(reason.to_string()),
        },
        (Err(_), None) => Learned::Refuse {
            reason: side
                .reason()
                .unwrap_or_else(|| "nothing could be learned".to_owned()),
        },
    }
}

fn fit(fit: TailFit) -> Fit {
    let scale = fit.excess.scale();
    Fit {
        threshold: nearest(fit.threshold, scale),
        scale: nearest(scale, scale),
        shape: nearest(fit.excess.shape(), 1.0),
        exceedances: fit.exceedances as u32,
    }
}

#[cfg(test)]
mod tests;
