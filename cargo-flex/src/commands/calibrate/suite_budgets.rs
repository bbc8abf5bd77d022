//! The budgets of suites: who gets how much, decided before the first calibration.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Mutex;

use flex_core::calibration::SuiteShares;
use flex_run::calibrate::{CalibrationSettings, Gate, Look, SuitePlan, look};
use flex_run::store::Store;

use super::found;
use super::outcome::unreadable;
use super::projects::Projects;
use crate::cargo::FoundTest;
use crate::exit::Failure;
use crate::session::{for_each, locked};
use crate::shards::Putting;

/// The shares that each suite with a budget gives to its tests, by bounds file.
#[derive(Default)]
pub struct SuitePlans(BTreeMap<PathBuf, SuitePlan>);

impl SuitePlans {
    /// Looks at the tests whose suite has a budget, and shares it out. `all` are the tests that there are, `tests` those
    /// to be calibrated.
    pub fn new(
        all: &[FoundTest<'_>],
        tests: &[FoundTest<'_>],
        projects: &Projects,
        settings: &CalibrationSettings,
        gate: &Gate,
        jobs: usize,
        putting: Option<&Putting>,
    ) -> Result<Self, Failure> {
        let mut plans = BTreeMap::new();
        let of_suites = tests
            .iter()
            .filter(|test| projects.suite_budget(test).is_some());
        let mut by_store: BTreeMap<PathBuf, Vec<&FoundTest<'_>>> = BTreeMap::new();
        for test in of_suites {
            let path = test.program.store().path().to_owned();
            by_store.entry(path).or_default().push(test);
        }
        for (path, tests) in by_store {
            let file = Store::at(&path).read_merged().map_err(unreadable)?;
            let has_entry = |test: &FoundTest<'_>| {
                let id = test.id();
                file.entries().iter().any(|entry| entry.key.test == id)
            };
            let is_now =
                |test: &FoundTest<'_>| tests.iter().any(|t| t.sort_key() == test.sort_key());
            let unseen = all
                .iter()
                .filter(|test| test.program.store().path() == path)
                .filter(|test| !is_now(test) && !has_entry(test));
            let Some(budget) = projects.suite_budget(tests[0]) else {
                continue;
            };
            let looks = match putting {
                Some(putting) => tests
                    .iter()
                    .filter_map(|test| found::look(putting, test))
                    .collect(),
                None => look_at(&tests, settings, gate, jobs),
            };
            let variant = projects.variant(tests[0]);
            let plan = SuitePlan::new(budget, &file, variant, &looks, unseen.count());
            plans.insert(
                path,
                plan.map_err(|error| {
                    Failure::input(
                        error,
                        "calibrate all tests of the package, which shares the budget out anew; \
                           `cargo flex budget` shows who has how much",
                    )
                })?,
            );
        }
        Ok(SuitePlans(plans))
    }

    /// The shares of a test's sites, if they spend the budget of a suite.
    pub fn shares(&self, test: &FoundTest<'_>) -> Option<SuiteShares> {
        let plan = self.0.get(test.program.store().path())?;
        plan.shares(&test.id())
    }

    /// Whether a file would spend too much if only a part of it were written.
    pub fn lowers(&self) -> bool {
        self.0.values().any(|plan| plan.lowers)
    }
}

/// Makes one run of each test. A test that cannot be looked at cannot be calibrated either, which will say why.
fn look_at(
    tests: &[&FoundTest<'_>],
    settings: &CalibrationSettings,
    gate: &Gate,
    jobs: usize,
) -> Vec<Look> {
    let looks = Mutex::new(Vec::new());
    for_each(tests.iter().collect(), jobs, |test| {
        if let Ok(seen) = look(&test.program.program, &test.name, settings, gate) {
            locked(&looks).push(seen);
        }
    });
    let mut looks = looks
        .into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    // What each gets must not depend on who was quickest.
    looks.sort_by(|a, b| a.test.id.cmp(&b.test.id));
    looks
}
