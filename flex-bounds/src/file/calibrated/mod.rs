//! From a calibration to an entry: the numbers are rounded here, and nowhere else.

use super::same::spread;
use super::{Bounds, Entry, Fit, GuardBound, HeldBound, Key, Learned, Reached, Replay, Sides};
use crate::round::{nearest, outward, outward_by, precisely};
use flex_core::arrays::each;
use flex_core::bound::SideBound;
use flex_core::bound::ceiling::TailFit;
use flex_core::calibration::{About, CalibratedSite};
use flex_core::tail::{Side, Tail};

/// Where and when a calibration was made, as far as the entry tells it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Provenance {
    /// The hash of the test's source.
    pub fingerprint: Option<String>,
    /// The day, as `YYYY-MM-DD`.
    pub calibrated: Option<String>,
    /// The calibration's base seed.
    pub base: Option<String>,
    /// What computed the bounds and drew the random numbers.
    pub engine: Option<String>,
    /// The effort that the test stated.
    pub effort: Option<f64>,
    /// Calibration runs by which to see whether anything changed.
    pub replay: Option<Replay>,
}

impl Entry {
    /// The entry of a calibrated site. Bounds are rounded outward, what is only information to the nearest.
    pub fn of_calibration(key: Key, site: &CalibratedSite, provenance: Provenance) -> Entry {
        let spread = site.quantiles.as_ref().map_or(0.0, spread);
        let learned = |side| learned(site, side, spread);
        let held = |side| held(site, side);
        let sides = match site.bound.sides.as_slice() {
            [] if site.held.is_some() => match site.spec.tail {
                Tail::Upper => Sides::Upper(held(Side::Upper)),
                Tail::Lower => Sides::Lower(held(Side::Lower)),
                Tail::Both => Sides::Both {
                    lower: held(Side::Lower).into(),
                    upper: held(Side::Upper).into(),
                },
            },
            [lower, upper] => Sides::Both {
                lower: learned(lower).into(),
                upper: learned(upper).into(),
            },
            [side] if side.side == Side::Lower => Sides::Lower(learned(side)),
            [side, ..] => Sides::Upper(learned(side)),
            [] => Sides::Upper(Learned::Refuse {
                reason: "the site has no side to bound".to_owned(),
            }),
        };
        Entry {
            key,
            confidence: site.share.confidence,
            domain: site.spec.domain,
            light: site.spec.light,
            sides,
            samples: site.bound.samples as u32,
            not_finite: (site.shown().len() - site.shown().finite().len()) as u32,
            earlier: site.earlier,
            quantiles: site
                .quantiles
                .map(|quantiles| each(&quantiles, |quantile| nearest(quantile, spread))),
            reached: if site.missed == 0 {
                Reached::Always
            } else {
                Reached::Sometimes
            },
            effort: provenance.effort,
            replay: provenance.replay.map(|replay| replay.rounded(spread)),
            fingerprint: provenance.fingerprint,
            calibrated: provenance.calibrated,
            base: provenance.base,
            engine: provenance.engine,
            checksum: None,
            unenforced: false,
            accepted: false,
        }
    }
}

impl Replay {
    /// What sites showed, as exactly as it is compared.
    fn rounded(mut self, spread: f64) -> Self {
        for shown in self.runs.iter_mut().filter_map(|run| run.shown.as_mut()) {
            for value in [&mut shown.least, &mut shown.greatest] {
                *value = precisely(*value, spread);
            }
        }
        self
    }
}

/// One side of what holds a mean or a rate.
fn held(site: &CalibratedSite, side: Side) -> Learned {
    let is_rate = matches!(site.spec.about, About::Rate { .. });
    match &site.held {
        Some(Ok(held)) => {
            let bound = HeldBound::of_calibration(held, side, is_rate, site.spec.domain);
            match is_rate {
                true => Learned::Rate(bound),
                false => Learned::Mean(bound),
            }
        }
        Some(Err(error)) => Learned::Refuse {
            reason: error.to_string(),
        },
        None => Learned::Refuse {
            reason: "nothing was learned".to_owned(),
        },
    }
}

fn learned(site: &CalibratedSite, side: &SideBound, spread: f64) -> Learned {
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
    let cut = |cut| outward_by(side.side, cut, spread, side.lattice_step, site.spec.domain);
    let guard = side.guard.as_ref().ok().map(|guard| GuardBound {
        bound: cut(guard.bound),
        race: guard.race.map_cuts(cut),
        strays: guard.strays.as_ref().map(|race| race.map_cuts(cut)),
    });
    match (&side.ceiling, guard) {
        (Ok(ceiling), guard) => {
            let rounded = round(ceiling.bound);
            let bounds = Bounds {
                ceiling: rounded,
                // They are rounded to other places, and where they are equal they must not pass each other.
                guard: guard.map(|guard| match side.side.is_beyond(guard.bound, rounded) {
                    true => GuardBound {
                        bound: rounded,
                        ..guard
                    },
                    false => guard,
                }),
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
