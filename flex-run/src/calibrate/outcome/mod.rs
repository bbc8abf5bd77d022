//! What came of a calibration: made from the runs, and put into the bounds file.

mod claims;
mod learn;
mod write;

use std::fmt;

use flex_bounds::change::{Change, NewSamples, is_refused};
use flex_bounds::file::{Entry, Learned, Sides};
use flex_core::bound::ceiling::Promise;
use flex_core::bound::confidence::Confidence;
use flex_core::bound::declared::DeclaredRate;
use flex_core::bound::guard::Settling;
use flex_core::bound::power::{Enforced, Power};
use flex_core::sample::Samples;
use flex_core::search::reruns::runs_until_pass;
use flex_core::seed::{Phase, SeedRequest};
use flex_core::sequential::{Claim, Outside};
use flex_core::tail::{Domain, Side, Tail};

pub use super::checks::Uncontrolled;
use super::observed::Observed;
use super::suspicion::SuspectedBug;
use crate::model::{ClaimSpec, Test};
pub use claims::ClaimSite;
pub(super) use learn::outcome;

/// What came of the calibration of one test.
#[derive(Debug)]
pub struct TestCalibration {
    /// The test.
    pub test: Test,
    /// The base seed.
    pub base: String,
    /// Runs that it rests on.
    pub runs: u32,
    /// Runs that were asked for to begin with, if somebody did.
    pub asked: u32,
    /// Runs among them that were not made: nothing in the test varies, so that they would have shown the same.
    pub saved: u32,
    /// Processes that made them.
    pub processes: usize,
    /// The mean duration of a run.
    pub seconds_per_run: f64,
    /// The confidence of the test.
    pub confidence: Confidence,
    /// The learned sites.
    pub sites: Vec<LearnedSite>,
    /// The declared sites.
    pub declared: Vec<DeclaredSite>,
    /// Claims about all runs.
    pub claims: Vec<ClaimSite>,
    /// How runs ended, and what declared sites saw in each.
    pub observed: Observed,
    /// Runs that failed by themselves, with why.
    pub failures: Vec<(u32, String)>,
    /// No run drew a random number, and no value varied.
    pub is_deterministic: bool,
    /// What else depends on the process than learned sites, with what shows it.
    pub shared: Vec<String>,
    /// One seed gave two values.
    pub uncontrolled: Option<Uncontrolled>,
    /// What the operating system gives follows the seed.
    pub controls_entropy: bool,
    /// The time was up before there were as many runs as wanted.
    pub ran_out_of_time: bool,
    /// Sites that had an entry and were not hit any more.
    pub removed: Vec<String>,
    /// Why values of earlier runs were left out, if anybody asked for them.
    pub left_out: Option<Vec<String>>,
    /// Why the entries that there were stay as they are.
    pub kept: Option<&'static str>,
    /// Expected extra runs per run of unchanged code, of all sites together.
    pub extra_runs: f64,
    /// A calibration run is replayed in every run of the test.
    pub replays_always: bool,
    variant: Option<String>,
    accept: bool,
    /// Runs of the last calibration were replayed, and showed the same: what is kept stays as it is.
    pub is_same: bool,
    promise: Promise,
    /// What decided the seeds of the runs, besides the base.
    phase: Phase,
}

/// What was learned of a site.
#[derive(Debug)]
pub struct LearnedSite {
    /// The site, for people.
    pub name: String,
    /// Its entry.
    pub entry: Entry,
    /// The entry that there was.
    pub old: Option<Entry>,
    /// What becomes of the two.
    pub change: Change,
    /// What was seen, side by side.
    samples: Vec<Samples>,
    /// Runs that came to their end without reaching it.
    missed: u32,
    /// How often its values are looked at though they are in no doubt.
    looked_at: f64,
    /// What its new bounds catch, side by side.
    power: Vec<Option<Power>>,
    /// How values beyond its guards are settled.
    pub settling: Settling,
    /// Reruns that a race can take.
    pub most_reruns: u32,
    /// Whether its values are seconds.
    pub is_time: bool,
    /// What speaks against a bound for its values.
    pub objection: Option<Objection>,
    /// What was learned all the same.
    learned: Sides,
    /// What the source claims of all runs, if the bound is for their mean or their rate.
    claim: Option<ClaimSpec>,
}

/// What speaks against a bound, so that none is learned unless somebody accepts it.
#[derive(Debug, Clone, PartialEq)]
pub enum Objection {
    /// Values depend on the process.
    Shared(String),
    /// Values look like a bug.
    Suspected(SuspectedBug),
}

impl Objection {
    /// The runs that its words name.
    fn runs(&self) -> &[u32] {
        match self {
            Objection::Shared(_) => &[],
            Objection::Suspected(suspicion) => suspicion.named(),
        }
    }
}

impl fmt::Display for Objection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Objection::Shared(words) => f.write_str(words),
            Objection::Suspected(suspicion) => suspicion.fmt(f),
        }
    }
}

/// How often a declared bound fails.
#[derive(Debug)]
pub struct DeclaredSite {
    /// The site, for people.
    pub name: String,
    /// The runs that broke it.
    pub broken: Vec<u32>,
    /// The rate, for each end that is declared.
    pub rates: Vec<(Side, f64, DeclaredRate)>,
    /// The samples that it rests on.
    pub samples: usize,
}

impl TestCalibration {
    /// Sites whose new entry waits for a review, with why.
    pub fn pending(&self) -> impl Iterator<Item = (&LearnedSite, &str)> {
        self.sites.iter().filter_map(|site| match &site.change {
            Change::Pending(why) => Some((site, why.as_str())),
            _ => None,
        })
    }

    /// The kind of machine that it holds for.
    pub fn variant(&self) -> Option<&str> {
        self.variant.as_deref()
    }

    /// Attempts after which a test that fails so often passes with the test's confidence; `None` if it never failed.
    pub fn attempts(&self) -> Option<u64> {
        let failed = self.failures.len();
        let rate = failed as f64 / f64::from(self.runs.max(1));
        if failed == 0 {
            return None;
        }
        runs_until_pass(rate, self.confidence.value()).ok()
    }

    /// Whether the bounds file changes.
    pub fn changes_file(&self) -> bool {
        let is_new = |site: &LearnedSite| site.change.is_new();
        self.kept.is_none() && (self.sites.iter().any(is_new) || !self.removed.is_empty())
    }

    /// How many sites have a new bound.
    pub fn learned_sites(&self) -> usize {
        let is_learned = |site: &&LearnedSite| site.change.is_new() && !site.is_refused();
        self.sites.iter().filter(is_learned).count()
    }

    /// How many sites have a bound that stays as it was.
    pub fn kept_sites(&self) -> usize {
        let is_kept = |site: &&LearnedSite| site.change == Change::Kept && !site.is_refused();
        self.sites.iter().filter(is_kept).count()
    }

    /// Whether runs can be replayed to see whether anything changed.
    pub fn is_replayed(&self) -> bool {
        self.sites.iter().any(|site| site.entry.replay.is_some())
    }

    /// Sites whose values look like a bug that nobody has accepted, with the runs that show it.
    pub fn suspected(&self) -> impl Iterator<Item = (&LearnedSite, &SuspectedBug)> {
        self.sites.iter().filter_map(|site| match &site.objection {
            Some(Objection::Suspected(suspicion)) if site.is_objected_to() => {
                Some((site, suspicion))
            }
            _ => None,
        })
    }

    /// The line with the command that repeats one of the runs.
    pub(super) fn replay_line(&self, run: u32) -> String {
        let seed = SeedRequest {
            base: self.base.clone(),
            run: Some((self.phase, u64::from(run))),
        };
        format!("    replay: {}", self.test.commands().replay(&seed))
    }

    /// What `catches` means, where the summary says it.
    pub fn legend(&self) -> Option<&'static str> {
        let says_it = |site: &LearnedSite| {
            let sides = site.entry.tail().sides();
            sides.iter().any(|side| site.power_on(*side).is_some())
        };
        self.sites.iter().any(says_it).then_some(
            "`catches`: how often a run fails if values move by 1, 2, 3 standard deviations",
        )
    }

    /// Sites for which nothing could be learned.
    pub fn refused(&self) -> impl Iterator<Item = &LearnedSite> {
        self.sites.iter().filter(|site| site.is_refused())
    }
}

impl LearnedSite {
    fn seen(&self, promise: Promise) -> NewSamples<'_> {
        NewSamples {
            sides: &self.samples,
            missed: self.missed,
            promise,
        }
    }

    /// What was seen, side by side.
    pub fn samples(&self) -> &[Samples] {
        &self.samples
    }

    /// Takes or refuses what was learned, where something speaks against it.
    fn settle(&mut self, accept: bool) {
        self.entry.accepted = accept && self.objection.is_some();
        self.entry.sides = match &self.objection {
            Some(objection) if !accept => refused(self.learned.tail(), &objection.to_string()),
            _ => self.learned.clone(),
        };
    }

    /// Whether nothing was learned because of what speaks against it.
    pub fn is_objected_to(&self) -> bool {
        self.objection.is_some() && !self.entry.accepted
    }

    /// The entry that is in the file from now on, unless somebody must look at the new one first.
    pub fn in_force(&self) -> &Entry {
        match (&self.change, &self.old) {
            (Change::Kept, Some(old)) => old,
            _ => &self.entry,
        }
    }

    /// Where the values of a mean are taken to end, unless the source says so.
    pub(super) fn assumed(&self) -> Option<Domain> {
        match self.in_force().claim(None)? {
            Claim::Mean(claim) if claim.outside == Outside::Clipped => Some(claim.domain),
            _ => None,
        }
    }

    /// What the bound on a side catches that is in force: of an entry that was kept, the kept one.
    pub fn power_on(&self, side: Side) -> Option<Power> {
        if self.is_objected_to() && self.change != Change::Kept {
            return None;
        }
        let sides = self.entry.tail().sides().iter();
        let mut sides = sides.zip(self.power.iter().zip(&self.samples));
        let (_, (new, samples)) = sides.find(|(known, _)| **known == side)?;
        if self.change != Change::Kept {
            return *new;
        }
        let kept = self.in_force().sides.get(side)?;
        let guard = kept.guard()?;
        let enforced = Enforced {
            side,
            guard: guard.bound,
            race: &guard.race,
            ceiling: kept.ceiling(),
        };
        Power::of_enforced(enforced, samples, self.looked_at)
    }

    /// Whether nothing could be learned for one of its sides.
    pub fn is_refused(&self) -> bool {
        is_refused(&self.entry)
    }
}

/// The sides of an entry for which nothing can be learned.
fn refused(tail: Tail, reason: &str) -> Sides {
    let refuse = || Learned::Refuse {
        reason: reason.to_owned(),
    };
    match tail {
        Tail::Upper => Sides::Upper(refuse()),
        Tail::Lower => Sides::Lower(refuse()),
        Tail::Both => Sides::Both {
            lower: Box::new(refuse()),
            upper: Box::new(refuse()),
        },
    }
}
