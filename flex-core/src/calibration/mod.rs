//! Calibration as a state machine without IO (docs/design/bound.md, "Calibration").
//!
//! A harness runs the test, pushes what each run showed, and asks what to do next: [`Step::Collect`] or
//! [`Step::Done`]. Runs carry their index, and every decision looks at the runs 0 to n − 1 for some n, never at the
//! order in which they came. So runs may be spread over processes and machines and merged in any order.

mod learn;
mod power;
pub(crate) mod run_log;
mod samples;
mod site;

use crate::bound::ceiling::is_loose;
use crate::bound::confidence::{Confidence, DEFAULT_EFFORT, Share, ShareError, divide};
use crate::bound::guard::{NoGuard, Settling};
use crate::bound::power::Power;
use crate::bound::{LearnedBound, MOST_RERUNS};
use crate::sample::{Extremes, QUANTILES, Samples};
use crate::sequential::{Held, LearnError};
use crate::sorted::{SortedMap, SortedSet};
pub use run_log::PushError;
use run_log::{LoggedSite, RunLog};
use samples::SiteSamples;
pub use site::{About, SiteId, SiteSpec};

/// How a calibration grows when it needs more runs.
pub(crate) const GROWTH: f64 = 1.3;

/// How a test is to be calibrated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CalibrationPlan {
    /// The confidence of the test as a whole.
    pub confidence: Confidence,
    /// Expected extra runs per run that the test's races may cost.
    pub effort: f64,
    /// Runs to begin with.
    pub min_runs: u32,
    /// Runs to end with at the latest.
    pub max_runs: u32,
    /// Go on until the ceilings are tight.
    pub tight: bool,
    /// Learn from no run that failed by itself: the test is given further attempts in place of those.
    pub only_passed: bool,
    /// A calibration run is replayed in every run of the test, whether or not a value is in doubt.
    pub replays_always: bool,
    /// The most reruns of a race.
    pub most_reruns: u32,
}

impl Default for CalibrationPlan {
    fn default() -> Self {
        CalibrationPlan {
            confidence: Confidence::DEFAULT,
            effort: DEFAULT_EFFORT,
            min_runs: 100,
            max_runs: 3000,
            tight: false,
            only_passed: false,
            replays_always: false,
            most_reruns: MOST_RERUNS,
        }
    }
}

/// What one run showed.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// The index of the run, which decides its seed.
    pub index: u32,
    /// Whether the run ended in a panic. What it showed before that counts.
    pub panicked: bool,
    /// Every hit of a learned site: its id, what the source says of it, and the value.
    pub hits: Vec<(SiteId, SiteSpec, f64)>,
}

/// What to do next.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Run the test this many times more, with the indices of [`Calibration::wanted`].
    Collect(u32),
    /// Nothing more is needed.
    Done(Calibrated),
}

/// The result of a calibration.
#[derive(Debug, Clone, PartialEq)]
pub struct Calibrated {
    /// Runs that the result rests on: 0 to `runs` − 1.
    pub runs: u32,
    /// Those of them that panicked.
    pub panics: Vec<u32>,
    /// The sites by id.
    pub sites: Vec<CalibratedSite>,
    /// Expected extra runs per run of unchanged code: replays and reruns of all sites together.
    pub extra_runs: f64,
}

/// The result for one site.
#[derive(Debug, Clone, PartialEq)]
pub struct CalibratedSite {
    /// The site's id.
    pub id: SiteId,
    /// What the source says of it.
    pub spec: SiteSpec,
    /// What it may spend.
    pub share: Share,
    /// Runs that neither hit the site nor panicked.
    pub missed: u32,
    /// Values of earlier runs that its ceilings rest on too.
    pub earlier: u32,
    /// How values beyond its guards are settled.
    pub settling: Settling,
    /// What was learned for the values of each run; no sides, if the bound is for a mean or a rate.
    pub bound: LearnedBound,
    /// What was learned for a mean or a rate.
    pub held: Option<Result<Held, LearnError>>,
    /// How often its values are looked at though they are in no doubt, because another site of the test is.
    pub looked_at: f64,
    /// What its bounds catch, side by side; `None` where there is no guard, or nothing varies.
    pub power: Vec<Option<Power>>,
    /// What was seen, side by side: of several hits in a run the most extreme one.
    pub samples: Vec<Samples>,
    /// The shape of the last side's samples, for comparison with later calibrations; `None` if none is finite.
    pub quantiles: Option<[f64; QUANTILES.len()]>,
}

/// A calibration under way.
#[derive(Debug, Clone)]
pub struct Calibration {
    plan: CalibrationPlan,
    suite: Option<SuiteShares>,
    /// Sites whose values do not depend on the seed alone.
    uncontrolled: SortedSet<SiteId>,
    /// The confidences that claims state which share the test's with the sites.
    claims: Vec<Option<Confidence>>,
    /// What sites saw in earlier runs of the same code.
    earlier: SortedMap<SiteId, Vec<Extremes>>,
    log: RunLog<SiteSpec>,
}

/// What the sites of a test may spend of the budget of a suite, instead of a share of the test's own confidence.
#[derive(Debug, Clone, PartialEq)]
pub struct SuiteShares {
    /// What sites have, by id.
    pub known: SortedMap<SiteId, Confidence>,
    /// What all others get together: those that nobody knew of when the budget was shared out.
    pub late: Confidence,
}

impl SuiteShares {
    /// What each of these sites may spend; together they may cause this many extra runs.
    fn divide(&self, sites: &[LoggedSite<'_, SiteSpec>], effort: f64) -> Vec<Share> {
        let known = |(id, spec, _): &LoggedSite<'_, SiteSpec>| {
            spec.confidence.or(self.known.get(id).copied())
        };
        let late = sites.iter().filter(|site| known(site).is_none()).count();
        // Without a late site nobody gets this.
        let each = Confidence::from_rate(self.late.false_alarm_rate() / late.max(1) as f64);
        let each = each.unwrap_or(self.late);
        let share = |site| Share {
            confidence: known(site).unwrap_or(each),
            effort: effort / sites.len() as f64,
        };
        sites.iter().map(share).collect()
    }
}

impl CalibratedSite {
    /// The samples that stand for the site: those of its only side, or the greatest of each run.
    pub fn shown(&self) -> &Samples {
        &self.samples[self.samples.len() - 1]
    }
}

impl Calibration {
    /// A calibration that has seen nothing yet.
    pub fn new(plan: CalibrationPlan) -> Self {
        Calibration {
            plan,
            suite: None,
            uncontrolled: SortedSet::new(),
            claims: Vec::new(),
            earlier: SortedMap::new(),
            log: RunLog::new(plan.min_runs, plan.max_runs),
        }
    }

    /// A calibration whose sites spend the budget of a suite; the plan's confidence is not looked at.
    pub fn in_suite(plan: CalibrationPlan, shares: SuiteShares) -> Self {
        Calibration {
            suite: Some(shares),
            ..Calibration::new(plan)
        }
    }

    /// Takes what a run showed.
    pub fn push(&mut self, run: &Run) -> Result<(), PushError> {
        match self.is_left_out(run.panicked) {
            true => self.log.push_folded(run.index, true, &[]),
            false => self.log.push(run.index, run.panicked, &run.hits),
        }
    }

    /// Takes what a run showed whose hits are folded already: at most one a site.
    pub fn push_folded(
        &mut self,
        index: u32,
        panicked: bool,
        hits: &[(&SiteId, SiteSpec, Extremes)],
    ) -> Result<(), PushError> {
        let hits = match self.is_left_out(panicked) {
            true => &[],
            false => hits,
        };
        self.log.push_folded(index, panicked, hits)
    }

    fn is_left_out(&self, panicked: bool) -> bool {
        panicked && self.plan.only_passed
    }

    /// Values of these sites do not depend on the seed alone, so that no replay can clear them. From now on all steps
    /// take that into account, also a [`Step::Done`] that is asked for again.
    pub fn set_uncontrolled(&mut self, sites: impl IntoIterator<Item = SiteId>) {
        for site in sites {
            self.uncontrolled.insert(site);
        }
    }

    /// Claims about all runs share the test's confidence with the sites, though nothing is learned for them: for each, the
    /// confidence that it states itself, if it does.
    pub fn set_claims(&mut self, claims: Vec<Option<Confidence>>) {
        self.claims = claims;
    }

    /// What a site saw in earlier runs of the same code, which no value chose: its ceilings rest on that too from now on, also
    /// in a [`Step::Done`] that is asked for again (docs/design/drift.md, "Pooling").
    #[inline]
    pub fn set_earlier(&mut self, site: SiteId, values: Vec<Extremes>) {
        self.earlier.insert(site, values);
    }

    /// What each site has shown so far, in the order of the runs.
    pub fn samples(&self) -> impl Iterator<Item = (&SiteId, &[(u32, Extremes)])> {
        self.log.sites(u32::MAX).map(|(id, _, hits)| (id, hits))
    }

    /// The time is up: the next step is [`Step::Done`], from the runs that are complete.
    pub fn out_of_time(&mut self) {
        self.log.out_of_time();
    }

    /// The runs that are still missing, in ascending order.
    pub fn wanted(&self) -> impl Iterator<Item = u32> {
        self.log.wanted()
    }

    /// How many runs there are without a gap, from the first.
    #[inline]
    pub fn complete(&self) -> u32 {
        self.log.complete()
    }

    /// What the first `runs` runs alone would teach, for those who watch; nothing is decided by it.
    #[inline]
    pub fn learned_from(&self, runs: u32) -> Result<Calibrated, ShareError> {
        self.calibrate(runs.min(self.complete()))
    }

    /// What to do next.
    pub fn step(&mut self) -> Result<Step, ShareError> {
        loop {
            let runs = match self.log.to_judge() {
                Ok(runs) => runs,
                Err(missing) => return Ok(Step::Collect(missing)),
            };
            let calibrated = self.calibrate(runs)?;
            let target = self.enough(&calibrated);
            if !self.log.go_on(target) {
                return Ok(Step::Done(calibrated));
            }
        }
    }

    /// The result of the first `runs` runs.
    fn calibrate(&self, runs: u32) -> Result<Calibrated, ShareError> {
        let panics = self.log.failed(runs);
        let reached: Vec<_> = self.log.sites(runs).collect();
        let shares = match &self.suite {
            None => {
                let own = reached.iter().map(|(_, spec, _)| spec.confidence);
                let own: Vec<Option<Confidence>> = own.chain(self.claims.iter().copied()).collect();
                divide(self.plan.confidence, self.plan.effort, &own)?
            }
            Some(suite) => suite.divide(&reached, self.plan.effort),
        };
        let mut sites = Vec::new();
        for ((id, spec, hits), share) in reached.into_iter().zip(shares) {
            let is_hit = |run: &&u32| hits.binary_search_by_key(*run, |hit| hit.0).is_ok();
            let panicked_before = panics.len() - panics.iter().filter(is_hit).count();
            sites.push(SiteSamples {
                id,
                spec: *spec,
                hits,
                share,
                missed: runs - (hits.len() + panicked_before) as u32,
                earlier: self.earlier.get(id).map_or(&[], Vec::as_slice),
                settling: match self.uncontrolled.contains(id) {
                    true => Settling::Reruns,
                    false => Settling::Replay,
                },
            });
        }
        let (sites, extra_runs) = learn::learn(&sites, runs, &self.plan, self.suite.is_some());
        Ok(Calibrated {
            runs,
            panics,
            sites,
            extra_runs,
        })
    }

    /// The number of runs that the result asks for and may have.
    fn enough(&self, calibrated: &Calibrated) -> u32 {
        let runs = f64::from(calibrated.runs);
        let mut target = runs;
        for site in &calibrated.sites {
            let wants_more = match &site.held {
                Some(Ok(held)) => held.is_loose,
                Some(Err(error)) => matches!(error, LearnError::TooFew(_)),
                None => false,
            };
            if wants_more {
                target = target.max((runs * GROWTH).ceil());
            }
            for side in &site.bound.sides {
                if let Err(NoGuard::TooFewRuns { runs: hits, needed }) = side.guard {
                    // A site that only some runs reach needs more of them.
                    let needed = (runs * needed as f64 / hits.max(1) as f64).ceil();
                    if needed <= f64::from(self.plan.max_runs) {
                        target = target.max(needed.max(runs + 1.0));
                    }
                }
                if self.plan.tight && is_loose(&side.ceiling, side.median) {
                    target = target.max((runs * GROWTH).ceil());
                }
            }
        }
        target.min(f64::from(self.plan.max_runs)) as u32
    }
}

#[cfg(test)]
mod tests;
