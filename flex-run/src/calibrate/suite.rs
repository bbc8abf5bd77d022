//! The budget of a suite, shared out before calibration: what each site may spend
//! (docs/design/recalibration.md, "The budget of a suite").

use std::collections::BTreeMap;

use flex_bounds::file::{BoundsFile, Entry};
use flex_bounds::suite::{Asking, Overspent, SuiteBudget};
use flex_core::bound::confidence::Confidence;
use flex_core::calibration::SuiteShares;

use super::collector::key_of_entry;
use super::observed::key_of;
use super::process::Worker;
use super::{CalibrationError, CalibrationSettings, Gate, TestProgram};
use crate::model::run::{Kind, SiteRecord};
use crate::model::test::TestRecord;

/// A test that was looked at, in one run, to see what it asks for.
#[derive(Debug, Clone)]
pub struct Look {
    /// The test.
    pub test: TestRecord,
    /// The sites that it hit.
    pub sites: Vec<SiteRecord>,
}

/// Looks at a test: makes one run, in a process of its own.
pub fn look(
    program: &TestProgram,
    test: &str,
    settings: &CalibrationSettings,
    gate: &Gate,
) -> Result<Look, CalibrationError> {
    let recorded = Worker::new(program, test, settings, gate).record(0..1)?;
    let shard = recorded.shards.into_iter().next();
    let shard = shard.ok_or(CalibrationError::NoTime)?;
    Ok(Look {
        test: shard.test,
        sites: shard.sites,
    })
}

/// What the sites of tests may spend of the budget of their suite.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SuitePlan {
    tests: BTreeMap<(Option<String>, String), SuiteShares>,
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
            let key = &entry.key;
            looks
                .iter()
                .any(|look| look.test.target == key.target && look.test.name == key.test)
        };
        let mut stated = 0.0;
        let mut sites: Vec<(&Look, String, Option<f64>)> = Vec::new();
        for look in looks {
            if let Some(confidence) = look.test.options.confidence {
                stated += 1.0 - confidence;
                continue;
            }
            for (key, share) in shares_of(look, file, variant) {
                match share {
                    Share::Stated(rate) => stated += rate,
                    Share::Asked(known) => sites.push((look, key, known)),
                }
            }
        }
        let others: Vec<f64> = file
            .holding(variant)
            .filter(|entry| !look_at(entry))
            .map(|entry| entry.confidence.false_alarm_rate())
            .collect();
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
                known: BTreeMap::new(),
                late: given.new,
            };
            if look.test.options.confidence.is_none() {
                plan.tests.insert(id(&look.test), shares);
            }
        }
        for ((look, key, known), share) in sites.into_iter().zip(given.sites) {
            plan.lowers |= known.is_some_and(|known| share.false_alarm_rate() < known);
            if let Some(shares) = plan.tests.get_mut(&id(&look.test)) {
                shares.known.insert(key, share);
            }
        }
        Ok(plan)
    }

    /// What the sites of a test may spend; `None` if the test has a confidence of its own.
    pub fn shares(&self, target: Option<&str>, test: &str) -> Option<SuiteShares> {
        let id = (target.map(str::to_owned), test.to_owned());
        self.tests.get(&id).cloned()
    }
}

fn id(test: &TestRecord) -> (Option<String>, String) {
    (test.target.clone(), test.name.clone())
}

/// How a site comes by its share.
enum Share {
    /// It states its own confidence.
    Stated(f64),
    /// It asks for one, and may have one.
    Asked(Option<f64>),
}

/// The learned sites of a test that were hit, or have an entry, by key.
fn shares_of(look: &Look, file: &BoundsFile, variant: Option<&str>) -> BTreeMap<String, Share> {
    let is_its = |entry: &&Entry| {
        let key = &entry.key;
        key.target == look.test.target
            && key.test == look.test.name
            && key.variant.as_deref() == variant
    };
    let mut shares: BTreeMap<String, Share> = file
        .entries()
        .iter()
        .filter(is_its)
        .map(|entry| {
            let known = entry.confidence.false_alarm_rate();
            (key_of_entry(entry), Share::Asked(Some(known)))
        })
        .collect();
    for site in &look.sites {
        if let Kind::Learned(spec) = site.kind {
            let stated = spec.confidence.map(Confidence::false_alarm_rate);
            match stated {
                Some(rate) => drop(shares.insert(key_of(site), Share::Stated(rate))),
                None => {
                    shares.entry(key_of(site)).or_insert(Share::Asked(None));
                }
            }
        }
    }
    shares
}
