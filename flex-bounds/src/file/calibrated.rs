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
mod tests {
    use super::*;
    use crate::TestId;
    use crate::file::BoundsFile;
    use flex_core::calibration::{Calibration, CalibrationPlan, Run, SiteSpec, Step};
    use flex_core::tail::{Domain, Tail};

    /// Calibrates one site on given values and reads its entry back from the file that it makes.
    fn entry(spec: SiteSpec, value: impl Fn(u32) -> f64) -> Entry {
        let mut calibration = Calibration::new(CalibrationPlan::default());
        for index in 0..100 {
            let hits = vec![("x".into(), spec, value(index))];
            let run = Run {
                index,
                panicked: false,
                hits,
            };
            calibration.push(&run).unwrap();
        }
        let Step::Done(done) = calibration.step().unwrap() else {
            panic!("100 runs are enough");
        };
        let key = Key {
            test: TestId::cargo("lib", "t"),
            site: "x".into(),
            variant: None,
        };
        let entry = Entry::of_calibration(key.clone(), &done.sites[0], Provenance::default());
        let mut file = BoundsFile::default();
        file.insert(entry).unwrap();
        let read: BoundsFile = file.to_string().parse().unwrap();
        assert_eq!(read, file);
        for (learned, side) in read.entries()[0]
            .sides
            .iter()
            .zip(&done.sites[0].bound.sides)
        {
            if let (Some(written), Ok(exact)) = (learned.1.ceiling(), &side.ceiling) {
                assert!(!side.side.is_beyond(exact.bound, written), "rounded inward");
            }
        }
        read.get(&key).unwrap().clone()
    }

    /// Quantiles of an exponential in a scrambled order.
    fn exponential(index: u32) -> f64 {
        -((f64::from(index * 37 % 100) + 0.5) / 100.0).ln()
    }

    #[test]
    fn numbers_are_short_and_outward() {
        let entry = entry(SiteSpec::new(Tail::Upper), |i| {
            1000.0 + 0.01 * exponential(i)
        });
        let learned = entry.sides.get(Side::Upper).unwrap();
        for number in [learned.ceiling().unwrap(), learned.guard().unwrap().bound] {
            assert!(format!("{number}").len() <= "1000.01234".len(), "{number}");
        }
        let quantiles = entry.quantiles.unwrap();
        assert!(quantiles.is_sorted());
        assert!(
            quantiles.iter().all(|q| format!("{q}").len() <= 10),
            "{quantiles:?}"
        );
    }

    #[test]
    fn two_sides_with_different_ends_are_one_entry() {
        let spec = SiteSpec {
            domain: Some(Domain::new(0.0, 1e4).unwrap()),
            ..SiteSpec::new(Tail::Both)
        };
        let entry = entry(spec, exponential);
        let lower = entry.sides.get(Side::Lower).unwrap();
        assert!(lower.ceiling().is_none() && lower.reason().unwrap().contains("domain"));
        assert!(entry.sides.get(Side::Upper).unwrap().ceiling().is_some());
    }

    #[test]
    fn each_side_is_rounded_by_its_own_samples() {
        let spec = SiteSpec::new(Tail::Both);
        let mut calibration = Calibration::new(CalibrationPlan::default());
        for index in 0..100 {
            let hit = |value| ("x".into(), spec, value);
            let run = Run {
                index,
                panicked: false,
                hits: vec![
                    hit(-1e6 - exponential(index)),
                    hit(1e6 + exponential(index)),
                ],
            };
            calibration.push(&run).unwrap();
        }
        let Step::Done(done) = calibration.step().unwrap() else {
            panic!("100 runs are enough");
        };
        for side in &done.sites[0].bound.sides {
            let exact = side.guard.as_ref().unwrap().bound;
            let written = learned(&done.sites[0], side).guard().unwrap().bound;
            assert!((written - exact).abs() < 0.1, "{exact} {written}");
        }
    }

    #[test]
    fn a_refusal_carries_its_reason_into_the_file() {
        let entry = entry(SiteSpec::new(Tail::Upper), |i| {
            if i % 2 == 0 { f64::NAN } else { 1.0 }
        });
        let refused = entry.sides.get(Side::Upper).unwrap();
        assert!(matches!(refused, Learned::Refuse { reason } if reason.contains("50 of 100")));
    }
}
