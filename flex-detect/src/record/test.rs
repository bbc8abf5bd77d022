//! What the runs of one test showed.

use flex_run::model::{Place, Probe, TestId, Variability};
use serde::{Deserialize, Serialize};

use super::RunnerReplay;
use super::json;
use super::site::{ObservedSite, Span};

/// What one test showed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ObservedTest {
    /// Which test it is.
    #[serde(flatten, with = "json::TestIdJson")]
    pub id: TestId,
    /// The package; `None` for pytest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub package: Option<String>,
    /// Where its function begins, decorators included.
    #[serde(flatten, with = "json::PlaceJson")]
    pub place: Place,
    /// The function with its decorators, where that is known.
    #[serde(default)]
    pub span: Option<Span>,
    /// Whether it is annotated as a stochastic test.
    #[serde(default)]
    pub is_stochastic: bool,
    /// What the seeds of its runs are, up to the index, such as `k3J9@calibrate`; `None` for the record's base and
    /// `@detect`. Tests that were run at another time, or for something else, have their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seeds: Option<String>,
    /// What a command that makes a run again is built from; `None` if no seed controls the test.
    pub replay: Option<RunnerReplay>,
    /// How long a run takes.
    pub seconds_per_run: f64,
    /// Whether the first run had the seeds that the source states, and all others different ones.
    #[serde(default)]
    pub first_as_written: bool,
    /// The seeds that the source states and that were varied.
    #[serde(default)]
    pub literal_seeds: Vec<LiteralSeed>,
    /// Randomness that no seed was seen to control, such as `numpy.random.default_rng() at tests/test_a.py:12`.
    #[serde(default)]
    pub unseeded: Vec<String>,
    /// What its runs touched that can differ; `None` where nobody watched.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "json::probe")]
    pub probe: Option<Probe>,
    /// How often it must pass, where the marker that reruns it asks for more than once: flaky's `min_passes`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_passes: Option<u32>,
    /// What the reader should know besides: draws at import time, shared fixtures.
    #[serde(default)]
    pub notes: Vec<String>,
    /// Every run, by index.
    pub runs: Vec<ObservedRun>,
    /// The processor time that runs took, by index, where that was measured.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub processor_seconds: Vec<(u32, f64)>,
    /// Its assertions that compare numbers.
    pub sites: Vec<ObservedSite>,
    /// Runs that were made again under the same seed.
    #[serde(default)]
    pub repeats: Vec<Repeat>,
}

impl ObservedTest {
    /// A test of which nothing was seen yet.
    pub fn new(id: TestId, place: Place) -> Self {
        ObservedTest {
            id,
            package: None,
            place,
            span: None,
            is_stochastic: false,
            seeds: None,
            replay: None,
            seconds_per_run: 0.0,
            first_as_written: false,
            literal_seeds: Vec::new(),
            unseeded: Vec::new(),
            probe: None,
            min_passes: None,
            notes: Vec::new(),
            runs: Vec::new(),
            processor_seconds: Vec::new(),
            sites: Vec::new(),
            repeats: Vec::new(),
        }
    }

    /// What its runner calls it.
    pub fn name(&self) -> &str {
        self.id.name()
    }

    /// Whether its runs touched nothing that could differ, so that no further ones were made.
    pub fn is_shown_fixed(&self) -> bool {
        let is_fixed = |probe: &Probe| probe.variability() == Variability::Fixed;
        let ran = |run: &ObservedRun| run.outcome != Outcome::Skip;
        self.probe.as_ref().is_some_and(is_fixed) && self.runs.iter().any(ran)
    }
}

/// How one run went.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ObservedRun {
    /// Its index, which decides its seed.
    pub index: u32,
    /// How it ended.
    pub outcome: Outcome,
    /// Why it failed, in one line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The index of the site that failed it, if it was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed_site: Option<usize>,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It passed.
    Pass,
    /// It failed.
    Fail,
    /// It was skipped, or tells nothing of the code.
    Skip,
}

impl Outcome {
    /// How a run ended that was not skipped.
    pub fn of(failed: bool) -> Self {
        match failed {
            true => Outcome::Fail,
            false => Outcome::Pass,
        }
    }
}

/// A seed that the source states.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LiteralSeed {
    /// The call: `numpy.random.seed`, `random_state`.
    pub call: String,
    /// Where the call is; the file is one of the project's.
    #[serde(flatten, with = "json::PlaceJson")]
    pub place: Place,
    /// The number.
    pub value: i64,
}

/// A run that was made again under the same seed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Repeat {
    /// Its index.
    pub index: u32,
    /// Where.
    pub place: RepeatPlace,
    /// How it ended this time.
    pub outcome: Outcome,
    /// Values by site and series.
    #[serde(with = "json::site_floats")]
    pub values: Vec<(usize, usize, f64)>,
}

/// Where a run was repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RepeatPlace {
    /// Later in the same process.
    SameProcess,
    /// In another process, all else equal.
    OtherProcess,
    /// In another process with another order of hashes (`PYTHONHASHSEED`).
    OtherHashes,
}
