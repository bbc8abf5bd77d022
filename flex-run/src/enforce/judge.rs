//! Judging one run: every site that was hit is held against its entry, and every entry against what was hit.

use flex_bounds::file::{BoundsFile, Entry, Learned, Reached};
use flex_core::bound::confidence::Confidence;
use flex_core::sample::Extremes;

use super::doubt::{Doubt, Watched};
use super::mismatch::Mismatch;
use super::problem::{Judged, Problem, ProblemCause};
use crate::decide::Allowance;
use crate::model::{Asks, Comparison, RunRecord, Site, SiteId, SiteSpec, Test, value_on};
use crate::project::env::Settings;

/// The entries of a test, and what its source says.
pub(crate) struct TestBounds<'a> {
    pub test: &'a Test,
    pub entries: &'a BoundsFile,
    pub variant: Option<&'a str>,
}

impl<'a> TestBounds<'a> {
    /// The entry that a site is judged by.
    pub fn entry(&self, site: &SiteId) -> Option<&'a Entry> {
        self.applicable().find(|entry| entry.key.site == *site)
    }

    /// The entries that hold for this variant.
    fn applicable(&self) -> impl Iterator<Item = &'a Entry> {
        self.entries.holding(self.variant)
    }

    /// Whether an entry was learned from another version of the test.
    pub fn is_stale(&self) -> bool {
        self.applicable().any(|entry| {
            let known = entry.fingerprint.as_deref();
            known.is_some_and(|known| known != self.test.fingerprint)
        })
    }

    /// Whether a site has a bound, and one for what the source asks of it now.
    pub fn fits(&self, site: &Site, spec: &SiteSpec, sites: &[Site]) -> bool {
        let refused = |entry: &Entry| {
            let mut sides = entry.sides.iter();
            sides.any(|(_, learned)| matches!(learned, Learned::Refuse { .. }))
        };
        self.entry(&site.id).is_some_and(|entry| {
            !refused(entry)
                && Mismatch::between(entry, spec).is_none()
                && self.shares(sites).is_none()
        })
    }

    /// Judges the first run.
    pub(super) fn judge(
        &self,
        sites: &[Site],
        record: &RunRecord,
        settings: &Settings,
    ) -> FirstRun {
        let mut judged = FirstRun {
            problems: declared_problems(sites, record),
            ..FirstRun::default()
        };
        let shares = self.shares(sites);
        for (index, site) in sites.iter().enumerate() {
            let (Some(spec), Some(hit)) = (site.learns(), record.hit(index)) else {
                continue;
            };
            let entry = self.entry(&site.id);
            let problem = |cause| Problem {
                message: hit.message.clone(),
                entry: entry.cloned(),
                ..Problem::of(site, cause)
            };
            let entry = match entry {
                None => Err(Mismatch::NoEntry),
                Some(entry) if entry.unenforced => continue,
                Some(entry) => match Mismatch::between(entry, &spec).or(shares.clone()) {
                    None => Ok(entry),
                    Some(why) => Err(why),
                },
            };
            match entry {
                Ok(entry) => self.judge_site((index, hit.extremes), entry, &problem, &mut judged),
                Err(why) if settings.uncalibrated_fails => {
                    judged
                        .problems
                        .push(problem(ProblemCause::Uncalibrated(why)));
                }
                Err(why) => judged
                    .warnings
                    .push(problem(ProblemCause::Uncalibrated(why))),
            }
        }
        let is_stale = self.is_stale();
        for entry in self.applicable() {
            let hit = |(index, site): (usize, &Site)| {
                site.is_learned() && site.id == entry.key.site && record.hit(index).is_some()
            };
            let reached = sites.iter().enumerate().any(hit);
            // A test whose assertions were rewritten has sites that nobody calibrated and entries that nobody hits.
            let rewritten = is_stale && !judged.all_calibrated();
            if entry.reached == Reached::Always && !entry.unenforced && !reached && !rewritten {
                judged.missed.push(Doubt::missed(entry));
            }
        }
        judged
    }

    /// Judges a site by an entry that fits.
    fn judge_site(
        &self,
        (index, extremes): (usize, Extremes),
        entry: &Entry,
        problem: &dyn Fn(ProblemCause) -> Problem,
        judged: &mut FirstRun,
    ) {
        for (side, learned) in entry.sides.iter() {
            let value = value_on(side, extremes);
            if let Learned::Refuse { reason } = learned {
                judged
                    .problems
                    .push(problem(ProblemCause::Refused(reason.clone())));
                continue;
            }
            let held = |bound: f64| Judged { side, value, bound };
            // Calibration refuses a site that shows such a value even once. A race, which clears what is rare, would let it pass.
            let guard = learned.guard().map(|guard| guard.bound);
            if let Some(bound) = learned.ceiling().or(guard)
                && held(side.orient(f64::MAX)).is_beyond()
                && !accepts_all_values(entry)
            {
                let found = ProblemCause::NotFinite(held(bound));
                judged.problems.push(problem(found));
                continue;
            }
            if let Some(beyond) = learned.ceiling().map(held).filter(Judged::is_beyond) {
                let found = problem(ProblemCause::Ceiling(beyond));
                if !self.test.options.ceiling_warns() {
                    judged.problems.push(found);
                    continue;
                }
                judged.warnings.push(found);
            }
            if let Some(guard) = learned.guard() {
                judged.watched.push(Watched {
                    site: index,
                    side,
                    value,
                    guard: guard.clone(),
                    problem: problem(ProblemCause::Unconfirmed(held(guard.bound))),
                });
            }
        }
    }

    /// What the entries of the test leave for claims, which have none.
    pub fn left_for_claims(&self) -> Allowance {
        let (budget, is_shared) = match (self.test.options.confidence, self.test.suite) {
            (None, Some(suite)) => (suite.rate(), false),
            (stated, _) => (1.0 - stated.unwrap_or(Confidence::DEFAULT.value()), true),
        };
        let left = budget - self.spent();
        // What calibration leaves is a share like any other, not the dust of rounding.
        let rate = if left > 1e-6 * budget { left } else { 0.0 };
        Allowance { rate, is_shared }
    }

    /// The entries that hold means and rates, if what they spend is what the test has.
    pub fn held(&self, sites: &[Site]) -> Vec<Entry> {
        let is_held = |entry: &&Entry| entry.family().is_some() && !entry.unenforced;
        match self.shares(sites) {
            Some(_) => Vec::new(),
            None => self.applicable().filter(is_held).cloned().collect(),
        }
    }

    /// The false-alarm rate that the entries of the test spend.
    fn spent(&self) -> f64 {
        let rates = self.applicable();
        let rates = rates.map(|entry| entry.confidence.false_alarm_rate());
        rates.sum()
    }

    /// Says so if the shares of the entries do not add up to what the test may spend now.
    fn shares(&self, sites: &[Site]) -> Option<Mismatch> {
        let spent = self.spent();
        let confidence = match (self.test.options.confidence, self.test.suite) {
            // What the test spends is between it and the other tests of its suite; not all of it is for this one.
            (None, Some(suite)) if suite.allows(spent) => return None,
            (None, Some(suite)) => return Some(Mismatch::Suite(suite)),
            (stated, _) => stated.unwrap_or(Confidence::DEFAULT.value()),
        };
        let budget = 1.0 - confidence;
        // Sites with a confidence of their own may leave a part of the budget unspent; the others share all the rest, unless
        // there are claims that take it.
        let states = |site: &Site| site.learns().is_none_or(|spec| spec.confidence.is_some());
        let takes = |site: &Site| site.claim().is_some() && !site.is_learned();
        let leaves_some = sites.iter().all(states) || sites.iter().any(takes);
        let slack = 1e-6 * budget;
        let differs = spent > budget + slack || (!leaves_some && spent < budget - slack);
        differs.then_some(Mismatch::Share(confidence))
    }
}

/// Whether somebody accepted a bound for values of which some are NaN or infinite.
fn accepts_all_values(entry: &Entry) -> bool {
    entry.accepted && entry.not_finite > 0
}

/// What the first run gives reason to say, or to ask.
#[derive(Debug, Default)]
pub(super) struct FirstRun {
    pub problems: Vec<Problem>,
    pub warnings: Vec<Problem>,
    /// Every side that has a guard, in doubt or not.
    pub watched: Vec<Watched>,
    /// Sites that were not reached and should have been.
    pub missed: Vec<Doubt>,
}

impl FirstRun {
    fn all_calibrated(&self) -> bool {
        let all = self.problems.iter().chain(&self.warnings);
        let mut causes = all.map(|problem| &problem.cause);
        !causes.any(|cause| matches!(cause, ProblemCause::Uncalibrated(_)))
    }
}

/// What no learned bound decides: declared bounds that were broken, values that cannot be compared.
pub(super) fn declared_problems(sites: &[Site], record: &RunRecord) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (index, site) in sites.iter().enumerate() {
        let hit = record.hit(index);
        let message = hit.and_then(|hit| hit.message.clone());
        let mut add = |cause| {
            problems.push(Problem {
                message: message.clone(),
                ..Problem::of(site, cause)
            });
        };
        let faults = record.faults.iter().filter(|fault| fault.site == index);
        let mut comparable = true;
        for fault in faults {
            add(ProblemCause::Incomparable(fault.what.clone()));
            comparable = false;
        }
        if let (Asks::Declared(bounds), Some(hit)) = (&site.asks, hit)
            && hit.broken > 0
            && comparable
            && !site.is_hard
        {
            add(ProblemCause::Broken {
                value: breaking(bounds, hit.extremes),
                bounds: bounds.clone(),
                is_margin: site.is_margin,
            });
        }
    }
    problems
}

/// The value that broke a bound; of several hits in one run it may be neither of the most extreme ones.
fn breaking(bounds: &[Comparison], extremes: Extremes) -> f64 {
    let values = bounds
        .iter()
        .map(|bound| (bound, value_on(bound.operator.side(), extremes)));
    let mut broken = values.filter(|(bound, value)| !bound.is_kept_by(*value));
    broken.next().map_or(extremes.greatest, |(_, value)| value)
}
