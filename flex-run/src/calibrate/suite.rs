//! The budget of a suite, shared out before calibration: what each site may spend
//! (docs/design/recalibration.md, "The budget of a suite").

use flex_bounds::file::{BoundsFile, Entry};
use flex_bounds::suite::{Asking, Overspent, SuiteBudget};
use flex_core::bound::confidence::Confidence;
use flex_core::calibration::SuiteShares;
use flex_core::sorted::SortedMap;

use super::process::Worker;
use crate::model::{Asks, Site, SiteId, Test, TestId};
use crate::watch::Slowest;

use super::gate::Gate;
use super::onlooker::Nobody;
use super::process::TestProgram;
use super::settings::{CalibrationError, CalibrationSettings};

/// A test that was looked at, in one run, to see what it asks for.
#[derive(Debug, Clone)]
pub struct Look {
    /// The test.
    pub test: Test,
    /// The sites that it hit.
    pub sites: Vec<Site>,
}

/// Looks at a test: makes one run, in a process of its own.
pub fn look(
    program: &TestProgram,
    test: &str,
    settings: &CalibrationSettings,
    gate: &Gate,
) -> Result<Look, CalibrationError> {
    let slowest = Slowest::default();
    let worker = Worker::new(program, test, settings, &slowest, (gate, &Nobody));
    let recorded = worker.record(0..1)?;
    let record = recorded.records.into_iter().next();
    let record = record.ok_or(CalibrationError::NoTime)?;
    worker.not_hung(&record.test, recorded.hung)?;
    Ok(Look {
        test: record.test,
        sites: record.sites,
    })
}

/// What the sites of tests may spend of the budget of their suite.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SuitePlan {
    tests: SortedMap<TestId, SuiteShares>,
    /// Whether a site gets less than it had. Until all tests are written, the file then spends more than it may.
    pub lowers: bool,
}

impl SuitePlan {
    /// Shares a budget out over the tests that are to be calibrated. The file has what they and others have so far;
    /// so many further tests have nothing yet.
    pub fn new(
        budget: SuiteBudget,
        file: &BoundsFile,
        variant: Option<&str>,
        looks: &[Look],
        unseen: usize,
    ) -> Result<Self, Overspent> {
        let look_at = |entry: &Entry| {
            let test = &entry.key.test;
            looks.iter().any(|look| look.test.id == *test)
        };
        let mut stated = 0.0;
        let mut sites: Vec<(&Look, SiteId, Option<f64>)> = Vec::new();
        for look in looks {
            if let Some(confidence) = look.test.options.confidence {
                stated += 1.0 - confidence;
                continue;
            }
            for (key, share) in shares_of(look, file, variant).entries() {
                match share {
                    Share::Stated(rate) => stated += rate,
                    Share::Asked(known) => sites.push((look, key.clone(), *known)),
                }
            }
        }
        let mut others = Vec::new();
        for entry in file.holding(variant) {
            if !look_at(entry) {
                others.push(entry.confidence.false_alarm_rate());
            }
        }
        let asked: Vec<Option<f64>> = sites.iter().map(|(_, _, known)| *known).collect();
        let given = budget.allot(&Asking {
            stated,
            others: &others,
            expected: unseen,
            sites: &asked,
        })?;
        let mut plan = SuitePlan::default();
        for look in looks {
            let shares = SuiteShares {
                known: SortedMap::new(),
                late: given.new,
            };
            if look.test.options.confidence.is_none() {
                plan.tests.insert(look.test.id.clone(), shares);
            }
        }
        for ((look, key, known), share) in sites.into_iter().zip(given.sites) {
            plan.lowers |= known.is_some_and(|known| share.false_alarm_rate() < known);
            if let Some(shares) = plan.tests.get_mut(&look.test.id) {
                shares.known.insert(key, share);
            }
        }
        Ok(plan)
    }

    /// What the sites of a test may spend; `None` if the test has a confidence of its own.
    pub fn shares(&self, test: &TestId) -> Option<SuiteShares> {
        self.tests.get(test).cloned()
    }
}

/// How a site comes by its share.
enum Share {
    /// It states its own confidence.
    Stated(f64),
    /// It asks for one, and may have one.
    Asked(Option<f64>),
}

/// The learned sites of a test that were hit, or have an entry, by key.
fn shares_of(look: &Look, file: &BoundsFile, variant: Option<&str>) -> SortedMap<SiteId, Share> {
    let is_its =
        |entry: &&Entry| entry.key.test == look.test.id && entry.key.variant.as_deref() == variant;
    let mut shares = SortedMap::new();
    for entry in file.entries().iter().filter(is_its) {
        let known = entry.confidence.false_alarm_rate();
        shares.insert(entry.key.site.clone(), Share::Asked(Some(known)));
    }
    for site in &look.sites {
        let (stated, is_learned) = match &site.asks {
            Asks::Learned(spec) => (spec.confidence, true),
            Asks::Claim(claim) => (claim.confidence, site.is_learned()),
            Asks::Declared(_) => (None, false),
        };
        match stated.map(Confidence::false_alarm_rate) {
            Some(rate) => shares.insert(site.id.clone(), Share::Stated(rate)),
            // What is not learned has no entry that could keep a share.
            None if !is_learned => {}
            None => {
                shares.get_or_insert(site.id.clone(), Share::Asked(None));
            }
        }
    }
    shares
}
