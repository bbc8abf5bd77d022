//! When a test has been rerun often enough to judge it (FLASH: Dutta et al. 2020;
//! docs/design/search.md, "When a search may stop").
//!
//! Geweke's z compares the mean of the first values with that of the last. Where runs are independent there is nothing
//! to converge, so z is small by chance and soon: the published rule ends after some fifty runs, and a test that fails
//! in 2 % of its runs has then failed at all in 56 % of the cases. So here z is necessary and not sufficient: the runs
//! must also be enough to have caught what is to be caught.

mod series;
mod tight;

use crate::bound::declared::clopper_pearson;
use crate::calibration::run_log::RunLog;
use crate::calibration::{PushError, SiteId};
use crate::sample::Extremes;
use crate::search::geweke::{Yardstick, geweke};
use crate::sorted::SortedSet;

pub use series::Limits;
use series::{Series, series};
pub use tight::Tight;

/// When to stop.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StopRule {
    /// Runs to begin with.
    pub first: u32,
    /// Runs to add at a time.
    pub step: u32,
    /// Runs to end with at the latest.
    pub most: u32,
    /// The largest |z| that counts as converged.
    pub threshold: f64,
    /// What z is measured in.
    pub yardstick: Yardstick,
    /// What must be known before convergence ends a test; `None` for the published rule.
    pub assurance: Option<Assurance>,
}

/// What must be known of the failure rate before convergence ends a test. Either is enough.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Assurance {
    /// The 99 % upper limit of the failure rate (Clopper & Pearson 1934) is at most this.
    pub catch: f64,
    /// No run failed, and the fitted tails' upper limits at the declared bounds add up to at most this.
    ///
    /// This rests on the tail being regular: it ends early where values stay far from their bounds, and says nothing of
    /// a rare second mode or of panics. A test that fails in 2 % of its runs through such a mode is then found in two
    /// cases of three only, so the default does without.
    pub tail: Option<f64>,
}

impl Default for Assurance {
    fn default() -> Self {
        Assurance {
            catch: 0.02,
            tail: None,
        }
    }
}

impl Assurance {
    /// Ends early for values far from their bounds, on the word of their tail.
    pub const EARLY: Assurance = Assurance {
        catch: 0.02,
        tail: Some(1e-4),
    };
}

impl Default for StopRule {
    fn default() -> Self {
        StopRule {
            assurance: Some(Assurance::default()),
            ..StopRule::PUBLISHED
        }
    }
}

impl StopRule {
    /// The published rule: |z| under its threshold ends a test.
    pub const PUBLISHED: StopRule = StopRule {
        first: 30,
        step: 10,
        most: 500,
        threshold: 1.0,
        yardstick: Yardstick::StandardErrors,
        assurance: None,
    };
}

/// What one run showed.
#[derive(Debug, Clone, PartialEq)]
pub struct WatchedRun {
    /// The index of the run, which decides its seed.
    pub index: u32,
    /// Whether the run failed, for whatever reason.
    pub failed: bool,
    /// Every hit of a site: its id, its bounds, and the value.
    pub hits: Vec<(SiteId, Limits, f64)>,
}

/// What to do next.
#[derive(Debug, Clone, PartialEq)]
pub enum WatchStep {
    /// Run the test this many times more, with the indices of [`ConvergenceWatch::wanted`].
    Collect(u32),
    /// Nothing more is needed.
    Done(WatchedTest),
}

/// The result of watching a test.
#[derive(Debug, Clone, PartialEq)]
pub struct WatchedTest {
    /// Runs that the result rests on: 0 to `runs` − 1, but for those that were set aside.
    pub runs: u32,
    /// Those of them that failed.
    pub failed: Vec<u32>,
    /// The 95 % interval of the failure rate (Clopper & Pearson 1934).
    pub interval: (f64, f64),
    /// Why there are no more.
    pub end: ConvergenceEnd,
    /// Geweke's z of each site, where it has one: the larger of its sides.
    pub z: Vec<(SiteId, Option<f64>)>,
}

/// Why no more runs are needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConvergenceEnd {
    /// Converged by the published rule, which asks no more.
    Converged,
    /// Every run hits every site with the same value, and all ended alike: by a rule that takes thirty equal runs for a
    /// constant.
    Constant,
    /// Every run failed, as many as there are to begin with.
    AlwaysFailed,
    /// Converged, and the failure rate is known to be under the one to catch.
    RareFailures,
    /// Converged, and the bounds are far out in the fitted tails.
    RareTail,
    /// The largest number of runs is reached.
    MostRuns,
    /// The time is up.
    OutOfTime,
}

/// A test being watched.
#[derive(Debug, Clone)]
pub struct ConvergenceWatch {
    rule: StopRule,
    tight: Option<Tight>,
    /// Why the rule ended, while bounds are still to become tight.
    ended: Option<ConvergenceEnd>,
    aside: SortedSet<u32>,
    log: RunLog<Limits>,
}

impl ConvergenceWatch {
    /// A watch that has seen nothing yet.
    pub fn new(rule: StopRule) -> Self {
        ConvergenceWatch {
            rule,
            tight: None,
            ended: None,
            aside: SortedSet::new(),
            log: RunLog::new(rule.first, rule.most),
        }
    }

    /// A watch that goes on after its rule has ended, until bounds could be tight.
    pub fn until_tight(self, tight: Tight) -> Self {
        ConvergenceWatch {
            tight: Some(tight),
            ..self
        }
    }

    /// Takes note of a run that was made and that says nothing of the others: it counts for nothing.
    pub fn set_aside(&mut self, run: u32) -> Result<(), PushError> {
        self.log.push(run, false, &[])?;
        self.aside.insert(run);
        Ok(())
    }

    /// Takes what a run showed.
    pub fn push(&mut self, run: &WatchedRun) -> Result<(), PushError> {
        self.log.push(run.index, run.failed, &run.hits)
    }

    /// The time is up: the next step is [`WatchStep::Done`], from the runs that are complete.
    pub fn out_of_time(&mut self) {
        self.log.out_of_time();
    }

    /// The runs that are still missing, in ascending order.
    pub fn wanted(&self) -> impl Iterator<Item = u32> {
        self.log.wanted()
    }

    /// What to do next.
    pub fn step(&mut self) -> WatchStep {
        loop {
            let runs = match self.log.to_judge() {
                Ok(runs) => runs,
                Err(missing) => return WatchStep::Collect(missing),
            };
            if self.wanted().next().is_some() {
                return self.done(runs, ConvergenceEnd::OutOfTime);
            }
            let most = (runs >= self.rule.most).then_some(ConvergenceEnd::MostRuns);
            if let Some(end) = self.ended.or_else(|| self.end(runs)).or(most) {
                self.ended = Some(end);
                let target = self.tight.and_then(|tight| self.tighter(tight, runs));
                if !target.is_some_and(|target| self.log.go_on(target)) {
                    return self.done(runs, end);
                }
                continue;
            }
            let next = runs.saturating_add(self.rule.step.max(1));
            if !self.log.go_on(next.min(self.rule.most)) {
                return self.done(runs, ConvergenceEnd::OutOfTime);
            }
        }
    }

    /// How many of the first `runs` runs count.
    fn counted(&self, runs: u32) -> u32 {
        runs - self.aside.below(&runs).len() as u32
    }

    /// The sites that the first `runs` runs hit, side by side.
    fn sites(&self, runs: u32) -> impl Iterator<Item = Vec<Series>> {
        let sites = self.log.sites(runs);
        sites.map(|(_, limits, hits)| series(*limits, hits))
    }

    /// The number of runs to go on to, so that bounds could be tight; `None` if there are enough.
    fn tighter(&self, tight: Tight, runs: u32) -> Option<u32> {
        let bounded: Vec<Series> = self
            .sites(runs)
            .flatten()
            .filter(|series| series.bound.is_some())
            .collect();
        let risky = |series: &Series| !series.stays_within(tight.rate, self.counted(runs));
        if self.log.failed(runs).is_empty() && !bounded.iter().any(risky) {
            return None;
        }
        tight.target(&bounded, runs)
    }

    fn done(&self, runs: u32, end: ConvergenceEnd) -> WatchStep {
        let failed = self.log.failed(runs);
        let z = |(id, limits, hits): (&SiteId, &Limits, &[(u32, Extremes)])| {
            let z = self.largest_z(&series(*limits, hits));
            (id.to_owned(), z)
        };
        WatchStep::Done(WatchedTest {
            runs,
            interval: clopper_pearson(failed.len(), self.counted(runs) as usize, 0.95),
            failed,
            end,
            z: self.log.sites(runs).map(z).collect(),
        })
    }

    /// Whether the first `runs` runs are enough, and why.
    fn end(&self, runs: u32) -> Option<ConvergenceEnd> {
        let failures = self.log.failed(runs).len();
        let counted = self.counted(runs);
        let alike = failures == 0 || failures == counted as usize;
        // The upper end of the two-sided 98 % interval is the one-sided 99 % limit.
        let upper_limit = clopper_pearson(failures, counted as usize, 0.98).1;
        let rare = |assurance: Assurance| upper_limit <= assurance.catch;
        if !alike && !self.rule.assurance.is_none_or(rare) {
            return None;
        }
        // A test that always fails needs no search, whatever its values; one run may have been set aside.
        let always = alike && failures > 0 && counted.saturating_add(1) >= self.rule.first;
        if always && self.rule.assurance.is_some() {
            return Some(ConvergenceEnd::AlwaysFailed);
        }
        let sites: Vec<Vec<Series>> = self.sites(runs).collect();
        let all = || sites.iter().flatten();
        // A value that is rarely another one looks constant for long: 0.98³⁰ is more than a half. Where the failure rate
        // is to be known, equal values are not enough.
        let trusting = self
            .rule
            .assurance
            .is_none_or(|assurance| assurance.tail.is_some());
        let constant = |series: &Series| series.is_constant(counted);
        if alike && trusting && !sites.is_empty() && all().all(constant) {
            return Some(ConvergenceEnd::Constant);
        }
        let converged = |site: &Vec<Series>| {
            self.largest_z(site)
                .is_some_and(|z| z.abs() <= self.rule.threshold)
        };
        if !sites.iter().all(converged) {
            return None;
        }
        let Some(assurance) = self.rule.assurance else {
            return Some(ConvergenceEnd::Converged);
        };
        if rare(assurance) {
            return Some(ConvergenceEnd::RareFailures);
        }
        let bounded = all().filter(|series| series.bound.is_some()).count();
        let rate = assurance.tail? / bounded.max(1) as f64;
        let far_out = || all().all(|series| series.stays_within(rate, counted));
        (failures == 0 && bounded > 0 && far_out()).then_some(ConvergenceEnd::RareTail)
    }

    /// The z of the side that is farther from having converged; `None` if one cannot be had.
    fn largest_z(&self, site: &[Series]) -> Option<f64> {
        site.iter().try_fold(0.0, |largest: f64, series| {
            let values: Vec<f64> = series.hits.iter().map(|(_, value)| *value).collect();
            let z = geweke(&values, self.rule.yardstick)?;
            Some(if z.abs() > largest.abs() { z } else { largest })
        })
    }
}

#[cfg(test)]
mod tests;
