//! What is to be said of every assertion: constant, steady, flaky, golden, uncontrolled, broken, second mode or skipped.
//!
//! Counted are the runs that were not skipped. Where the first run had the seeds that the source states, it stands apart:
//! rates are those of the other runs, the *varied* ones. The rate of an assertion is out of the varied runs that reached
//! it. The first of these that holds is the verdict:
//!
//! 1. *skipped*: no varied run reached the assertion.
//! 2. *broken*: it fails in every run that reaches it, the first included, and no run of the test passes.
//! 3. *uncontrolled*, if a run that was made again under its seed ended otherwise.
//! 4. *golden*: it passes in the first run, under the seeds of the source, and fails in at least nine of ten varied runs,
//!    with a 95 % interval above one half.
//! 5. *uncontrolled*, if a run that was made again under its seed showed another value, and not just a slightly other one:
//!    a hundredth of the spread of all values is a remark.
//! 6. *second mode*: a few values form a cluster far from the others ([`flex_core::sample::second_mode`]).
//! 7. *flaky*: it fails in some run.
//! 8. *constant*: every run showed the same. 9. *steady*: all else.
//!
//! What also holds becomes a [`Remark`]. Failures that no recorded assertion explains, such as exceptions, are those of the
//! test itself: a finding without a site.

mod counted;
mod decide;
mod finding;
mod repeats;
#[cfg(test)]
pub(crate) mod tests;

use flex_core::seed::Phase;

use crate::invocation::Replays;
use crate::record::{ObservedTest, Outcome, Record};
use counted::Counted;
pub use finding::{
    AsWritten, Cluster, Diagnosis, Figures, Finding, JudgeRule, Randomness, Remark, TailFigures,
};
use flex_run::model::{Place, Probe, Runner, TestId};

/// What was found in all tests of a record.
#[derive(Debug, Clone, PartialEq)]
pub struct Findings {
    /// Who ran the tests.
    pub runner: Runner,
    /// The base seed.
    pub base: String,
    /// The rule.
    pub rule: JudgeRule,
    /// The tests, in the order of the record.
    pub tests: Vec<JudgedTest>,
}

/// What was found in one test.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgedTest {
    /// Which test it is.
    pub id: TestId,
    /// The package; `None` for pytest.
    pub package: Option<String>,
    /// Where its function begins.
    pub place: Place,
    /// What the seeds of its runs are, up to the index.
    pub seeds: String,
    /// The commands that make its runs again; `None` if no seed controls it.
    pub replay: Option<Replays>,
    /// All runs that were made.
    pub runs: usize,
    /// Those that passed.
    pub passed: usize,
    /// Those that failed.
    pub failed: usize,
    /// Those that were skipped.
    pub skipped: usize,
    /// What its runs touched that can differ; `None` where nobody watched.
    pub probe: Option<Probe>,
    /// What the reader should know besides.
    pub notes: Vec<String>,
    /// One for every assertion, in the order of the record, and one without a site for the outcome of a test that has no
    /// assertions or failures of its own.
    pub findings: Vec<Finding>,
}

/// Judges every test of a record.
pub fn judge(record: &Record, rule: &JudgeRule) -> Findings {
    let tests = record.tests.iter().enumerate();
    Findings {
        runner: record.runner,
        base: record.base.clone(),
        rule: *rule,
        tests: tests
            .map(|(index, test)| JudgedTest::new(record, index, test, rule))
            .collect(),
    }
}

/// Whether a run of a test showed something else when it was made again under its seed.
pub fn differs_when_repeated(test: &ObservedTest) -> bool {
    let counted = Counted::new(test);
    let mut sites = test.sites.iter().enumerate();
    let of_site = |(index, site)| repeats::of_site(test, &counted, index, site).is_some();
    sites.any(of_site) || repeats::of_outcome(test, &counted).is_some()
}

impl Findings {
    /// Whether something was found that the exit code tells: see [`Finding::is_finding`].
    pub fn has_findings(&self) -> bool {
        self.iter().any(Finding::is_finding)
    }

    /// Everything that was judged.
    pub fn iter(&self) -> impl Iterator<Item = &Finding> {
        self.tests.iter().flat_map(|test| &test.findings)
    }
}

impl JudgedTest {
    fn new(record: &Record, index: usize, test: &ObservedTest, rule: &JudgeRule) -> Self {
        let counted = Counted::new(test);
        let sites = test.sites.iter().enumerate();
        let ended = |outcome| {
            let runs = test.runs.iter();
            runs.filter(|run| run.outcome == outcome).count()
        };
        JudgedTest {
            id: test.id.clone(),
            package: test.package.clone(),
            place: test.place.clone(),
            seeds: match &test.seeds {
                Some(seeds) => seeds.clone(),
                None => format!("{}@{}", record.base, Phase::Detect),
            },
            replay: Replays::new(record, test),
            runs: test.runs.len(),
            passed: ended(Outcome::Pass),
            failed: ended(Outcome::Fail),
            skipped: ended(Outcome::Skip),
            probe: test.probe.clone(),
            notes: test.notes.clone(),
            findings: sites
                .map(|site| decide::site((index, test), &counted, site, rule))
                .chain(decide::outcome(index, test, &counted))
                .collect(),
        }
    }

    /// What its runner calls it.
    pub fn name(&self) -> &str {
        self.id.name()
    }

    /// The verdict of the test as a whole: the gravest of its assertions.
    pub fn gravest(&self) -> Option<&Finding> {
        self.findings.iter().min_by_key(|finding| finding.rank())
    }
}
