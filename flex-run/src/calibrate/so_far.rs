//! What a calibration would learn if it ended now, for those who watch it.

use flex_core::calibration::Calibration;
use flex_core::words::{percent, short};

use super::settings::{CalibrationError, CalibrationSettings, plan};
use crate::model::ProcessRecord;

/// What a calibration has so far, and what it would learn from that. It decides nothing.
#[derive(Debug, Clone)]
pub struct SoFar {
    calibration: Calibration,
    only_passed: bool,
}

impl SoFar {
    /// What a calibration has; if only runs count that passed, others are left out.
    #[inline]
    pub(super) fn new(calibration: Calibration, only_passed: bool) -> Self {
        SoFar {
            calibration,
            only_passed,
        }
    }

    /// The first runs of a calibration that knows nothing yet, as far as a process has come with them.
    #[inline]
    pub fn of_first(
        first: &ProcessRecord,
        settings: &CalibrationSettings,
    ) -> Result<Self, CalibrationError> {
        let plan = plan(first, settings)?;
        let calibration = match &settings.shares {
            Some(shares) => Calibration::in_suite(plan, shares.clone()),
            None => Calibration::new(plan),
        };
        Ok(SoFar::new(calibration, plan.only_passed))
    }

    /// Adds runs of a process that is under way. What contradicts the rest is left out: the calibration will say so.
    #[inline]
    pub fn add(&mut self, record: &ProcessRecord) {
        for (run, hits) in record.runs() {
            let failed = match self.only_passed {
                true => record.failed(run, hits),
                false => run.failure.is_some(),
            };
            let hits: Vec<_> = hits
                .iter()
                .filter_map(|hit| {
                    let site = record.site(hit);
                    Some((&site.id, site.learns()?, hit.extremes))
                })
                .collect();
            let _ = self.calibration.push_folded(run.index, failed, &hits);
        }
    }

    /// What these runs would teach, and what the first four fifths of them would have taught.
    #[inline]
    pub fn guards(&self) -> Vec<GuardSoFar> {
        let runs = self.calibration.complete();
        let learned = |runs| self.calibration.learned_from(runs).ok();
        let (Some(now), Some(before)) = (learned(runs), learned(runs - runs / 5)) else {
            return Vec::new();
        };
        let mut guards = Vec::new();
        for site in &now.sites {
            let old = before.sites.iter().find(|old| old.id == site.id);
            for side in &site.bound.sides {
                let Ok(guard) = &side.guard else { continue };
                let old = old.and_then(|old| {
                    let mut sides = old.bound.sides.iter();
                    let old = sides.find(|old| old.side == side.side)?;
                    Some(old.guard.as_ref().ok()?.bound)
                });
                let distance = (guard.bound - side.median).abs();
                guards.push(GuardSoFar {
                    bound: guard.bound,
                    moved: old
                        .map(|old| (guard.bound - old).abs() / distance)
                        .filter(|moved| moved.is_finite()),
                });
            }
        }
        guards
    }
}

/// A guard that will still move.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GuardSoFar {
    /// Where it is.
    pub bound: f64,
    /// How far the last fifth of the runs moved it, as a part of its distance from the median; `None` if there was none
    /// before them.
    pub moved: Option<f64>,
}

/// Guards that will still move, and how far the last runs moved the least steady of them.
#[inline]
pub fn guards_in_words(guards: &[GuardSoFar]) -> Option<String> {
    let mut moved = guards.iter().map(|guard| guard.moved);
    let most = moved.try_fold(0.0, |most, moved| Some(f64::max(most, moved?)));
    let steady = most.map_or(String::new(), |most| format!(" ± {}", percent(most)));
    match guards {
        [] => None,
        [guard] => Some(format!("guard {}{steady}", short(guard.bound))),
        many => Some(format!("{} guards{steady}", many.len())),
    }
}
