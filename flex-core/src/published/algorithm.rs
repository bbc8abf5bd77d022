//! Algorithm 1 of the published method as a state machine without IO (FLEX: Dutta, Shi & Misailovic 2021;
//! docs/design/published.md).
//!
//! 100 runs first; as long as a site has no light or exponential tail, 50 more, to 3000 at most. Runs carry their index,
//! so they may be spread and merged in any order, as in [`crate::calibration`].

use crate::bound::confidence::{Confidence, Share, ShareError, divide};
use crate::calibration::run_log::RunLog;
use crate::calibration::{PushError, Run, SiteId, SiteSpec};
use crate::sample::{Extremes, Samples};
use crate::tail::Side;

use super::{PValuesBy, Published, PublishedQuestion, ThresholdRule};

/// How a test is to be calibrated by the published method.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PublishedPlan {
    /// The confidence of the test as a whole.
    pub confidence: Confidence,
    /// Runs to begin with.
    pub first: u32,
    /// Runs to add at a time.
    pub step: u32,
    /// Runs to end with at the latest.
    pub most: u32,
    /// The rule by which thresholds are rejected.
    pub rule: ThresholdRule,
}

impl Default for PublishedPlan {
    fn default() -> Self {
        PublishedPlan {
            confidence: Confidence::DEFAULT,
            first: 100,
            step: 50,
            most: 3000,
            rule: ThresholdRule::default(),
        }
    }
}

/// What to do next.
#[derive(Debug, Clone, PartialEq)]
pub enum PublishedStep {
    /// Run the test this many times more, with the indices of [`PublishedCalibration::wanted`].
    Collect(u32),
    /// Nothing more is needed.
    Done(PublishedCalibrated),
}

/// The result of a calibration by the published method.
#[derive(Debug, Clone, PartialEq)]
pub struct PublishedCalibrated {
    /// Runs that the result rests on: 0 to `runs` − 1.
    pub runs: u32,
    /// Those of them that panicked.
    pub panics: Vec<u32>,
    /// The sites by id.
    pub sites: Vec<PublishedSite>,
}

/// The result for one site.
#[derive(Debug, Clone, PartialEq)]
pub struct PublishedSite {
    /// The site's id.
    pub id: SiteId,
    /// What the source says of it.
    pub spec: SiteSpec,
    /// What it may spend.
    pub share: Share,
    /// What the method says of each side.
    pub sides: Vec<(Side, Published)>,
}

/// A calibration under way.
#[derive(Debug, Clone)]
pub struct PublishedCalibration {
    plan: PublishedPlan,
    log: RunLog<SiteSpec>,
}

impl PublishedCalibration {
    /// A calibration that has seen nothing yet.
    pub fn new(plan: PublishedPlan) -> Self {
        PublishedCalibration {
            plan,
            log: RunLog::new(plan.first, plan.most),
        }
    }

    /// Takes what a run showed.
    pub fn push(&mut self, run: &Run) -> Result<(), PushError> {
        self.log.push(run.index, run.panicked, &run.hits)
    }

    /// The time is up: the next step is [`PublishedStep::Done`], from the runs that are complete.
    pub fn out_of_time(&mut self) {
        self.log.out_of_time();
    }

    /// The runs that are still missing, in ascending order.
    pub fn wanted(&self) -> impl Iterator<Item = u32> {
        self.log.wanted()
    }

    /// What to do next.
    pub fn step(&mut self) -> Result<PublishedStep, ShareError> {
        loop {
            let runs = match self.log.to_judge() {
                Ok(runs) => runs,
                Err(missing) => return Ok(PublishedStep::Collect(missing)),
            };
            let calibrated = self.calibrate(runs)?;
            let sides = || calibrated.sites.iter().flat_map(|site| &site.sides);
            let settled = sides().all(|(_, published)| published.rests_on_tail());
            let next = runs.saturating_add(self.plan.step.max(1));
            if settled || !self.log.go_on(next.min(self.plan.most)) {
                return Ok(PublishedStep::Done(calibrated));
            }
        }
    }

    fn calibrate(&self, runs: u32) -> Result<PublishedCalibrated, ShareError> {
        let reached: Vec<_> = self.log.sites(runs).collect();
        let own: Vec<Option<Confidence>> = reached.iter().map(|site| site.1.confidence).collect();
        let shares = divide(self.plan.confidence, 0.0, &own)?;
        let sites = reached.iter().zip(shares);
        Ok(PublishedCalibrated {
            runs,
            panics: self.log.failed(runs),
            sites: sites
                .map(|((id, spec, hits), share)| PublishedSite {
                    id: (*id).to_owned(),
                    spec: **spec,
                    share,
                    sides: learn_sides(**spec, share, hits, self.plan.rule),
                })
                .collect(),
        })
    }
}

fn learn_sides(
    spec: SiteSpec,
    share: Share,
    hits: &[(u32, Extremes)],
    rule: ThresholdRule,
) -> Vec<(Side, Published)> {
    let rate = share.per_side(spec.tail).false_alarm_rate;
    let learn = |side: &Side| {
        let values = hits.iter().map(|(run, hit)| match side {
            Side::Lower => (*run, hit.least),
            Side::Upper => (*run, hit.greatest),
        });
        let question = PublishedQuestion {
            side: *side,
            // Half of a rate that a confidence leaves is left by one, too.
            confidence: Confidence::new(1.0 - rate).unwrap_or(share.confidence),
            domain: spec.domain,
            declared: None,
            rule,
        };
        let samples = Samples::new(values);
        (
            *side,
            Published::learn(&samples, &question, PValuesBy::Table),
        )
    };
    spec.tail.sides().iter().map(learn).collect()
}
