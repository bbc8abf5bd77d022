//! The guard: where a doubt begins, and the races that settle it (docs/design/bound.md, "The guard").
//!
//! A guard is an order statistic. It decides how often healthy code is run again, and nothing about what is promised:
//! that is the races' part. [`GuardPlan`] is all that can be said of it before there are samples.

mod missing;

use crate::bound::Question;
use crate::bound::confidence::RacePromise;
use crate::bound::race::{Cut, Design, Race, SHARES};
use crate::bound::strays;
use crate::sample::Oriented;
use crate::sample::ties::Ties;
pub use missing::NoGuard;

/// Shifts, in standard deviations, at which power is reported.
pub const POWER_SHIFTS: [f64; 4] = [0.5, 1.0, 2.0, 3.0];

/// The tight tier of a learned bound.
#[derive(Debug, Clone, PartialEq)]
pub struct Guard {
    /// A sample beyond this is in doubt.
    pub bound: f64,
    /// What settles the doubt, unless a replay does.
    pub race: Race,
    /// What settles whether a sample beyond all calibrated ones is a new mode.
    pub strays: Option<Race>,
    /// Expected extra runs per run of unchanged code: replays, or the reruns of its race; and those of strays.
    pub extra_runs: f64,
    /// The reruns among them.
    pub reruns: f64,
}

/// How a value beyond its guard is settled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Settling {
    /// A calibration run is replayed. If it shows what it showed then, nothing has changed; if not, there is a race, and
    /// no hurry.
    #[default]
    Replay,
    /// Runs do not depend on their seed alone, so there is a race at once, and all its reruns count as effort.
    Reruns,
}

/// What a guard may spend, and how.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct GuardTerms {
    /// The false-alarm rate of the race.
    pub race: f64,
    /// The false-alarm rate of the race of strays.
    pub strays: f64,
    /// Expected extra runs per run.
    pub effort: f64,
    pub settling: Settling,
    /// The most reruns of a race.
    pub most_reruns: u32,
    /// The probability, over calibrations, that each race keeps its rate.
    pub assurance: f64,
}

/// What can be said of a guard before there are samples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GuardPlan {
    /// The samples above the guard's place in the order.
    pub rank: u32,
    /// The probability of a regression verdict after a shift by so many standard deviations ([`POWER_SHIFTS`]), for
    /// normal values.
    pub power: [f64; POWER_SHIFTS.len()],
    /// Expected extra runs per run of unchanged code.
    pub extra_runs: f64,
}

/// Reruns that code may cost on average that changed and is as good as before.
const PATIENCE: f64 = 5.0;

/// The part of the effort that is the first rerun; the others follow from it.
const FIRST_RERUNS: f64 = 0.5;

impl GuardTerms {
    fn check(&self) -> Result<(), NoGuard> {
        let is_rate = |rate: f64| rate > 0.0 && rate < 1.0;
        if self.effort.is_nan() || self.effort <= 0.0 {
            Err(NoGuard::NoEffort)
        } else if !is_rate(self.race) || !is_rate(self.strays) {
            Err(NoGuard::NoBudget)
        } else {
            Ok(())
        }
    }

    /// What a race of this rate may spend.
    fn promise(&self, rate: f64) -> RacePromise {
        RacePromise {
            rate,
            assurance: self.assurance,
        }
    }

    /// The samples above the guard's place in the order.
    fn rank(&self, n: u32) -> u32 {
        let part = match self.settling {
            Settling::Replay => self.effort,
            Settling::Reruns => FIRST_RERUNS * self.effort,
        };
        let rank = (part * f64::from(n + 1)).round() - 1.0;
        rank.clamp(0.0, f64::from(n.saturating_sub(1))) as u32
    }

    /// The shift that scores look for, in standard deviations. What must be quick looks for larger ones, and so does what
    /// few samples are known of.
    fn tilt(&self, n: u32) -> f64 {
        let many = match self.settling {
            Settling::Replay => 1.0,
            Settling::Reruns => 1.4,
        };
        many + 15.0 / f64::from(n.max(1))
    }

    /// The race for so many samples beyond each cut.
    fn design(&self, above: &[u32], n: u32) -> Result<Design, NoGuard> {
        let entered = f64::from(self.rank(n) + 1) / f64::from(n + 1);
        let allowed = match self.settling {
            Settling::Replay => (1.0, PATIENCE),
            Settling::Reruns => (entered, self.effort),
        };
        let design = Design::choose(above, n, self.promise(self.race), self.tilt(n), allowed);
        design.filter(|_| n >= FEWEST).ok_or_else(|| too_few(n))
    }

    /// Expected extra runs per run: what enters a race of reruns, or is replayed.
    fn extra_runs(&self, design: &Design, entered: f64) -> f64 {
        match self.settling {
            Settling::Replay => entered,
            Settling::Reruns => design.reruns,
        }
    }
}

impl Design {
    /// The race, with these cuts.
    fn race(self, cuts: Vec<Cut>, most: u32) -> Result<Race, NoGuard> {
        // What was laid out for these cuts goes with them.
        Race::new(cuts, self.scores, (self.clear, self.fail), most).map_err(|_| NoGuard::NoBudget)
    }
}

impl Guard {
    /// The guard of one side. `end` is the end of the domain, seen as an upper end like the samples.
    pub(crate) fn learn(
        samples: &Oriented,
        ties: &Ties,
        terms: &GuardTerms,
        end: Option<f64>,
    ) -> Result<Guard, NoGuard> {
        terms.check()?;
        let n = samples.len() as u32;
        let cuts = cuts(samples, ties, end)?;
        let above: Vec<u32> = cuts.iter().map(|cut| cut.above).collect();
        let design = terms.design(&above, n)?;
        let (first, last) = (cuts[0], cuts[cuts.len() - 1]);
        let rank = terms.rank(n) as usize;
        // Where that value is not finite, or at the end of the domain, a doubt begins at the cut that is next to it.
        let bound = match samples.nth_largest(rank) {
            Ok(bound) => ties.representative(bound).min(last.value),
            Err(_) if rank < samples.unbounded.len() => last.value,
            Err(_) => first.value,
        };
        // What its score clears at once is in no doubt.
        let cleared = design.scores.iter().position(|score| *score > design.clear);
        let bound = match cleared.and_then(|cell| cell.checked_sub(1)) {
            Some(cut) => bound.max(cuts[cut].value),
            None => bound,
        };
        let entered = f64::from(samples.count_above(bound) + 1) / f64::from(n + 1);
        let strays = strays::race(last, n, terms.promise(terms.strays), terms.most_reruns);
        let of_strays = strays
            .as_ref()
            .map_or(0.0, |race| strays::expected_reruns(race, n));
        let extra_runs = terms.extra_runs(&design, entered);
        let reruns = of_strays
            + match terms.settling {
                Settling::Replay => 0.0,
                Settling::Reruns => extra_runs,
            };
        Ok(Guard {
            bound,
            race: design.race(cuts, terms.most_reruns)?,
            strays,
            extra_runs: extra_runs + of_strays,
            reruns,
        })
    }

    /// The same guard with bounds and cuts that are changed one by one, such as rounded.
    pub fn map_bounds(&self, change: impl Fn(f64) -> f64) -> Guard {
        Guard {
            bound: change(self.bound),
            race: self.race.map_cuts(&change),
            strays: self.strays.as_ref().map(|race| race.map_cuts(&change)),
            ..*self
        }
    }
}

impl GuardPlan {
    /// The guard that n samples without ties will give each side of a site. Sites of the test have nothing to do with
    /// each other.
    #[inline]
    pub fn choose(n: u32, question: &Question) -> Result<GuardPlan, NoGuard> {
        let terms = question.guard_terms();
        terms.check()?;
        let mut above: Vec<u32> = SHARES.map(|share| (share * f64::from(n)) as u32).to_vec();
        above.dedup();
        let design = terms.design(&above, n)?;
        let rank = terms.rank(n);
        let entered = f64::from(rank + 1) / f64::from(n + 1);
        let extra_runs = terms.extra_runs(&design, entered);
        // A replay for the sake of any site is one for all.
        let elsewhere = match terms.settling {
            Settling::Replay => 1.0 - (1.0 - entered).powi(question.together as i32 - 1),
            Settling::Reruns => 0.0,
        };
        // Where the cuts will be nobody knows yet, and power does not depend on it.
        let cuts = above.into_iter().map(|above| Cut { value: 0.0, above });
        let race = design.race(cuts.collect(), terms.most_reruns)?;
        Ok(GuardPlan {
            rank,
            power: POWER_SHIFTS.map(|shift| race.power(n, (entered, elsewhere), shift)),
            extra_runs,
        })
    }
}

/// Order statistics that are finite and leave room beyond them, each once, going outward.
fn cuts(samples: &Oriented, ties: &Ties, end: Option<f64>) -> Result<Vec<Cut>, NoGuard> {
    let n = samples.len();
    let mut cuts: Vec<Cut> = Vec::with_capacity(SHARES.len());
    let mut at_end = false;
    for share in SHARES {
        let Ok(value) = samples.nth_largest((share * n as f64) as usize) else {
            continue;
        };
        let value = ties.representative(value);
        let above = samples.count_above(value);
        if end.is_some_and(|end| value >= end) {
            at_end = true;
        } else if cuts.last().is_none_or(|last| last.above > above) {
            cuts.push(Cut { value, above });
        }
    }
    match end {
        _ if n == 0 => Err(too_few(0)),
        Some(end) if cuts.is_empty() && at_end => Err(NoGuard::Vacuous { end }),
        _ if cuts.is_empty() => Err(NoGuard::NotFinite {
            which: samples.not_finite(),
            runs: n,
        }),
        _ => Ok(cuts),
    }
}

/// Fewer runs than this do not tell what is common.
const FEWEST: u32 = 10;

/// Ties may ask for more runs than the fewest.
fn too_few(n: u32) -> NoGuard {
    NoGuard::TooFewRuns {
        runs: n as usize,
        needed: FEWEST.max(2 * n) as usize,
    }
}

#[cfg(test)]
mod tests;
